// Stones on the board: discs with a rim, a highlight and a contact shadow. Also what is missing,
// as a dashed outline, and what should not be there.

import { drawn, onBuild } from "./board.js";
import { repaint } from "./light.js";
import { drawDove } from "./doves.js";
import { positionAt } from "./history.js";
import { gameCell, isNamed, kindsNow, nameOn, on, state } from "./state.js";
import { draw } from "./svg.js";
import { BLACK, FOREIGN, MASKED, NEUTRAL, STACKED, UNKNOWN, WHITE } from "./wire.js";

/** @type {Record<number, string>} */
const FILLS = { [WHITE]: "ivory", [BLACK]: "slate", [NEUTRAL]: "terracotta" };
/** @type {Record<number, string>} */
const RIMS = { [WHITE]: "#cfc2a6", [BLACK]: "#6f7985", [NEUTRAL]: "#8e3524" };
/** @type {Record<number, string>} */
const INLAYS = { [WHITE]: "#cdbfa2", [BLACK]: "#111316", [NEUTRAL]: "#8e3524" };
/** @type {Record<number, string>} */
const SIGNS = { [UNKNOWN]: "?", [STACKED]: "2", [FOREIGN]: "!" };

/** Radius of a stone, in pitches. */
export const STONE = 0.365;

/**
 * Draw a stone of this kind around (0, 0).
 * @param {number} kind
 * @param {number} r
 * @param {Element} parent
 */
export function drawStone(kind, r, parent) {
  const g = draw("g", { class: "stone", "data-kind": kind }, parent);
  draw("ellipse", { cx: r * 0.1, cy: r * 0.2, rx: r * 1.22, ry: r * 1.2, fill: "url(#contact)" }, g);
  draw("circle", { r, fill: `url(#${FILLS[kind] ?? "strange"})` }, g);
  draw("circle", { r: r - 0.25, fill: "none", stroke: RIMS[kind] ?? "#555", "stroke-width": 0.5, opacity: 0.8 }, g);
  if (kind === WHITE) {
    draw("circle", { r: r * 0.66, fill: "none", stroke: INLAYS[WHITE], "stroke-width": 0.55, opacity: 0.75 }, g);
  } else if (kind === BLACK) {
    draw("circle", { r: r * 0.2, fill: INLAYS[BLACK], stroke: "#4b525b", "stroke-width": 0.4 }, g);
  } else if (kind === NEUTRAL) {
    draw("path", { d: `M${-r * 0.4} 0H${r * 0.4}M0 ${-r * 0.4}V${r * 0.4}`, stroke: INLAYS[NEUTRAL], "stroke-width": 0.6 }, g);
  } else {
    const sign = draw("text", { "text-anchor": "middle", "dominant-baseline": "central", "font-size": r, fill: "#15110d" }, g);
    sign.textContent = SIGNS[kind] ?? "·";
  }
  draw("ellipse", { cx: -r * 0.3, cy: -r * 0.42, rx: r * 0.42, ry: r * 0.26, transform: `rotate(-28 ${-r * 0.3} ${-r * 0.42})`, fill: "url(#gloss)", opacity: kind === BLACK ? 0.42 : 0.8 }, g);
  return g;
}

/**
 * Draw a piece: a stone, or the dove of this name.
 * @param {number} kind
 * @param {string} name
 * @param {number} r
 * @param {Element} parent
 */
export const drawPiece = (kind, name, r, parent) =>
  isNamed() && kind <= BLACK ? drawDove(kind, name, r, parent) : drawStone(kind, r, parent);

/** @type {SVGElement[]} */
let slots = [];
/** @type {string[]} */
let shapes = [];

function build() {
  slots = drawn.profile.cells.map((cell) =>
    draw("g", { transform: `translate(${cell.x} ${cell.y})` }, drawn.layers.stones),
  );
  shapes = slots.map(() => "");
  show(false);
}

/** The kind on each board cell as it is shown: now, or at the moment of the past that is open. */
export function shownKinds() {
  const { view } = state;
  const out = drawn.profile.cells.map(() => 0);
  if (state.past !== null) {
    const then = positionAt(state.past)?.pieces ?? [];
    view.game.cells.forEach((board, cell) => (out[board] = then[cell] ?? 0));
    return out;
  }
  kindsNow().forEach((kind, board) => (out[board] = kind));
  // Stones of light lie nowhere and count all the same.
  for (const cell of view?.light ?? []) out[view.game.cells[cell]] ||= view.pieces[cell];
  return out;
}

/**
 * The name of the piece that is shown on a board cell, "" where pieces of a kind are alike.
 * @param {number} board
 * @param {number} kind
 */
export function shownName(board, kind) {
  const cell = state.view ? gameCell(board) : -1;
  if (cell < 0 || !kind) return "";
  return state.past === null ? nameOn(cell, kind) : positionAt(state.past)?.labels[cell] ?? "";
}

/** @param {number} board */
const isLight = (board) => {
  const cell = gameCell(board);
  return state.past === null && cell >= 0 && Boolean(state.view?.light?.includes(cell)) && !kindsNow()[board];
};

function show(moving = true) {
  if (!drawn.profile || slots.length === 0) return;
  const wanted = shownKinds();
  let changed = false;
  slots.forEach((slot, i) => {
    const kind = wanted[i] ?? 0;
    const name = shownName(i, kind);
    const light = kind > 0 && isLight(i);
    const shape = `${kind} ${name} ${light} ${isNamed()}`;
    if (shape === shapes[i]) return;
    // A dove that only now is known by name does not settle again.
    const known = shapes[i].startsWith(`${kind} `);
    for (const old of [...slot.children]) remove(old, moving && !known);
    changed = true;
    shapes[i] = shape;
    if (kind === 0 || kind === MASKED) return;
    const r = drawn.profile.pitch_mm * STONE;
    const stone = light ? drawLight(kind, r, slot) : drawPiece(kind, name, r, slot);
    if (moving && !known && state.past === null) stone.classList.add("fresh");
  });
  drawn.svg.classList.toggle("past", state.past !== null);
  if (changed) repaint();
  showNumbers();
  showGhosts();
}

/** The numbers on cells that players need to see, now or at the moment of the past that is open. */
export const shownNumbers = () => (state.past === null ? state.view.numbers : positionAt(state.past)?.numbers) ?? [];

let numbered = "";

/** They stand on the stone or on the free cell. */
function showNumbers() {
  const { view } = state;
  const layer = drawn.layers.numbers;
  if (!layer || !view) return;
  const numbers = shownNumbers();
  const kinds = shownKinds();
  const wanted = JSON.stringify([numbers, kinds, drawn.profile.name]);
  if (wanted === numbered && layer.childElementCount) return;
  numbered = wanted;
  const { pitch_mm: p, cells } = drawn.profile;
  layer.replaceChildren();
  numbers.forEach((number, cell) => {
    const board = view.game.cells[cell];
    if (!number) return;
    const on = kinds[board] === WHITE ? "white" : kinds[board] ? "dark" : "free";
    const { x, y } = cells[board];
    draw("text", { x, y, "font-size": p * 0.34, class: on }, layer).textContent = number;
  });
}

/**
 * A stone that is light alone: a ring that glows, nothing to touch.
 * @param {number} kind
 * @param {number} r
 * @param {Element} parent
 */
function drawLight(kind, r, parent) {
  const g = draw("g", { class: "stone of-light", "data-kind": kind, "data-role": kind === BLACK ? "black" : "white" }, parent);
  draw("circle", { class: "glow", r }, g);
  draw("circle", { class: "rim", r: r * 0.92 }, g);
  if (kind === BLACK) draw("circle", { class: "core", r: r * 0.28 }, g);
  else draw("circle", { class: "rim", r: r * 0.6 }, g);
  return g;
}

/**
 * @param {Element} stone
 * @param {boolean} moving
 */
function remove(stone, moving) {
  if (!moving || state.past !== null || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    stone.remove();
    return;
  }
  stone.classList.replace("fresh", "gone") || stone.classList.add("gone");
  stone.addEventListener("animationend", () => stone.remove(), { once: true });
}

function showGhosts() {
  const layer = drawn.layers.ghosts;
  layer.replaceChildren();
  const { view } = state;
  if (!view || state.past !== null) return;
  const step = view.prompt?.steps[0];
  const missing = new Map();
  if (step?.do === "place") missing.set(step.cell, step.kind);
  // A real board may miss pieces without asking for them yet.
  const light = new Set(view.light ?? []);
  if (!state.world) view.pieces.forEach((kind, cell) => kind && !view.sensed[cell] && !light.has(cell) && missing.set(cell, kind));
  for (const [cell, kind] of missing) {
    const { x, y } = drawn.profile.cells[view.game.cells[cell]];
    const r = drawn.profile.pitch_mm * STONE;
    draw("circle", { class: "ghost", cx: x, cy: y, r, stroke: kind === BLACK ? "#9aa6b4" : "#f2ead8" }, layer);
  }
}

onBuild(build);
on("world view past looked", () => show());
