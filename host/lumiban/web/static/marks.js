// Marks: patterns over the light, so that colour never stands alone. One drawing a meaning.

import { cellPath, drawn, onBuild } from "./board.js";
import { positionAt } from "./history.js";
import { BLOCKS } from "./rengi_blocks.js";
import { isNamed, on, state } from "./state.js";
import { shownNumbers } from "./stones.js";
import { draw } from "./svg.js";
import { tellsOpen } from "./turnless.js";

/** @param {number | null} n */
const side = (n) => (n === 1 ? "black" : n === 0 ? "white" : "legal");

/**
 * Stroke a path twice: a dark case below, so that it is seen on ivory and slate alike.
 * @param {Element} parent
 * @param {string} d
 * @param {number} width
 */
function line(parent, d, width, extra = {}) {
  draw("path", { class: "mark-case", d, "stroke-width": width + 1, ...extra }, parent);
  draw("path", { d, stroke: "currentColor", "stroke-width": width, ...extra }, parent);
}

/** @param {number} r */
const circle = (r) => `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`;

/**
 * Eight points around a cell, seen beside whatever stands there.
 * @param {number} r
 */
const star = (r) => {
  const points = [];
  for (let k = 0; k < 16; k++) {
    const [reach, turn] = [k % 2 ? r : r * 0.8, (Math.PI / 8) * k];
    points.push(`${reach * Math.cos(turn)} ${reach * Math.sin(turn)}`);
  }
  return `M${points.join("L")}Z`;
};

/**
 * @param {SVGElement} g
 * @param {number} p
 */
function diamond(g, p) {
  const a = p * 0.11;
  draw("path", { d: `M0 ${-a}L${a} 0L0 ${a}L${-a} 0Z`, fill: "currentColor", stroke: "rgb(15 12 10 / .7)", "stroke-width": 0.6 }, g);
}

/** What stands around or beside a piece that has a letter or a number, instead of on it. */
/** @type {Record<string, string>} */
const BESIDE_LETTERS = { last: "last-around", won: "won-beside", "may-place": "may-place-below" };

/** meaning → [role or null for the side's, drawing]; p is the pitch. */
/** @type {Record<string, [string | null, (g: SVGElement, p: number) => void]>} */
const LOOKS = {
  "may-place": ["legal", (g, p) => {
    draw("circle", { r: p * 0.085, fill: "rgb(15 12 10 / .55)" }, g);
    draw("circle", { r: p * 0.06, fill: "currentColor" }, g);
  }],
  "may-place-below": ["legal", (g, p) => {
    draw("circle", { cy: p * 0.31, r: p * 0.085, fill: "rgb(15 12 10 / .55)" }, g);
    draw("circle", { cy: p * 0.31, r: p * 0.06, fill: "currentColor" }, g);
  }],
  "may-place-neutral": ["legal", (g, p) => {
    const a = p * 0.13;
    line(g, `M${-a} 0H${a}M0 ${-a}V${a}`, 0.9);
  }],
  "lift-target": ["legal", (g, p) => {
    line(g, circle(p * 0.27), 1.1);
    draw("circle", { r: p * 0.06, fill: "currentColor" }, g);
  }],
  removable: ["legal", (g, p) => line(g, circle(p * 0.415), 0.9, { "stroke-dasharray": "3.1 2.5" })],
  "machine-to": [null, (g, p) => {
    line(g, circle(p * 0.415), 1);
    line(g, circle(p * 0.22), 0.8);
  }],
  "machine-from": [null, (g, p) => {
    line(g, circle(p * 0.415), 1, { "stroke-dasharray": "5 3" });
    const a = p * 0.11;
    line(g, `M${-a} ${a * 0.5}L0 ${-a * 0.6}L${a} ${a * 0.5}`, 1);
  }],
  mend: ["error", (g, p) => {
    const a = p * 0.15;
    line(g, `M${-a} ${-a}L${a} ${a}M${a} ${-a}L${-a} ${a}`, 1.5);
  }],
  proof: ["warn", (g, p) => {
    const [a, y] = [p * 0.13, p * -0.05];
    line(g, `M${-a} ${y}L0 ${y + a}L${a} ${y}M${-a} ${y - a * 0.9}L0 ${y + a * 0.1}L${a} ${y - a * 0.9}`, 1.2);
  }],
  pending: ["warn", (g, p) => {
    const inner = draw("g", { class: "breathing" }, g);
    line(inner, circle(p * 0.3), 1.3, { "stroke-dasharray": "0.1 3.2" });
  }],
  tally: ["warn", (g, p) => line(g, circle(p * 0.415), 1.3)],
  // What play without turns adds has drawings of its own on the page; these serve the help.
  astray: ["error", (g, p) => {
    const a = p * 0.2;
    line(g, `M${-a} ${-a}L${a} ${a}M${a} ${-a}L${-a} ${a}`, 1.6);
    line(g, circle(p * 0.43), 1, { "stroke-dasharray": "2 2" });
  }],
  "light-stone": [null, (g, p) => {
    line(g, circle(p * 0.33), 1, { "stroke-dasharray": "2.4 1.4" });
    line(g, circle(p * 0.2), 0.7);
  }],
  advice: ["legal", (g, p) => line(g, star(p * 0.44), 1.1)],
  "advice-also": ["legal", (g, p) => line(g, star(p * 0.44), 0.7, { "stroke-dasharray": "2.2 1.8" })],
  beat: ["warn", (g, p) => line(g, circle(p * 0.38), 0.8)],
  barred: ["error", (g, p) => {
    const a = p * 0.07;
    line(g, `M${-a} ${-a}L${a} ${a}`, 0.9);
  }],
  wall: ["warn", (g, p) => {
    const a = p * 0.3;
    line(g, `M${-a} ${-a}H${a}V${a}H${-a}Z`, 0.6, { "stroke-dasharray": "1.5 2" });
  }],
  short: ["warn", (g, p) => {
    const a = p * 0.36;
    line(g, `M${-a} 0L0 ${-a}L${a} 0L0 ${a}Z`, 0.9);
  }],
  last: [null, (g, p) => line(g, circle(p * 0.14), 0.9)],
  "last-around": [null, (g, p) => line(g, circle(p * 0.45), 1)],
  won: [null, diamond],
  "won-beside": [null, (g, p) => diamond(draw("g", { transform: `translate(${p * 0.36} ${p * -0.36})` }, g), p)],
};

Object.assign(LOOKS, BLOCKS);

const FALLING = new Set(["coming"]);
const OPENNESS = new Set(["owned", "may-place", "astray", "light-stone"]);

/** Meanings that are explained in the help, in this order. */
export const EXPLAINED = ["may-place", "may-place-neutral", "lift-target", "removable", "last", "advice", "advice-also", "machine-to", "pending", "tally", "mend", "proof", "owned-0", "owned-1", "astray", "light-stone", "barred", "wall", "short"];

/**
 * Draw a mark around (0, 0).
 * @param {string} meaning
 * @param {number | null} whose
 * @param {Element} parent
 * @param {number} pitch
 */
export function drawMark(meaning, whose, parent, pitch) {
  if (meaning === "owned") return drawOwned(whose, parent, pitch);
  const look = LOOKS[meaning];
  if (!look) return;
  const g = draw("g", { class: `mark-${meaning}`, "data-role": look[0] ?? side(whose) }, parent);
  look[1](g, pitch);
}

/**
 * A side's cells: hatched for the first side, cross-hatched for the second.
 * @param {number | null} whose
 * @param {Element} parent
 * @param {number} pitch
 */
function drawOwned(whose, parent, pitch) {
  const r = pitch * 0.4;
  const path = drawn.profile ? cellPath(2) : circle(r);
  const g = draw("g", { "data-role": side(whose) }, parent);
  draw("path", { d: path, fill: `url(#hatch-${whose === 1 ? "two" : "one"})`, opacity: 0.5 }, g);
}

function show() {
  const { view } = state;
  if (!drawn.profile) return;
  const { marks, hatch } = drawn.layers;
  marks.replaceChildren();
  hatch.replaceChildren();
  if (!view) return;
  const found = state.past === null ? view.marks : positionAt(state.past)?.marks ?? [];
  const own = new Set(found.filter((mark) => mark.meaning === "may-place").map((mark) => mark.cell));
  for (const mark of found) {
    // As in the light: where an own stone may go too, that is what shows.
    if (mark.meaning === "may-place-neutral" && own.has(mark.cell)) continue;
    const cell = drawn.profile.cells[view.game.cells[mark.cell]];
    if (!cell) continue; // a mark on the edge, not on a cell
    // Play without turns has its own picture of what is open to whom.
    if (tellsOpen() && OPENNESS.has(mark.meaning)) continue;
    const layer = mark.meaning === "owned" ? hatch : marks;
    // What falls, falls the way of the board, turned or not.
    const turn = FALLING.has(mark.meaning) && drawn.turn ? ` rotate(${drawn.turn})` : "";
    const g = draw("g", { transform: `translate(${cell.x} ${cell.y})${turn}` }, layer);
    // A dove's letter and a stack's height stay free.
    const around = isNamed() || shownNumbers()[mark.cell] ? BESIDE_LETTERS[mark.meaning] : undefined;
    drawMark(around ?? mark.meaning, mark.side, g, drawn.profile.pitch_mm);
  }
}

/**
 * Light up cells (of the game) that prove a refusal; [] ends that.
 * @param {number[]} cells
 */
export function showProof(cells) {
  const layer = drawn.layers.proofs;
  if (!layer) return;
  layer.replaceChildren();
  for (const cell of cells) {
    const place = drawn.profile.cells[state.view.game.cells[cell]];
    draw("path", { d: cellPath(0.8), transform: `translate(${place.x} ${place.y})` }, layer);
  }
}

onBuild(show);
on("view past looked", show);
