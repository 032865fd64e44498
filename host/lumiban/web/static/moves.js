// The list of moves, which can be stepped through, the counts, taking back, and words to say.

import { wish } from "./link.js";
import { lookBack, sayWord, takeBack } from "./play.js";
import { positionAt } from "./history.js";
import { acts, answersFor, isHost, isHuman, isSolo, kindOf, on, state } from "./state.js";
import { $, make, makeButton, onClick, target } from "./svg.js";
import { ANSWERS, hasWord, isAct, moveName, say, sayAny, sideName, wordName } from "./words.js";

/** @type {string[]} */
let listed = [];

/**
 * @param {MoveShown} move
 * @param {number} n
 */
function item(move, n) {
  const button = make(
    "button",
    { type: "button", "data-n": n, tabindex: -1 },
    make("span", { class: "n" }, String(n)), " ",
    make("span", { class: "chip", "data-kind": kindOf(move.side) }),
    make("span", { class: "text" }, shortly(move)),
  );
  return make("li", {}, button);
}

/** @param {MoveShown} move */
const shortly = (move) => moveName(state.view.game.slug, move);

function showMoves() {
  const { moves } = state.view;
  /** @param {MoveShown} move */
  const key = (move) => `${move.side} ${move.text} ${shortly(move)}`;
  let same = 0;
  while (same < listed.length && same < moves.length && listed[same] === key(moves[same])) same++;
  const list = $("moves");
  if (same < listed.length || (same === 0 && moves.length)) list.replaceChildren(...moves.map((move, i) => item(move, i + 1)));
  else for (let i = same; i < moves.length; i++) list.append(item(moves[i], i + 1));
  if (moves.length === 0) list.replaceChildren(make("li", { class: "none" }, say("page.moves.none")));
  const grew = moves.length !== listed.length;
  listed = moves.map(key);
  mark(grew);
}

/** @param {boolean} scroll */
function mark(scroll) {
  const shown = state.trial?.n ?? state.past ?? listed.length;
  for (const button of $("moves").querySelectorAll("button")) {
    const n = Number(button.dataset.n);
    const move = state.view.moves[n - 1];
    if (!move) continue; // a position was set up, and the list is not rewritten yet
    button.setAttribute("aria-label", say("page.moves.one", { n, side: sideName(move.side), move: shortly(move) }));
    // One stop for the Tab key in the whole list; arrows go on from there.
    button.tabIndex = n === Math.max(shown, 1) ? 0 : -1;
    if (n === shown) {
      button.setAttribute("aria-current", "step");
      if (scroll) keepInSight(button);
    } else button.removeAttribute("aria-current");
  }
  /** @type {Record<string, boolean>} */
  const at = { first: shown === 0, back: shown === 0, on: shown === listed.length, last: state.past === null };
  for (const button of $("steps").querySelectorAll("button")) button.disabled = at[button.dataset.step];
}

function keepCurrent() {
  const button = $("moves").querySelector("[aria-current]");
  if (button) keepInSight(button);
}

/**
 * Scroll the list only: scrollIntoView would move the page and its drawer too.
 * @param {HTMLElement} button
 */
function keepInSight(button) {
  const list = $("moves");
  const [top, bottom] = [button.offsetTop - list.offsetTop, button.offsetTop - list.offsetTop + button.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

function showCounts() {
  const { view } = state;
  const { slug } = view.game;
  for (const cell of $("counts").querySelectorAll("[data-count]")) {
    const name = cell.dataset.count;
    cell.textContent = sayAny([`game.${slug}.count.${name}`], say(`page.count.${name}`));
  }
  const counts = (state.past === null ? view : positionAt(state.past) ?? {}).counts;
  // A game from a file may count nothing.
  $("counts").hidden = !view.counts?.length;
  const rows = view.game.sides.map((_, side) => {
    const name = make("span", {}, make("span", { class: "chip", "data-kind": kindOf(side) }), sideName(side));
    const { stones = "", territory = "" } = counts?.[side] ?? {};
    const row = make(
      "tr",
      view.to_move.includes(side) ? { "data-moves": "" } : {},
      make("th", { scope: "row" }, name),
      make("td", {}, String(stones)),
      make("td", {}, String(territory)),
    );
    return row;
  });
  $("counts").tBodies[0].replaceChildren(...rows);
}

/**
 * Words are final: the first press asks, the second one says it.
 * @param {number} side
 * @param {string} word
 * @param {boolean} named
 */
export function wordButton(side, word, named) {
  const { slug } = state.view.game;
  const plain = named ? say("page.word.side", { side: sideName(side), word: wordName(slug, word) }) : wordName(slug, word);
  const ask = () => {
    button.classList.remove("sure");
    button.textContent = plain;
  };
  const button = makeButton(() => {
    if (button.classList.contains("sure")) {
      ask(); // a word that may be said again is asked for again
      sayWord(side, word);
      return;
    }
    button.classList.add("sure");
    button.textContent = say("page.word.sure", { word: plain });
  }, {}, plain);
  button.addEventListener("blur", ask);
  return button;
}

let worded = "";

/**
 * Short words first: they share a line with what stands before them.
 * @param {string} a
 * @param {string} b
 */
const short = (a, b) => wordName(state.view.game.slug, a).length - wordName(state.view.game.slug, b).length;

/**
 * Words for buttons: where stones of several colours may be set, the hand says which and where.
 * @param {number} side
 */
function spoken(side) {
  const { game, legal, words } = state.view;
  const said = words[side] ?? [];
  // These have large buttons of their own beside the turn.
  const plain = said.filter((word) => ![...ANSWERS, "stand", "claim"].includes(word)).sort(short);
  return (legal.kinds?.length ?? 0) > 1 ? plain.filter((word) => hasWord(game.slug, word)) : plain;
}

/**
 * Of these the words by which this side may make its turn: they stand beside it.
 * @param {number} side
 */
export const actsByWord = (side) => (state.view.turnless || state.view.lit ? [] : spoken(side).filter(isAct));

/** What may be asked of the table at any time, where pieces have names. */
function tableWords() {
  const { audit, drift, outcome } = state.view;
  /**
   * @param {string} id
   * @param {PageRequest} message
   */
  const button = (id, message) => makeButton(() => wish(message), {}, say(id));
  /** @type {HTMLElement[]} */
  const out = [];
  if (!isHost() || outcome) return out;
  if (drift === "may") out.push(button("page.recentre", { do: "recentre" }));
  if (audit && !audit.asks && !audit.advised) out.push(button("page.audit", { do: "audit" }));
  return out;
}

function showWords() {
  const { view } = state;
  const sides = view.seats.map((seat) => seat.side).filter((side) => answersFor(side) && !(isSolo() && side > 0));
  const { outcome, stop_offers: offers = [], to_move } = view;
  // Who is not to move says only what answers the other one.
  /** @type {(side: number, word: string) => boolean} */
  const isDue = (side, word) => Boolean(outcome) || sides.length < 2 || to_move.includes(side) || (word === "stop" && offers.length > 0);
  const rest = sides.map((side) => spoken(side).filter((word) => !actsByWord(side).includes(word) && isDue(side, word)));
  const key = JSON.stringify([sides, rest, state.language, view.game.sides, view.drift, view.audit, isHost()]);
  if (key === worded) return;
  worded = key;
  $("words").replaceChildren(
    ...sides.flatMap((side, n) => rest[n].map((word) => wordButton(side, word, sides.length > 1))),
    ...tableWords(),
  );
}

/** The side of the last person that moved: a seat takes back its own moves alone. */
const lastPerson = () => state.view.moves.findLast((move) => isHuman(move.side))?.side ?? -1;

function show() {
  if (!state.view) return;
  if (state.past !== null && state.past >= state.view.moves.length) state.past = null;
  showCounts();
  showMoves();
  $("steps").hidden = !state.view.moves.length;
  showWords();
  for (const button of document.querySelectorAll(".takeback")) {
    button.hidden = state.view.turnless || !acts() || !state.view.can_takeback || !answersFor(lastPerson());
  }
}

/** @type {Record<string, (now: number) => number>} */
const STEPS = {
  first: () => 0,
  back: (now) => now - 1,
  on: (now) => now + 1,
  last: () => Infinity,
};

onClick("moves", (event) => {
  const button = target(event).closest("button");
  if (button) lookBack(Number(button.dataset.n));
});
$("moves").addEventListener("keydown", (event) => {
  const by = { ArrowUp: -2, ArrowDown: 2, ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (!by || !target(event).dataset.n) return;
  event.preventDefault();
  event.stopPropagation();
  const n = Math.max(1, Math.min(listed.length, Number(target(event).dataset.n) + by));
  lookBack(n);
  $("moves").querySelector(`[data-n="${n}"]`)?.focus();
});
onClick("steps", (event) => {
  const button = target(event).closest("button");
  if (button) lookBack(STEPS[button.dataset.step](state.trial?.n ?? state.past ?? state.view.moves.length));
});
for (const button of document.querySelectorAll(".takeback")) button.addEventListener("click", takeBack);

new ResizeObserver(() => keepCurrent()).observe($("moves"));

on("view words role wire network", show);
on("past", () => state.view && mark(true));
on("past looked", () => state.view && showCounts());
