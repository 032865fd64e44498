// The board turned for the player at this device: where cells are seen, never what they are called.

import { drawn, onBuild, refit, stepOfTurn } from "./board.js";
import { keep, on, state } from "./state.js";
import { $ } from "./svg.js";
import { say } from "./words.js";

/** How far it is turned, in words; "" where it lies as on the table. */
const told = () => (drawn.turn ? say("page.turned", { degrees: drawn.turn }) : "");

function show() {
  if (drawn.profile) $("turned").textContent = told();
  /** @type {HTMLButtonElement} */ ($("turn-board")).disabled = Boolean(state.view?.lesson);
}

/** Turn it by a sixth, a quarter or a half, as its cells allow. */
export function turnBoard() {
  if (!drawn.profile || state.view?.lesson) return;
  state.turn = (drawn.turn + stepOfTurn()) % 360;
  keep("turn", String(state.turn));
  refit();
  $("said").textContent = told() || say("page.turned.not");
}

$("turn-board").addEventListener("click", turnBoard);
onBuild(show);
on("words view", show);
