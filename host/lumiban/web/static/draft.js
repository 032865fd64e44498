// A position that is being set up on the page: a draft, which the board shows as it shows the past.

import { wish } from "./link.js";
import { isHost, isNamed, isSolo, on, SETTING, state, tell } from "./state.js";
import { BLACK, NEUTRAL, WHITE } from "./wire.js";

/** Whether a position can be set up now: on real pieces, in a game that goes on. */
export const maySetUp = () => {
  const { view } = state;
  return isHost() && Boolean(view) && !view.lit && !view.lesson && !view.outcome && !isSolo() && view.link === "up";
};

/** @param {number} cell */
const isInTray = (cell) => Boolean(state.view.game.trays?.some((cells) => cells.includes(cell)));

/** What may be set: kinds, or the letters of pieces that have names. */
export function choices() {
  if (!isNamed()) return (state.view.game.kinds ?? [WHITE, BLACK]).filter((kind) => kind <= NEUTRAL);
  const { hands = [], labels } = state.view;
  return [...new Set([...labels, ...hands.flat()])].filter(Boolean).sort();
}

export function beginDraft() {
  const { labels, moves, pieces, to_move: [side = 0] } = state.view;
  state.draft = {
    n: SETTING, moves: moves.length, pieces: [...pieces], labels: [...labels], hands: [], marks: [], counts: [],
    chosen: choices()[0] ?? WHITE, toMove: side,
  };
  state.fault = null;
  state.past = SETTING;
  tell("past");
}

export function endDraft() {
  state.draft = null;
  state.fault = null;
  if (state.past === SETTING) state.past = null;
  tell("past");
}

/** @param {number | string} chosen */
export function choosePiece(chosen) {
  if (!state.draft) return;
  state.draft.chosen = chosen;
  tell("draft");
}

/** @param {number} side */
export function chooseMover(side) {
  if (state.draft) state.draft.toMove = side;
}

/** @param {Draft} draft @param {number} cell @param {number | string} piece */
function put(draft, cell, piece) {
  if (typeof piece === "number") {
    draft.pieces[cell] = piece;
    if (isNamed()) draft.labels[cell] = "";
    return;
  }
  const before = draft.labels.indexOf(piece); // there is one of each
  if (before >= 0) put(draft, before, 0);
  draft.pieces[cell] = piece === piece.toUpperCase() ? WHITE : BLACK;
  draft.labels[cell] = piece;
}

/**
 * Set the chosen piece on a cell, or take it away where it stands already.
 * @param {number} cell
 */
export function touchDraft(cell) {
  const { draft } = state;
  if (!draft || cell < 0 || isInTray(cell)) return;
  const stands = typeof draft.chosen === "number" ? draft.pieces[cell] : draft.labels[cell];
  put(draft, cell, stands === draft.chosen ? 0 : draft.chosen);
  changed();
}

export function emptyDraft() {
  const { draft } = state;
  if (!draft) return;
  draft.pieces.fill(0);
  draft.labels.fill("");
  changed();
}

function changed() {
  if (state.fault) {
    state.fault = null;
    tell("fault");
  }
  tell("looked");
}

/** Ask the table to play on from the draft; it says what is impossible. */
export function playDraft() {
  const { draft, view } = state;
  if (!draft) return;
  /** @type {Record<string, number | string>} */
  const pieces = {};
  draft.pieces.forEach((kind, cell) => {
    if (kind && !isInTray(cell)) pieces[view.game.names[cell]] = draft.labels[cell] || kind - 1;
  });
  wish({ do: "set-up", pieces, to_move: draft.toMove }, (refused) => {
    if (!refused) return endDraft();
    state.fault = refused;
    tell("fault");
  });
}

on("view", () => {
  const { draft, view } = state;
  if (!draft) return;
  const isAnotherGame = view.game.names.length !== draft.pieces.length || !maySetUp();
  if (isAnotherGame) endDraft();
});
// Who looks at a move of the past has left the draft.
on("past", () => {
  if (state.draft && state.past !== SETTING) endDraft();
});
