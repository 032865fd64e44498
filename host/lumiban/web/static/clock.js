// The clocks of the game: what the host told of them, counted down between its views.

import { onTable } from "./link.js";
import { kindOf, on, state } from "./state.js";
import { $, make } from "./svg.js";
import { say, sayText, sideName } from "./words.js";

/** So many seconds before a stage ends it is told to who cannot see it. */
const THRESHOLDS = [60, 30, 10];

/** When the view came that the clocks are counted from, ms of the page's own clock. */
let since = 0;
let ticking = 0;
/** What was last told of each clock: its stage, its periods, and the seconds that it showed. */
/** @type {{ stage: string; periods: number | null; seconds: number }[]} */
let heard = [];
let built = "";

/** The clocks of the view, where time is counted. */
const shownClock = () => /** @type {ClocksShown} */ (state.view.clock);

/**
 * A time as a clock shows it, in whole seconds begun.
 * @param {number} ms
 */
export function digits(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  /** @param {number} n */
  const two = (n) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * What is left of a clock's stage now, ms.
 * @param {ClockShown} clock
 * @param {number} number
 * @param {number | null} running
 */
function leftOf(clock, number, running) {
  const gone = number === running ? performance.now() - since : 0;
  return Math.max(0, clock.left_ms - gone);
}

/** @param {number} number */
const nameOf = (number) => (shownClock().clocks.length > 1 ? sideName(number) : say("page.clock.game"));

/**
 * What stands beside the time: the stage, the periods that are left, what comes after.
 * @param {ClockShown} clock
 */
function about({ stage, periods, moves, later_ms: later }) {
  const parts = [];
  if (stage === "reserve") parts.push(say("page.clock.reserve"));
  if (periods !== null) parts.push(say("page.clock.periods.left", { n: periods }));
  if (moves !== null && stage === "period") parts.push(say("page.clock.moves", { n: moves }));
  if (periods === null && moves === null && later) parts.push(say("page.clock.later", { time: digits(later) }));
  return parts.join(", ");
}

/**
 * The same in a narrow window: "×3" periods, "/14" moves.
 * @param {ClockShown} clock
 */
function briefly({ stage, periods, moves }) {
  if (periods !== null) return `×${periods}`;
  return moves !== null && stage === "period" ? `/${moves}` : "";
}

/** Why no clock runs; "" where one does, or all is over. */
function standing() {
  const { moves, outcome } = state.view;
  if (shownClock().running !== null || outcome) return "";
  return say(moves.length ? "page.clock.stands" : "page.clock.starts");
}

/**
 * The time of a clock, with a sign where it runs.
 * @param {number} number
 */
export function timer(number) {
  const clock = shownClock();
  const one = clock.clocks[number];
  const runs = number === clock.running;
  const told = runs ? [make("span", { class: "unseen" }, say("page.clock.runs"))] : [];
  return make("span", { class: "time", title: about(one) },
    make("span", { class: "sign", "aria-hidden": "true" }, runs ? "▶" : ""),
    make("span", { class: "digits", "data-clock": number, role: "timer", "aria-live": "off" }, digits(leftOf(one, number, clock.running))),
    make("span", { class: "brief", "aria-hidden": "true" }, briefly(one)), ...told);
}

/** What the clocks tell beside their times; null where there are none. */
export function stages() {
  const { clock } = state.view;
  return clock ? [clock.running, clock.clocks.map(({ stage, periods, moves: owed, later_ms: later }) => [stage, periods, owed, later])] : null;
}

function build() {
  const clock = shownClock();
  const rows = clock.clocks.map((one, number) => {
    const chip = clock.clocks.length > 1 ? [make("span", { class: "chip", "data-kind": kindOf(number) })] : [];
    return make("li", number === clock.running ? { "data-runs": "" } : {},
      make("span", { class: "who" }, ...chip, make("span", { class: "name" }, nameOf(number))), timer(number), make("small", {}, about(one)));
  });
  $("clocks").replaceChildren(make("ul", {}, ...rows), make("p", { class: "how" }, [sayText(clock.text), standing()].filter(Boolean).join(" · ")));
}

/**
 * Tell the end of a stage, and how little is left of one, once each.
 * @param {ClockShown} clock
 * @param {number} number
 * @param {number} seconds
 */
function speak(clock, number, seconds) {
  const before = heard[number];
  heard[number] = { stage: clock.stage, periods: clock.periods, seconds };
  if (!before || number !== shownClock().running) return;
  const side = nameOf(number);
  if (before.stage === "main" && clock.stage !== "main") $("clock-said").textContent = say("page.clock.said.stage", { side });
  else if (clock.stage === "reserve" && before.stage !== "reserve") $("clock-said").textContent = say("page.clock.said.reserve", { side });
  else if (clock.periods !== null && before.periods !== null && clock.periods < before.periods) $("clock-said").textContent = say("page.clock.said.periods", { side, n: clock.periods });
  else {
    const passed = THRESHOLDS.find((at) => before.seconds > at && seconds <= at);
    if (passed) $("clock-said").textContent = say("page.clock.said.left", { side, seconds: passed });
  }
}

function tick() {
  clearTimeout(ticking);
  const { clock } = state.view ?? {};
  if (!clock) return;
  let wait = 0;
  clock.clocks.forEach((one, number) => {
    const left = leftOf(one, number, clock.running);
    const text = digits(left);
    for (const shown of document.querySelectorAll(`[data-clock="${number}"]`)) {
      if (shown.textContent !== text) shown.textContent = text;
      shown.closest("li").toggleAttribute("data-short", left <= 10_000 && one.later_ms === 0);
    }
    speak(one, number, Math.ceil(left / 1000));
    if (number === clock.running) wait = left % 1000 || 1000;
  });
  if (clock.running !== null && wait) ticking = setTimeout(tick, wait + 5);
}

/** @type {{ v: number; clock: ClocksShown } | null} The view that a line begins with may be old: the
    host tells the time of now with it. */
let timed = null;

function useTime() {
  if (timed?.v !== state.view?.v) return;
  state.view.clock = timed?.clock;
  timed = null;
  show();
}

onTable("time", (message) => {
  timed = message;
  useTime();
});

function show() {
  const { view } = state;
  if (!view) return;
  $("clocks").hidden = !view.clock;
  document.documentElement.toggleAttribute("data-clock", Boolean(view.clock));
  if (!view.clock) {
    clearTimeout(ticking);
    heard = [];
    return;
  }
  since = performance.now();
  const { clock, moves, outcome } = view;
  const key = JSON.stringify([stages(), clock.text, moves.length > 0, Boolean(outcome), state.language, view.game.sides]);
  if (key !== built) build();
  built = key;
  tick();
}

on("view", () => {
  show();
  useTime();
});
on("words", () => {
  built = "";
  show();
});
