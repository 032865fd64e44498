// Rengi's blocks and figures, of our own making: a form inside each block tells its colour.

import { state } from "./state.js";
import { draw } from "./svg.js";
import { say } from "./words.js";

/** @param {number} r */
const circle = (r) => `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`;
/** @param {number} a */
const square = (a) => `M${-a} ${-a}H${a}V${a}H${-a}Z`;

/** The form of each colour: diamond, ring, triangle, cross; ojama have none. */
/** @type {Record<string, (p: number) => string>} */
export const FORMS = {
  R: (p) => `M0 ${-p * 0.21}L${p * 0.21} 0L0 ${p * 0.21}L${-p * 0.21} 0Z`,
  B: (p) => circle(p * 0.17) + circle(p * 0.07),
  Y: (p) => `M0 ${-p * 0.2}L${p * 0.2} ${p * 0.16}H${-p * 0.2}Z`,
  G: (p) => {
    const [a, b] = [p * 0.2, p * 0.07];
    return `M${-b} ${-a}H${b}V${-b}H${a}V${b}H${b}V${a}H${-b}V${b}H${-a}V${-b}H${-b}Z`;
  },
};
/** @type {Record<string, string>} */
export const ROLES = { R: "red", B: "blue", Y: "yellow", G: "green", O: "ojama" };

/**
 * A block of a colour around (0, 0), `p` wide; without it a form alone.
 * @param {string} letter
 * @param {Element} parent
 * @param {number} p
 */
export function drawBlock(letter, parent, p, look = "whole") {
  const a = p * 0.42;
  draw("rect", { class: `block ${look}`, x: -a, y: -a, width: 2 * a, height: 2 * a, rx: p * 0.13 }, parent);
  if (FORMS[letter]) draw("path", { class: `form ${look}`, d: FORMS[letter](p), "fill-rule": "evenodd" }, parent);
  else for (const x of [-0.13, 0.13]) draw("circle", { class: `form ${look}`, cx: x * p, cy: 0, r: p * 0.05 }, parent);
}

/**
 * @param {string} letter
 * @param {string} look
 * @returns {(g: SVGElement, p: number) => void}
 */
const block = (letter, look) => (g, p) => drawBlock(letter, g, p, look);
/**
 * @param {number} n
 * @returns {(g: SVGElement, p: number) => void}
 */
const bars = (n) => (g, p) => {
  for (let i = 0; i < n; i++) draw("rect", { class: "bar", x: p * (0.17 * i - 0.085 * n), y: -p * 0.2, width: p * 0.1, height: p * 0.4 }, g);
};

/** What is drawn for each meaning of light that lies on a cell: [role, drawing]. */
/** @type {Record<string, [string, (g: SVGElement, p: number) => void]>} */
export const BLOCKS = {
  "block-r": ["red", block("R", "whole")],
  "block-b": ["blue", block("B", "whole")],
  "block-y": ["yellow", block("Y", "whole")],
  "block-g": ["green", block("G", "whole")],
  ojama: ["ojama", block("O", "whole")],
  "ghost-r": ["red", block("R", "ghostly")],
  "ghost-b": ["blue", block("B", "ghostly")],
  "ghost-y": ["yellow", block("Y", "ghostly")],
  "ghost-g": ["green", block("G", "ghostly")],
  "ghost-ojama": ["ojama", block("O", "ghostly")],
  "landing-r": ["red", block("R", "landing")],
  "landing-b": ["blue", block("B", "landing")],
  "landing-y": ["yellow", block("Y", "landing")],
  "landing-g": ["green", block("G", "landing")],
  erased: ["warn", (g, p) => draw("path", { class: "erasing", d: square(p * 0.45) }, g)],
  coming: ["ojama", (g, p) => draw("path", { class: "arrow", d: `M${-p * 0.16} ${-p * 0.1}L0 ${p * 0.1}L${p * 0.16} ${-p * 0.1}` }, g)],
  // Below the word that stands on its cell.
  touch: ["legal", (g, p) => draw("path", { class: "arrow", d: circle(p * 0.15), transform: `translate(0 ${p * 0.14})` }, g)],
  few: ["ojama", bars(1)],
  some: ["ojama", bars(2)],
  many: ["ojama", bars(3)],
};

/**
 * What light lies on a cell, in words.
 * @param {number} cell
 */
export const litSays = (cell) =>
  state.view.marks.filter((mark) => mark.cell === cell && BLOCKS[mark.meaning]).map((mark) => say(`page.rengi.mark.${mark.meaning}`));
