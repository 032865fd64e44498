// The letters of the doves where they are met: each kind's picture, its name, and how it moves.

import { drawDove } from "./doves.js";
import { isNamed, on, state } from "./state.js";
import { $, draw, make } from "./svg.js";
import { list, say } from "./words.js";

const LETTERS = ["B", "A", "Y", "M", "T", "H"];

/** @param {string} letter */
function kind(letter) {
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true" });
  drawDove(1, letter, 10, svg);
  return make("li", {}, svg, make("span", {}, `${letter}: ${list([say(`dove.${letter}`), say(`lesson.moves.${letter}`)])}`));
}

let written = "";

function show() {
  const isThere = Boolean(state.view) && isNamed();
  $("legend").hidden = !isThere;
  if (!isThere || written === state.language) return;
  written = state.language;
  $("legend-list").replaceChildren(...LETTERS.map(kind));
}

on("view words", show);
