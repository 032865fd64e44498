// "What if": other moves tried from a position of a game that is over. The host plays them and keeps
// nothing; the game that ended stays as it is.

import { wish } from "./link.js";
import { on, state, tell, TRYING } from "./state.js";
import { list, say, sayText, wordOf } from "./words.js";

/** @typedef {[number, string]} Tried */

/** Whether other moves can be tried now. */
export const mayTry = () => Boolean(state.view?.outcome) && !state.view.lesson && state.wire === "up";

/** @param {Tried[]} line */
function ask(line) {
  if (!state.trial) return;
  state.trial.picked = [];
  wish({ do: "look", n: state.trial.n, line });
}

/** Begin to try other moves after `n` of the game's. @param {number} n */
export function beginTrial(n) {
  state.trial = { n, shown: null, picked: [] };
  state.past = TRYING;
  ask([]);
  tell("past");
}

/** Back to the position of the game from which other moves were tried. */
export function endTrial() {
  const n = state.trial?.n ?? null;
  state.trial = null;
  if (state.past === TRYING) state.past = n === state.view.moves.length ? null : n;
  tell("past");
}

/** @returns {Tried[]} */
const line = () => state.trial?.shown?.line?.map(({ side, text }) => /** @type {Tried} */ ([side, text])) ?? [];

/** @param {MayTry} move */
export const tryMove = (move) => ask([...line(), [move.side, move.text]]);

/** Take the last tried move back; before the first one the trial ends. */
export function stepBack() {
  const tried = line();
  if (tried.length) ask(tried.slice(0, -1));
  else endTrial();
}

/** The moves that act on all cells that were tapped. */
export const meant = () => {
  const { picked = [], shown = null } = state.trial ?? {};
  return (shown?.may ?? []).filter((move) => picked.every((cell) => move.cells.includes(cell)));
};

/** A tap on a cell while moves are tried. @param {number} cell */
export function touchTrial(cell) {
  const { trial } = state;
  if (!trial || cell < 0) return;
  trial.picked = [...trial.picked.filter((one) => one !== cell), cell];
  if (!meant().length) trial.picked = [cell];
  const found = meant();
  if (found.length === 1) {
    tryMove(found[0]);
    return;
  }
  if (!found.length) trial.picked = [];
  tell("trial");
}

/** A move as people read it. @param {MayTry} move */
export const toldOf = (move) => wordOf(state.view.game.slug, move.text) || move.said;

/** The sentence of this moment. */
export function trialSentence() {
  const { trial } = state;
  if (!trial) return "";
  const tried = trial.shown?.line ?? [];
  const ends = trial.shown?.ends ? ` ${sayText(trial.shown.ends)}` : "";
  if (!tried.length) return say("page.try.begin", { n: trial.n });
  return say("page.try.shown", { n: trial.n, line: list(tried.map(toldOf)) }) + ends;
}

/**
 * Take in what the host tells of moves that are tried; whether it does.
 * @param {Past} past
 */
export function hearTrial(past) {
  const { trial } = state;
  if (!past.line) return false;
  if (trial && past.n === trial.n) {
    trial.shown = past;
    tell("looked");
    tell("trial");
  }
  return true;
}

on("past view", () => {
  // Another game has begun, or somebody looks at a move of the game itself.
  if (state.trial && (!mayTry() || state.past !== TRYING)) {
    state.trial = null;
    if (state.past === TRYING) state.past = null;
    tell("past");
  }
});
