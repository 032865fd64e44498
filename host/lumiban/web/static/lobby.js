// The lobby of the board in words: the same choices, by a button each.

import { drawn, onBuild } from "./board.js";
import { wish } from "./link.js";
import { mayAct } from "./play.js";
import { isHost, keep, kept, on, state } from "./state.js";
import { $, draw, make, makeButton } from "./svg.js";
import { chooseLanguage, say, sayText } from "./words.js";

/** @param {string} choose */
const choose = (choose) => mayAct() && wish({ do: "lobby", choose });

/** @param {NonNullable<TableView["lobby"]>["choices"][number]} one */
function button({ id, text, is_now, is_held }) {
  // What this page may not choose is told all the same: it is lit on the board.
  if (!isHost() || (id === "off/yes" && !state.hello?.owner)) return make("span", { "data-choice": id }, sayText(text));
  return makeButton(() => choose(id), {
    "data-choice": id, class: is_held ? "main" : "", ...(id.includes("/") ? { "aria-pressed": String(is_now) } : {}),
  }, sayText(text));
}

let written = "";

/** The number of each choice on its cell, as before its words. */
function number() {
  const layer = drawn.layers.choices;
  if (!layer) return;
  const lobby = state.view?.lobby;
  const places = lobby?.is_lit ? lobby.choices.map((one) => drawn.profile?.cells[one.cell]) : [];
  const now = JSON.stringify(places);
  if (layer.dataset.now === now) return;
  layer.dataset.now = now;
  layer.replaceChildren();
  places.forEach((place, n) => {
    if (place) draw("text", { x: place.x, y: place.y }, layer).textContent = String(n + 1);
  });
}

function show() {
  const lobby = state.view?.lobby;
  const is_lit = Boolean(lobby?.is_lit);
  document.documentElement.toggleAttribute("data-lobby", is_lit);
  $("rule").hidden = Boolean(lobby);
  $("lobby").hidden = !is_lit;
  $("open-lobby").hidden = !state.hello?.service || is_lit || !isHost();
  if (!lobby || !is_lit) {
    written = "";
    return;
  }
  $("lobby-title").textContent = sayText(lobby.title);
  $("lobby-says").textContent = lobby.says ? sayText(lobby.says) : say("lobby.how");
  // Rebuilding would take the focus from a button that somebody is about to press.
  const key = JSON.stringify([lobby.choices, state.language, isHost()]);
  if (key === written) return;
  const had = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.choice;
  const buttons = lobby.choices.map(button);
  $("lobby-choices").replaceChildren(...buttons);
  if (had) (buttons.find((one) => one.dataset.choice === had) ?? buttons[0])?.focus();
  written = key;
}

/** A language that was chosen at the board is spoken until somebody chooses another one here. */
function follow() {
  const language = state.hello?.language ?? "";
  if (language === kept("board-language", "")) return;
  keep("board-language", language);
  if (language) void chooseLanguage(language);
}

$("open-lobby").addEventListener("click", () => choose("open"));
on("view words role wire hello", show);
on("view hello", number);
onBuild(number);
on("hello", follow);
