// The simulator's truth about the board: what lies where, and what the sensors feel.

import { drawn, onBuild } from "./board.js";
import { hand, onHands } from "./link.js";
import { on, state, tell } from "./state.js";
import { draw } from "./svg.js";

/** Readings of this many mT fill the disc behind a figure. */
const STRONG_MT = 25;
/** Sensor noise is not worth a figure. */
const QUIET_MT = 0.15;

const AWAY = "page.error.simulator";

/** @type {{ profile: string; kinds: number[] } | null} What was told last, of whichever board. */
let heard = null;

/** A simulator may tell of another board before the table does: then it is not shown yet. */
function take() {
  const fits = heard && state.hello && heard.profile === state.hello.profile.name;
  if (!fits || state.world === heard?.kinds) return;
  state.world = heard?.kinds ?? null;
  tell("world");
}

onHands("world", (message) => {
  heard = message;
  take();
});
on("hello", take);

onHands("error", (message) => {
  // A hand that refuses its errand lifts nothing.
  for (const board of state.lifting) state.lifted.delete(board);
  state.lifting.clear();
  const fault = typeof message.text === "string" ? { id: message.text, params: {} } : message.text;
  // A change of boards takes less: then its hands are there again.
  if (fault.id === AWAY) setTimeout(() => state.hands || told(fault), 4000);
  else told(fault);
});

/** @param {typeof state.fault} fault */
function told(fault) {
  state.fault = fault;
  tell("fault");
}

on("hands", () => {
  if (state.hands && state.fault?.id === AWAY) told(null);
  if (state.hands && state.field) hand({ do: "field", on: true });
  if (!state.hands) heard = null;
  if (!state.hands && !state.hello?.simulated) state.world = null;
});

/** @type {{ disc: SVGElement; text: SVGElement }[]} */
let figures = [];

function build() {
  figures = [];
  if (!state.field) return;
  const r = drawn.profile.pitch_mm;
  figures = drawn.profile.cells.map((cell) => {
    const g = draw("g", { transform: `translate(${cell.x} ${cell.y})` }, drawn.layers.field);
    const disc = draw("circle", { r: 0 }, g);
    const text = draw("text", { y: r * 0.36 }, g);
    return { disc, text };
  });
}

onHands("field", (message) => {
  if (figures.length === 0) return;
  const most = drawn.profile.pitch_mm * 0.48;
  message.ut.forEach((/** @type {number} */ ut, /** @type {number} */ i) => {
    const mt = ut / 1000;
    const share = Math.min(1, Math.abs(mt) / STRONG_MT);
    figures[i].disc.setAttribute("r", (most * Math.sqrt(share)).toFixed(1));
    const sign = mt < 0 ? "−" : "+";
    figures[i].text.textContent = Math.abs(mt) < QUIET_MT ? "0" : sign + Math.abs(mt).toFixed(1);
  });
});

/**
 * Show or hide what each sensor feels, in mT.
 * @param {boolean} wanted
 */
export function showField(wanted) {
  state.field = wanted;
  hand({ do: "field", on: wanted });
  drawn.layers.field?.replaceChildren();
  if (drawn.profile) build();
}

onBuild(build);
