// What is known of sensors that need a look: a calm line that opens into the reasons.

import { on, state } from "./state.js";
import { $, make } from "./svg.js";
import { list, say, sayText } from "./words.js";

const box = $("sensors");
/** So many cells are named in the line; the rest stand in the list. */
const NAMED = 4;
let shown = "";

function show() {
  const found = state.view?.sensors ?? [];
  const now = JSON.stringify([found, state.language]);
  if (now === shown) return;
  shown = now;
  box.hidden = found.length === 0;
  const cells = [...new Set(found.map((text) => String(text.params.cell)))];
  const named = list([...cells.slice(0, NAMED), ...(cells.length > NAMED ? ["…"] : [])]);
  const line = say("page.sensors", { cells: named });
  box.querySelector("summary").textContent = line;
  // The panel is closed mostly: what opens it bears a dot, and says why.
  $("open-settings").toggleAttribute("data-told", found.length > 0);
  $("open-settings").title = found.length ? line : say("page.settings.label");
  box.querySelector("ul").replaceChildren(...found.map((text) => make("li", {}, sayText(text))));
}

on("view words", show);
