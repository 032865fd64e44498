// A ring around the piece that was chosen by a first tap, until the second one or a move.

import { cellPath, drawn, onBuild } from "./board.js";
import { on, state } from "./state.js";
import { draw } from "./svg.js";

function show() {
  const layer = drawn.layers?.target;
  if (!layer || !state.view) return;
  layer.replaceChildren();
  delete layer.dataset.cell;
  if (state.chosen === null) return;
  const { x, y } = drawn.profile.cells[state.view.game.cells[state.chosen]];
  draw("path", { d: cellPath(0.9), transform: `translate(${x} ${y})` }, layer);
}

let moves = "";

on("view", () => {
  const now = JSON.stringify([state.view.game.cells, state.view.moves.length, state.view.to_move]);
  if (now !== moves) state.chosen = null;
  moves = now;
  show();
});
on("chosen", show);
onBuild(show);
