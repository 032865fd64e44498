// What became of the game when the file of its own rules was saved; new rules bring new texts.

import { on, state } from "./state.js";
import { $ } from "./svg.js";
import { reloadWords, sayText } from "./words.js";

let shown = "";

function show() {
  const told = state.view?.rules ?? null;
  const box = $("own-rules");
  box.hidden = !told;
  box.textContent = told ? sayText(told) : "";
  box.classList.toggle("fault", told?.id === "table.rules-broken");
  const now = JSON.stringify([told, state.view?.game.slug]);
  if (now === shown) return;
  shown = now;
  if (told) reloadWords();
}

on("view words", show);
