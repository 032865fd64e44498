// Light as it is composed over the wood: one canvas below the stones, with the glow of each cell, and
// one above them, with the rings around lit stones. Wood and stones are pictures of their own, so that
// a frame of light draws light alone.

import { cellPath, drawn, isAtTop } from "./board.js";
import { $ } from "./svg.js";

/** @typedef {[number, number, number]} Colour Shares of full light, linear. */

const GAMMA = 2.2;
/** Sharper than this nobody sees a glow. */
const MAX_PIXELS = 2;
/** Levels of a cell's bright middle that have a picture of their own. */
const CORES = 8;
const MAX_SPRITES = 256;
/** Below this share of full light a cell is dark. */
const DARK = 0.001;

const [glow, rings] = [$("glow"), $("rings")];

/** What of a light has to be drawn: its colour as eyes see it, its strength, whether a stone lies on it.
    @typedef {{ colour: number[]; strength: number; covered: boolean; x: number; y: number }} Lamp */

/** @type {(Lamp | null)[]} */
let lamps = [];
/** @type {{ x: number; y: number; width: number; lamp: Lamp | null }[]} */
let bars = [];
/** Whether the canvas below the stones, and the one above them, show something else than they should. */
let [changed, ringsChanged] = [false, false];
/** @type {Map<string, { bloom: HTMLCanvasElement; cell: HTMLCanvasElement }>} Pictures of a glow, by colour and middle. */
const sprites = new Map();
/** Where a mm of the board lies on the canvases, in their pixels. */
let place = { scale: 1, x: 0, y: 0, turn: 0 };

/** @param {number} i */
const keyed = (i) => (lamps[i] ? `${lamps[i]?.colour} ${lamps[i]?.strength} ${lamps[i]?.covered}` : "");

/**
 * Lay the canvases over the board as it was drawn, all dark.
 * @param {{ x: number; y: number; width: number }[]} edges Lights without a cell, in mm.
 */
export function placeLamps(edges) {
  lamps = drawn.profile.cells.map(() => null);
  bars = edges.map((edge) => ({ ...edge, lamp: null }));
  fit();
}

/** The same as the drawing above and below: its view box, met within the stage. */
export function fit() {
  const stage = $("stage");
  const [left, top, width, height] = drawn.plan.box;
  const sharp = Math.min(MAX_PIXELS, devicePixelRatio || 1);
  const scale = Math.min(stage.clientWidth / width, stage.clientHeight / height);
  place = {
    scale: scale * sharp,
    x: ((stage.clientWidth - width * scale) / 2 - left * scale) * sharp,
    y: ((isAtTop() ? 0 : (stage.clientHeight - height * scale) / 2) - top * scale) * sharp,
    turn: ((drawn.profile.turn ?? 0) * Math.PI) / 180,
  };
  for (const canvas of [glow, rings]) {
    canvas.width = Math.round(stage.clientWidth * sharp);
    canvas.height = Math.round(stage.clientHeight * sharp);
  }
  sprites.clear();
  changed = ringsChanged = true;
  draw();
}

/**
 * A light as eyes see it; null for a dark one.
 * @param {Colour} rgb
 * @param {boolean} covered
 * @param {Place} at
 * @returns {Lamp | null}
 */
function lampOf([r, g, b], covered, at) {
  const level = Math.max(r, g, b);
  if (level <= DARK) return null;
  const colour = [r, g, b].map((v) => Math.round((v / level) ** (1 / GAMMA) * 255));
  const strength = Math.round(Math.min(1, level) ** (1 / GAMMA) * 100) / 100;
  return { colour, strength, covered, x: at.x, y: at.y };
}

/**
 * The light of a cell from now on; `draw` shows it.
 * @param {number} i
 * @param {Colour} rgb
 * @param {boolean} covered Whether a stone lies on it.
 */
export function light(i, rgb, covered) {
  if (i >= lamps.length) return;
  const [before, was] = [keyed(i), lamps[i]?.covered];
  lamps[i] = lampOf(rgb, covered, drawn.profile.cells[i]);
  if (keyed(i) === before) return;
  changed = true;
  ringsChanged ||= Boolean(was) || covered;
}

/**
 * The light of a bar at the board's edge.
 * @param {number} i
 * @param {Colour} rgb
 */
export function lightBar(i, rgb) {
  const bar = bars[i];
  const [before, lamp] = [bar.lamp, lampOf(rgb, false, bar)];
  changed ||= String(before?.colour) !== String(lamp?.colour) || before?.strength !== lamp?.strength;
  bar.lamp = lamp;
}

/** @param {number[]} colour */
const css = (colour, alpha = 1) => `rgb(${colour.join(" ")} / ${alpha})`;

/**
 * A cell's glow at full strength, drawn once: its bloom around it, then the cell itself.
 * @param {number[]} colour
 * @param {number} core
 */
function spriteOf(colour, core) {
  const key = `${colour} ${core}`;
  const known = sprites.get(key);
  if (known) return known;
  if (sprites.size >= MAX_SPRITES) sprites.clear();
  const reach = drawn.profile.pitch_mm * 0.98;
  const size = Math.max(1, Math.ceil(2 * reach * place.scale));
  const small = Math.max(1, Math.ceil(drawn.profile.pitch_mm * 1.2 * place.scale));
  const [bloom, cell] = [size, small].map((side) => Object.assign(document.createElement("canvas"), { width: side, height: side }));
  const around = /** @type {CanvasRenderingContext2D} */ (bloom.getContext("2d"));
  const gradient = around.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
  gradient.addColorStop(0.25, css(colour, 0.7));
  gradient.addColorStop(1, css(colour, 0));
  around.fillStyle = gradient;
  around.fillRect(0, 0, size, size);

  const inside = /** @type {CanvasRenderingContext2D} */ (cell.getContext("2d"));
  inside.setTransform(place.scale, 0, 0, place.scale, small / 2, small / 2);
  const half = drawn.profile.pitch_mm * 0.5;
  const fill = inside.createRadialGradient(0, 0, 0, 0, 0, half);
  const white = colour.map((v) => Math.round(v + (255 - v) * 0.45 * (core / CORES)));
  fill.addColorStop(0, css(white));
  fill.addColorStop(0.5, css(colour, 0.9));
  fill.addColorStop(1, css(colour, 0.3));
  inside.fillStyle = fill;
  inside.fill(new Path2D(cellPath(0.55)));
  const made = { bloom, cell };
  sprites.set(key, made);
  return made;
}

/**
 * Draw a picture around a place, on whole pixels: between them each would be mixed of four.
 * @param {CanvasRenderingContext2D} context
 * @param {HTMLCanvasElement} picture
 * @param {number} x
 * @param {number} y
 */
const stamp = (context, picture, x, y) =>
  context.drawImage(picture, Math.round(x - picture.width / 2), Math.round(y - picture.height / 2));

/** Show all lights as they are now, if any changed. */
export function draw() {
  if (!changed) return;
  changed = false;
  const below = /** @type {CanvasRenderingContext2D} */ (glow.getContext("2d"));
  below.setTransform(1, 0, 0, 1, 0, 0);
  below.clearRect(0, 0, glow.width, glow.height);
  const lit = lamps.filter((lamp) => lamp !== null);
  /** @type {(lamp: Lamp) => Point} */
  const at = ({ x, y }) => [place.x + x * place.scale, place.y + y * place.scale];
  below.globalCompositeOperation = "lighter";
  for (const lamp of lit) {
    const [x, y] = at(lamp);
    const { bloom } = spriteOf(lamp.colour, Math.round(lamp.strength * CORES));
    below.globalAlpha = lamp.strength * lamp.strength * 0.5;
    stamp(below, bloom, x, y);
  }
  for (const lamp of lit) {
    const [x, y] = at(lamp);
    const { cell } = spriteOf(lamp.colour, Math.round(lamp.strength * CORES));
    below.globalAlpha = lamp.strength * 0.92;
    stamp(below, cell, x, y);
  }
  below.globalCompositeOperation = "source-over";
  const { scale } = place;
  const [along, across] = [scale * Math.cos(place.turn), scale * Math.sin(place.turn)];
  below.setTransform(along, across, -across, along, place.x, place.y);
  for (const { x, y, width, lamp } of bars) {
    if (!lamp) continue;
    below.globalAlpha = lamp.strength;
    below.fillStyle = css(lamp.colour);
    below.fillRect(x, y, width, 2);
  }
  if (ringsChanged) drawRings(lit.filter((lamp) => lamp.covered).map((lamp) => ({ ...lamp, at: at(lamp) })));
  ringsChanged = false;
}

/**
 * Light that shines out beside the stones which lie on it.
 * @param {(Lamp & { at: Point })[]} covered
 */
function drawRings(covered) {
  const above = /** @type {CanvasRenderingContext2D} */ (rings.getContext("2d"));
  above.clearRect(0, 0, rings.width, rings.height);
  above.lineWidth = 0.9 * place.scale;
  for (const { at: [x, y], colour, strength } of covered) {
    above.strokeStyle = css(colour, strength * 0.75);
    above.beginPath();
    above.arc(x, y, drawn.profile.pitch_mm * 0.366 * place.scale, 0, 2 * Math.PI);
    above.stroke();
  }
}

new ResizeObserver(() => drawn.plan && fit()).observe($("stage"));
