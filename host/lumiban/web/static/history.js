// Positions of the past, so that the list of moves can be stepped through: the host tells them.

import { onTable, wish } from "./link.js";
import { on, SETTING, state, tell, TRYING } from "./state.js";
import { hearTrial, openTrial } from "./trial.js";

/** Number of moves → what the host told of the position after them. */
/** @type {Map<number, Past>} */
let told = new Map();
/** @type {Set<number>} */
let asked = new Set();
/** @type {{ game: string; moves: string[] }} */
let before = { game: "", moves: [] };

/** @param {MoveShown} move */
const noted = (move) => `${move.side} ${move.text}`;

// What is known stays true as long as the game only goes on.
on("view", () => {
  const { game, hint, moves } = state.view;
  const now = { game: JSON.stringify([game.slug, game.options, game.cells, hint]), moves: moves.map(noted) };
  const goesOn = now.game === before.game && before.moves.every((text, i) => now.moves[i] === text);
  if (!goesOn) {
    told = new Map();
    asked = new Set();
  }
  before = now;
});

onTable("past", (past) => {
  if (past.line) {
    hearTrial(/** @type {Attempt} */ (past));
    return;
  }
  asked.delete(past.n);
  told.set(past.n, past);
  tell("looked");
});

// A lost line answers no more: what was asked is asked again.
on("wire", () => (asked = new Set()));

/**
 * What the host told of the position after `n` moves, null until it has.
 * @param {number} n
 */
export function positionAt(n) {
  if (n === SETTING) return state.draft;
  if (n === TRYING) return /** @type {Past | null} */ (state.trial?.shown ?? null);
  const past = told.get(n) ?? null;
  if (!past && !asked.has(n) && wish({ do: "look", n })) asked.add(n);
  return past;
}

// Other moves than the game's, tried once it is over.

/** Whether other moves can be tried now. */
export const mayTry = () => Boolean(state.view?.outcome) && !state.view.lesson && state.wire === "up";

/** Begin to try other moves after `n` of the game's. @param {number} n */
export function beginTrial(n) {
  state.past = TRYING;
  const { slug, sides } = state.view.game;
  openTrial({ n, slug, sides, ask: (line) => wish({ do: "look", n, line }), end: endTrial });
  tell("past");
}

/** Back to the position of the game from which other moves were tried. */
export function endTrial() {
  const n = state.trial?.n ?? null;
  state.trial = null;
  if (state.past === TRYING) state.past = n === state.view.moves.length ? null : n;
  tell("past");
}

on("past view", () => {
  // Another game has begun, or somebody looks at a move of the game itself.
  if (state.trial && (!mayTry() || state.past !== TRYING)) {
    state.trial = null;
    if (state.past === TRYING) state.past = null;
    tell("past");
  }
});
