// The light in the cells: what the LEDs would show. On a simulated board it is the frame that the
// firmware computed, told by `/hands`; on a real one the page plays the same effects itself.

import { drawn, cellPath, onBuild } from "./board.js";
import { onHands } from "./link.js";
import { on, state } from "./state.js";
import { draw } from "./svg.js";
import { BLINK, BREATHE, CHASE, FAST_BLINK, PROOF, PULSE, PULSE_B, STEADY } from "./wire.js";

/** @typedef {[number, number, number]} Colour Shares of full light, linear. */

const GAMMA = 2.2;
const still = matchMedia("(prefers-reduced-motion: reduce)");
/** With reduced motion a light keeps its brightest level of so long: rhythm becomes steadiness. */
const HOLD_MS = 1700;

/** @type {{ bloom: SVGElement; fill: SVGElement; rim: SVGElement; inner: SVGElement; outer: SVGElement; core: SVGElement; now: string }[]} */
let shown = [];
/** @type {{ level: number; rgb: Colour; at: number }[]} */
let held = [];

function build() {
  const { light, rims } = drawn.layers;
  const path = cellPath(0.55);
  const pitch = drawn.profile.pitch_mm;
  shown = drawn.profile.cells.map((cell, i) => {
    const at = { transform: `translate(${cell.x} ${cell.y})`, opacity: 0 };
    const bloom = draw("circle", { class: "bloom", r: pitch * 0.98, fill: `url(#bloom-${i})`, ...at }, light);
    const fill = draw("path", { d: path, fill: `url(#light-${i})`, ...at }, light);
    const rim = draw(
      "circle",
      { r: pitch * 0.366, fill: "none", stroke: "currentColor", "stroke-width": 0.9, ...at },
      rims,
    );
    return {
      bloom,
      fill,
      rim,
      inner: drawn.svg.querySelector(`#light-${i}`),
      outer: drawn.svg.querySelector(`#bloom-${i}`),
      core: drawn.svg.querySelector(`#light-${i}`).firstElementChild,
      now: "",
    };
  });
  held = shown.map(() => ({ level: 0, rgb: [0, 0, 0], at: 0 }));
  drawEdges();
  if (frame) paintFrame();
}

/**
 * Show one cell's light; r, g, b are shares of full light, linear.
 * @param {number} i
 * @param {number} r
 * @param {number} g
 * @param {number} b
 */
function glow(i, r, g, b) {
  const cell = shown[i];
  const level = Math.max(r, g, b);
  const key = `${r.toFixed(3)},${g.toFixed(3)},${b.toFixed(3)}`;
  if (!cell || key === cell.now) return;
  cell.now = key;
  if (level <= 0.001) {
    for (const part of [cell.fill, cell.bloom, cell.rim]) part.setAttribute("opacity", 0);
    return;
  }
  /** @param {number} v */
  const eye = (v) => (v / level) ** (1 / GAMMA) * 255;
  const colour = [eye(r), eye(g), eye(b)].map(Math.round);
  const strength = Math.min(1, level) ** (1 / GAMMA);
  const white = colour.map((v) => Math.round(v + (255 - v) * 0.45 * strength));
  cell.inner.style.color = `rgb(${colour})`;
  cell.outer.style.color = `rgb(${colour})`;
  cell.rim.style.color = `rgb(${colour})`;
  cell.core.setAttribute("stop-color", `rgb(${white})`);
  cell.fill.setAttribute("opacity", (strength * 0.92).toFixed(3));
  cell.bloom.setAttribute("opacity", (strength * strength * 0.5).toFixed(3));
  cell.rim.setAttribute("opacity", covered(i) ? (strength * 0.75).toFixed(3) : "0");
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
    glow(i, ...(still.matches ? calm(i, ...rgb, now) : rgb));
  });
  for (const [light, bar] of bars) barGlow(bar, lightOf(light));
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

/** @param {number} ms */
function paintView(ms) {
  const { lights, palette } = state.view;
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
  drawn.profile.cells.forEach((cell, i) => glow(i, ...one(cell.light)));
  for (const [light, bar] of bars) barGlow(bar, one(light));
}

let beating = false;
/** @param {number} ms */
function beat(ms) {
  beating = !state.hello?.simulated && Boolean(state.view?.lights) && Boolean(drawn.profile);
  if (!beating) return;
  paintView(ms);
  requestAnimationFrame(beat);
}

on("view hello", () => {
  if (!beating) requestAnimationFrame(beat);
});

/** A stone came or went: the light around it looks different. */
export function repaint() {
  for (const cell of shown) cell.now = "";
  if (frame && state.hello?.simulated) paintFrame();
}

// Lights without a cell: bars along the near and the far edge.

/** @type {Map<number, SVGElement>} */
let bars = new Map();

function drawEdges() {
  bars = new Map();
  const { plan, profile, layers } = drawn;
  const [halfX, halfY] = profile.turned ? [plan.halfY, plan.halfX] : [plan.halfX, plan.halfY];
  const g = draw("g", profile.turned ? { transform: "rotate(90)" } : {}, layers.light);
  /** @type {Record<string, number>} */
  const sign = { far: -1, near: 1 };
  Object.entries(profile.edges ?? {}).forEach(([name, lights], row) => {
    const y = (sign[name] ?? (row % 2 ? -1 : 1)) * (halfY - plan.margin * 0.42);
    const width = halfX * 0.9;
    lights.forEach((light, k) => {
      const x = -width / 2 + (width / lights.length) * k;
      const box = { x: x + 1, y: y - 1, width: width / lights.length - 2, height: 2, rx: 1 };
      bars.set(light, draw("rect", { ...box, fill: "currentColor", opacity: 0 }, g));
    });
  });
}

/**
 * @param {SVGElement} bar
 * @param {number[]} rgb
 */
function barGlow(bar, rgb) {
  const level = Math.max(...rgb);
  bar.setAttribute("opacity", level > 0.001 ? (Math.min(1, level) ** (1 / GAMMA)).toFixed(3) : "0");
  if (level > 0.001) {
    bar.style.color = `rgb(${rgb.map((v) => Math.round((v / level) ** (1 / GAMMA) * 255))})`;
  }
}

onBuild(build);
