// What is said aloud, as sentences: moves and whose turn politely, refusals at once. Nothing here
// touches the page: live.js listens and writes.

import { blocksInWords, changes, erasing, figures } from "./reading.js";
import { onlyMe, state } from "./state.js";
import { hasWord, moveName, say, sayText, sideName, wordName } from "./words.js";

/**
 * What was said last: who hears it again hears only what is new.
 * @typedef {{ moves: number; turn: string; whole: string; race: string; stopped: string; asked: boolean; figures: ReturnType<typeof figures>; erased: string; step: number }} Heard
 */

/**
 * The sentence beside the turn, as sentence.js makes it.
 * @typedef {{ tone: string; text: string; then?: string }} Sentence
 */

/**
 * "White, by 3.2 ms ± 1.1", or that the coin decided.
 * @param {RaceShown} race
 */
export function raceFigures(race) {
  /** @param {number} us */
  const ms = (us) => (us / 1000).toLocaleString(state.language, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  const params = { side: sideName(race.winner), ms: ms(race.by_us), spread: ms(race.uncertainty_us) };
  return say(race.tie ? "page.race.tie" : "page.race.figures", params);
}

/**
 * A move in words.
 * @param {MoveShown} move
 */
export function said(move) {
  const side = sideName(move.side);
  const { names, slug } = state.view.game;
  // A placement is a cell, with its colour before it where there are no turns.
  const [, how, cell] = /^([xwb])?([a-z]+\d+)$/.exec(move.text) ?? [];
  if (names.includes(cell)) return say(how === "x" ? "page.said.lift" : "page.said.place", { side, cell });
  if (/\d|^[+-]/.test(move.text) && !hasWord(slug, move.text)) return moveName(slug, move, "said");
  return say("page.said.word", { side, word: wordName(slug, move.text.replace(/ [wb]$/, "")) });
}

/**
 * What is new in the view: `polite` sentences, and a refusal (`urgent`, "" for none).
 * @param {Heard | null} before What was said of the view before, null at the start.
 * @param {string} headline
 * @param {Sentence} sentence
 */
export function news(before, headline, { tone, text, then }) {
  const { view } = state;
  const polite = [];
  const cells = erasing();
  const erased = String(cells);
  let step = 0;
  if (before) {
    const { moves } = view;
    const fresh = moves.slice(before.moves);
    if (fresh.length && fresh.length < 4) for (const move of fresh) polite.push(said(move));
    else if (moves.length < before.moves) polite.push(say("page.said.back"));
    step = fresh.length || !erased ? 0 : before.step;
    if (erased && (erased !== before.erased || fresh.length)) {
      step++;
      polite.push(say("page.said.chain", { n: step, blocks: blocksInWords(cells) }));
    }
    if (fresh.length < 4 && moves.length >= before.moves) polite.push(...changes(before.figures, fresh));
  }
  const race = JSON.stringify(view.race ?? null);
  if (before && view.race && race !== before.race) polite.push(raceFigures(view.race) + ".");
  const stopped = view.timeout ? sayText(view.timeout.text) : "";
  if (before && stopped && stopped !== before.stopped) polite.push(stopped);
  const turn = JSON.stringify([view.to_move, view.outcome, view.moves.length]);
  if (before?.turn !== turn && (view.outcome || view.to_move[0] === onlyMe())) polite.push(headline + ".");
  const whole = [text, then].filter(Boolean).join(" ");
  const isRefusal = tone === "error";
  const asked = Boolean(view.verdict.text);
  // What was to be put right, or waited for, is: a user who cannot see that hears whose turn it is.
  const isRight = before?.turn === turn && before.asked && !asked && !isRefusal;
  if (isRight && view.to_move[0] === onlyMe()) polite.push([`${headline}.`, whole].filter(Boolean).join(" "));
  if (!isRefusal && whole && before?.whole !== whole && view.verdict.text) polite.push(whole);
  /** @type {Heard} */
  const heard = { moves: view.moves.length, turn, whole, race, stopped, asked, figures: figures(), erased, step };
  return { polite, urgent: isRefusal ? whole : "", heard };
}
