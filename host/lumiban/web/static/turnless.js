// Play without turns: cells open to one side or the other, stands, dead stones, the photo finish
// and the time out.

import { drawn, cellPath, onBuild } from "./board.js";
import { pressButton } from "./play.js";
import { raceFigures } from "./speech.js";
import { answersFor, byFingers, isHuman, on, phase, state, tell, twoHands } from "./state.js";
import { $, draw, make, makeButton } from "./svg.js";
import { say, sayText, sideName } from "./words.js";

/**
 * To whom a cell is open: a side, or null.
 * @param {number} cell
 */
export const openTo = (cell) => {
  const side = state.view?.open?.findIndex((cells) => cells.includes(cell)) ?? -1;
  return side < 0 ? null : side;
};

/** Whether the page tells it: not where no hints are wanted. */
export const tellsOpen = () => Boolean(state.view?.open) && state.view.hint !== "none" && phase().takes;

function drawOpen() {
  const g = drawn.layers.open;
  g?.replaceChildren();
  if (!g || !tellsOpen() || state.view.outcome) return;
  const { view } = state;
  const p = drawn.profile.pitch_mm;
  view.game.cells.forEach((board, cell) => {
    if (view.pieces[cell]) return;
    const { x, y } = drawn.profile.cells[board];
    drawOpenness(openTo(cell), draw("g", { transform: `translate(${x} ${y})` }, g), p);
  });
}

/**
 * Whose a cell is to place on, around (0, 0): a side's, or null for closed to both.
 * @param {number | null} side
 * @param {Element} parent
 * @param {number} p
 */
export function drawOpenness(side, parent, p) {
  if (side === null) {
    draw("path", { class: "closed", d: `M${-p * 0.08} 0H${p * 0.08}` }, parent);
    return;
  }
  const one = draw("g", { "data-role": side ? "black" : "white", "data-open": side }, parent);
  draw("path", { d: cellPath(2), fill: `url(#hatch-${side ? "two" : "one"})`, opacity: 0.55 }, one);
  if (side) draw("rect", { class: "sign solid", x: -p * 0.1, y: -p * 0.1, width: p * 0.2, height: p * 0.2, transform: "rotate(45)" }, one);
  else draw("circle", { class: "sign hollow", r: p * 0.13 }, one);
}

function drawDead() {
  const g = drawn.layers.dead;
  g?.replaceChildren();
  if (!g || state.past !== null) return;
  const p = drawn.profile.pitch_mm;
  for (const cell of state.view?.dead ?? []) {
    const { x, y } = drawn.profile.cells[state.view.game.cells[cell]];
    const dead = draw("g", { "data-role": "error", transform: `translate(${x} ${y})` }, g);
    const d = `M${-p * 0.2} ${-p * 0.2}L${p * 0.2} ${p * 0.2}M${p * 0.2} ${-p * 0.2}L${-p * 0.2} ${p * 0.2}`;
    draw("path", { class: "mark-case", d, "stroke-width": 2.8 }, dead);
    draw("path", { d, stroke: "currentColor", "stroke-width": 1.6 }, dead);
    draw("circle", { r: p * 0.43, stroke: "currentColor", "stroke-width": 1.2, "stroke-dasharray": "2 2" }, dead);
  }
}

/**
 * A large button for each person's side: stand, or ready after a time out.
 * @param {string} ask
 * @param {string} done
 * @param {(side: number) => boolean} pressed
 * @param {(side: number) => boolean} disabled
 */
function sideButtons(ask, done, pressed, disabled) {
  return state.view.seats.filter(({ side }) => isHuman(side)).map(({ side }) => {
    const button = makeButton(
      () => pressButton(side),
      { class: "side", "data-side": side, "aria-pressed": String(pressed(side)) },
      make("span", { class: "chip", "data-kind": side + 1 }),
      say(pressed(side) ? done : ask, { side: sideName(side) }),
    );
    button.disabled = !answersFor(side) || pressed(side) || disabled(side);
    return button;
  });
}

function stands() {
  const { view } = state;
  if (!view.turnless || view.outcome || view.timeout || state.past !== null) return [];
  /** @param {number} side */
  const may = (side) => view.words[side]?.includes("stand");
  if (view.lesson?.words.length) return []; // the lesson has buttons for what it asks for
  if (![0, 1].some((side) => may(side) || view.stands[side])) return [];
  return sideButtons("page.stand", "page.stand.done", (side) => view.stands[side], (side) => !may(side));
}

/** @type {ReturnType<typeof setTimeout>[]} */
let beats = [];

/**
 * Three dots that fill with the beats; the last one starts play again.
 * @param {number[]} times
 */
function beatDots(times) {
  for (const timer of beats) clearTimeout(timer);
  const dots = times.map(() => make("span", { class: "beat" }));
  beats = times.map((at, i) => setTimeout(() => dots[i].classList.add("on"), Math.max(0, at)));
  return make("p", { class: "beats", role: "img", "aria-label": say("page.timeout.beats") }, ...dots);
}

function panel() {
  const { view } = state;
  const out = [];
  if (view.race && state.past === null) {
    const cell = view.game.names[view.race.cell] ?? "";
    out.push(make("p", { class: "race" },
      make("span", { class: "what" }, say("page.race", { cell })),
      make("strong", {}, raceFigures(view.race))));
  }
  if (view.timeout) {
    const { text, confirmed, beats_at_ms: at } = view.timeout;
    out.push(make("p", { class: "timeout" }, make("strong", {}, say("page.timeout")), make("span", {}, sayText(text))));
    if (at) out.push(beatDots(at));
    else if (!view.prompt?.steps.length) out.push(make("div", { class: "row sides" }, ...sideButtons("page.ready", "page.ready.done", (side) => confirmed[side], () => false)));
  }
  const stand = stands();
  if (stand.length) out.push(make("div", { class: "row sides" }, ...stand));
  if (twoHands() && !byFingers() && !state.view.outcome) out.push(hands());
  return out;
}

/** Who plays by keys and who by pointer, where two people sit at one page. */
const hands = () => makeButton(changeHands, { class: "hands" }, say("page.hands", {
  keys: sideName(state.keysSide), pointer: sideName(1 - state.keysSide),
}));

export function changeHands() {
  if (!twoHands()) return;
  state.keysSide = 1 - state.keysSide;
  tell("picked");
  show();
}

/** The side whose keys these are stands. */
export function standByKey() {
  const { view } = state;
  const side = twoHands() ? state.keysSide : view?.seats.find((seat) => seat.who === "human")?.side;
  if (view?.turnless && side !== undefined) pressButton(side);
}

let shown = "";

function show() {
  const { view } = state;
  if (!view) return;
  drawOpen();
  drawDead();
  const { race, timeout, stands: now, words, outcome, seats, prompt } = view;
  const key = JSON.stringify([race, timeout, now, words, outcome, seats, prompt?.steps.length, state.language, state.role, state.wire, state.past === null, state.keysSide, view.turnless, view.lesson?.words]);
  if (key === shown) return; // a button that somebody is about to press stays
  shown = key;
  const focused = document.activeElement?.closest?.("#turnless button")?.dataset.side;
  $("turnless").replaceChildren(...panel());
  if (focused) $("turnless").querySelector(`[data-side="${focused}"]`)?.focus();
}

onBuild(show);
on("view words role wire past network", show);
