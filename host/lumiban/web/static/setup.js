// The panel with which a position is set up: which piece a tap sets, and who moves then.

import { beginDraft, chooseMover, choosePiece, choices, maySetUp } from "./draft.js";
import { drawDove } from "./doves.js";
import { isNamed, on, state } from "./state.js";
import { drawStone } from "./stones.js";
import { $, draw, make, makeButton } from "./svg.js";
import { BLACK, WHITE } from "./wire.js";
import { pieceName, say, sideName, stoneName } from "./words.js";

/** @param {number | string} piece */
function pieceButton(piece) {
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true", class: "piece" });
  if (typeof piece === "string") drawDove(piece === piece.toUpperCase() ? WHITE : BLACK, piece, 9, svg);
  else if (piece) drawStone(piece, 9, svg);
  else draw("path", { d: "M-6 -6L6 6M6 -6L-6 6" }, svg);
  const name = typeof piece === "string" ? pieceName(piece) : piece ? stoneName(piece) : say("page.setup.nothing");
  return makeButton(() => choosePiece(piece), { "data-piece": piece, "aria-label": name, title: name, "aria-pressed": String(state.draft?.chosen === piece) }, svg);
}

function mover() {
  const { game, turnless } = state.view;
  if (turnless) return [];
  const select = make("select", { id: "setup-mover", "aria-label": say("page.setup.mover") }, ...game.sides.map((_, side) => make("option", { value: side }, sideName(side))));
  select.value = String(state.draft?.toMove ?? 0);
  select.addEventListener("change", () => chooseMover(Number(select.value)));
  return [make("label", {}, make("span", {}, say("page.setup.mover")), select)];
}

let shown = "";

function show() {
  if (!state.view) return;
  $("open-setup").hidden = !maySetUp();
  const { draft } = state;
  $("setup").hidden = !draft;
  document.documentElement.toggleAttribute("data-setup", Boolean(draft));
  const key = draft ? JSON.stringify([choices(), draft.chosen, state.language, isNamed()]) : "";
  if (key === shown) return;
  shown = key;
  if (!draft) return;
  const focused = document.activeElement?.closest?.("#setup button")?.dataset.piece;
  $("setup").replaceChildren(
    make("div", { class: "row", role: "group", "aria-label": say("page.setup.pieces") }, ...[...choices(), 0].map(pieceButton)),
    make("div", { class: "fields" }, ...mover()),
  );
  if (focused) $("setup").querySelector(`[data-piece="${focused}"]`)?.focus();
}

$("open-setup").addEventListener("click", () => {
  if (!maySetUp()) return;
  $("settings").hidePopover();
  beginDraft();
});
on("view words role wire past draft", show);
