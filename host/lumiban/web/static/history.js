// Positions of the past, so that the list of moves can be stepped through. The page remembers what
// it saw; what it missed (after a reload) it works out from the moves' notation.

import { state } from "./state.js";

let game = "";
let seen = new Map();

/** Remember the position of a view. */
export function remember(view) {
  const key = JSON.stringify([view.game.slug, view.game.options, view.game.cells]);
  const same = key === game && [...seen.values()].every((past) => fits(past, view.moves));
  if (!same) {
    seen = new Map();
    game = key;
  }
  seen.set(view.moves.length, { pieces: view.pieces, moves: texts(view.moves) });
}

const texts = (moves) => moves.map((move) => `${move.side} ${move.text}`);

function fits(past, moves) {
  const now = texts(moves);
  return past.moves.every((text, i) => i >= now.length || text === now[i]);
}

/** The kind on each game cell after `n` moves, null when it cannot be known. */
export function positionAt(n) {
  const exact = seen.get(n);
  if (exact && exact.moves.length === n) return exact.pieces;
  return workedOut(n);
}

/** Play placements (`c4`) and removals (`xc4`) from the empty board; null for other notations. */
function workedOut(n) {
  const { names } = state.view.game;
  const pieces = names.map(() => 0);
  for (const move of state.view.moves.slice(0, n)) {
    const [, lifts, name] = /^(x?)([a-z]+\d+)$/.exec(move.text) ?? [];
    const cell = names.indexOf(name);
    if (cell < 0) {
      if (/^[a-z-]+$/.test(move.text)) continue; // a word moves no piece
      return null;
    }
    pieces[cell] = lifts ? 0 : move.side + 1;
  }
  return pieces;
}
