// The light in the cells: what the LEDs would show. On a simulated board it is the frame that the
// firmware computed, told by `/hands`; on a real one the page plays the same effects itself.

import { drawn, onBuild } from "./board.js";
import { draw, light, lightBar, placeLamps } from "./lamps.js";
import { onHands } from "./link.js";
import { on, state } from "./state.js";
import { BLINK, BREATHE, CHASE, FAST_BLINK, PROOF, PULSE, PULSE_B, STEADY } from "./wire.js";

/** @typedef {import("./lamps.js").Colour} Colour */

const GAMMA = 2.2;
const still = matchMedia("(prefers-reduced-motion: reduce)");
/** With reduced motion a light keeps its brightest level of so long: rhythm becomes steadiness. */
const HOLD_MS = 1700;

/** @type {{ level: number; rgb: Colour; at: number }[]} */
let held = [];

function build() {
  held = drawn.profile.cells.map(() => ({ level: 0, rgb: [0, 0, 0], at: 0 }));
  placeLamps(edges());
  if (frame) paintFrame();
  else beatOnce();
}

/** @param {number} i */
const covered = (i) => Boolean(state.world ? state.world[i] : stoneOn(i));
/** @param {number} board */
function stoneOn(board) {
  const cell = state.view?.game.cells.indexOf(board) ?? -1;
  return cell >= 0 && state.view.sensed[cell];
}

/**
 * @param {number} i
 * @param {number} r
 * @param {number} g
 * @param {number} b
 * @param {number} now
 * @returns {Colour}
 */
function calm(i, r, g, b, now) {
  const level = Math.max(r, g, b);
  const kept = held[i];
  // A light of another colour has another meaning: it shows at once.
  const other = level > 0.001 && kept.level > 0.001 && hue(r, g, b) !== hue(...kept.rgb);
  if (other || level >= kept.level || now - kept.at > HOLD_MS) {
    held[i] = { level, rgb: [r, g, b], at: now };
    return [r, g, b];
  }
  return kept.rgb;
}

/**
 * A coarse name of a colour, the same at all levels of one light.
 * @param {number} r
 * @param {number} g
 * @param {number} b
 */
function hue(r, g, b) {
  const most = Math.max(r, g, b);
  return [r, g, b].map((v) => Math.round((v / most) ** (1 / GAMMA) * 4)).join();
}

// Simulated: frames from the firmware.

let frame = "";
let due = false;
let settling = 0;

onHands("light", (message) => {
  frame = message.rgb;
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    paintFrame();
  });
});

/**
 * @param {number} index
 * @returns {Colour}
 */
function lightOf(index) {
  const at = index * 6;
  return /** @type {Colour} */ ([0, 2, 4].map((k) => parseInt(frame.slice(at + k, at + k + 2), 16) / 255 || 0));
}

function paintFrame() {
  if (!drawn.profile) return;
  const now = performance.now();
  drawn.profile.cells.forEach((cell, i) => {
    const rgb = lightOf(cell.light);
    light(i, still.matches ? calm(i, ...rgb, now) : rgb, covered(i));
  });
  bars.forEach((number, i) => lightBar(i, lightOf(number)));
  draw();
  if (still.matches) {
    clearTimeout(settling); // what is held must fade even if no further frame comes
    settling = setTimeout(paintFrame, HOLD_MS + 50);
  }
}

// Real: palette and effects of the view. The levels follow the firmware's tables.

/** @param {number} share */
const wave = (share) => (1 - Math.cos(2 * Math.PI * share)) / 2;
/** @type {Record<number, (ms: number) => number>} */
const EFFECTS = {
  [STEADY]: () => 1,
  [BLINK]: (ms) => (ms % 1000 < 500 ? 1 : 0),
  [FAST_BLINK]: (ms) => (ms % 400 < 200 ? 1 : 0),
  [BREATHE]: (ms) => 0.25 + 0.75 * wave((ms % 1200) / 1200),
  [PULSE]: (ms) => 0.16 + 0.84 * wave((ms % 1600) / 1600),
  [PULSE_B]: (ms) => 0.16 + 0.84 * wave(((ms + 800) % 1600) / 1600),
  [PROOF]: (ms) => (ms % 1700 < 150 || (ms % 1700 >= 350 && ms % 1700 < 500) ? 1 : 0),
  [CHASE]: (ms) => Math.max(0.06, 1 - (ms % 1600) / 530),
};
const CHASE_MS = 100;

/** A room sees the film of a resting board; a player there sees their own game. */
const lit = () => (state.watching && state.view.lobby?.film?.lights) || state.view.lights;

/** @param {number} ms */
function paintView(ms) {
  const lights = lit();
  const { palette } = state.view;
  /**
   * @param {number} index
   * @returns {Colour}
   */
  const one = (index) => {
    const [entry, effect] = lights[index] ?? [0, STEADY];
    const level = still.matches ? 1 : EFFECTS[effect]?.(effect === CHASE ? ms + 1e6 - index * CHASE_MS : ms) ?? 1;
    const full = palette[entry] ?? [0, 0, 0];
    return /** @type {Colour} */ (full.map((v) => (v / 255) ** GAMMA * level));
  };
  drawn.profile.cells.forEach((cell, i) => light(i, one(cell.light), covered(i)));
  bars.forEach((number, i) => lightBar(i, one(number)));
  draw();
}

let beating = false;

/** Whether any light changes by itself: else the next view is soon enough. */
const moves = () => !still.matches && lit().some(([entry, effect]) => entry && effect !== STEADY);

/** @param {number} ms */
function beat(ms) {
  beating = !state.hello?.simulated && Boolean(state.view?.lights) && Boolean(drawn.profile);
  if (!beating) return;
  paintView(ms);
  beating = moves();
  if (beating) requestAnimationFrame(beat);
}

function beatOnce() {
  if (beating) return;
  beating = true;
  requestAnimationFrame(beat);
}

on("view hello", beatOnce);

/** A stone came or went: the light around it looks different. */
export function repaint() {
  if (!drawn.profile) return;
  if (frame && state.hello?.simulated) paintFrame();
  else beatOnce();
}

// Lights without a cell: bars along the near and the far edge.

/** @type {number[]} The lights' numbers, in the order of their bars. */
let bars = [];

/** Where these bars lie, mm. */
function edges() {
  const { plan, profile } = drawn;
  const [halfX, halfY] = [plan.ownX + plan.margin, plan.ownY + plan.margin];
  /** @type {Record<string, number>} */
  const sign = { far: -1, near: 1 };
  bars = Object.values(profile.edges ?? {}).flat();
  return Object.entries(profile.edges ?? {}).flatMap(([name, lights], row) => {
    const y = (sign[name] ?? (row % 2 ? -1 : 1)) * (halfY - plan.margin * 0.42);
    const width = halfX * 0.9;
    return lights.map((_, k) => ({ x: -width / 2 + (width / lights.length) * k + 1, y: y - 1, width: width / lights.length - 2 }));
  });
}

onBuild(build);
