// "What if": other moves tried from a position of a game that is over. The host plays them and keeps
// nothing; the game that ended stays as it is. The table's page and that of finished games try alike.

import { state, tell } from "./state.js";
import { list, moveName, say, sayText } from "./words.js";

/** @param {Tried[]} line */
function ask(line) {
  if (!state.trial) return;
  state.trial.picked = [];
  state.trial.ask(line);
}

/**
 * Begin to try other moves after `n` of a game's.
 * @param {Pick<Trial, "n" | "slug" | "sides" | "ask" | "end">} where
 */
export function openTrial(where) {
  state.trial = { ...where, shown: null, picked: [] };
  ask([]);
}

/** @returns {Tried[]} */
const line = () => state.trial?.shown?.line?.map(({ side, text }) => /** @type {Tried} */ ([side, text])) ?? [];

/** @param {MayTry} move */
export const tryMove = (move) => ask([...line(), [move.side, move.text]]);

/** Take the last tried move back; before the first one the trial ends. */
export function stepBack() {
  const tried = line();
  if (tried.length) ask(tried.slice(0, -1));
  else state.trial?.end();
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
export const toldOf = (move) => moveName(state.trial?.slug ?? "", move);

/** The sentence of this moment. */
export function trialSentence() {
  const { trial } = state;
  if (!trial) return "";
  const tried = trial.shown?.line ?? [];
  const ends = trial.shown?.ends ? ` ${sayText(trial.shown.ends)}` : "";
  const start = trial.n ? say("page.try.after", { n: trial.n }) : say("page.try.first");
  if (!tried.length) return say("page.try.begin", { start });
  return say("page.try.shown", { start, line: list(tried.map(toldOf)) }) + ends;
}

/** Take in what the host tells of moves that are tried. @param {Attempt} told */
export function hearTrial(told) {
  const { trial } = state;
  if (!trial || told.n !== trial.n) return;
  trial.shown = told;
  tell("looked");
  tell("trial");
}
