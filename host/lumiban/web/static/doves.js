// Doves: round for the first side, with eight sides for the second; ticks around the letter show how
// each one goes, and the boss has a crown. The same shapes as the program's pictures.

import { draw } from "./svg.js";
import { WHITE } from "./wire.js";

/** @type {Record<string, string>} */
const WALKS = { B: "step8", A: "step8", Y: "step+", M: "stepx", T: "far", H: "leap" };
/** @type {Record<string, number[]>} */
const TURNS = { step8: [0, 8], "step+": [0, 4], far: [0, 4], stepx: [1, 4] };
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];

/**
 * Draw the dove of this letter around (0, 0); without a letter its back, as nobody knows it.
 * @param {number} kind
 * @param {string} letter
 * @param {number} r
 * @param {Element} parent
 */
export function drawDove(kind, letter, r, parent) {
  const g = draw("g", { class: "stone dove", "data-kind": kind, "data-name": letter }, parent);
  draw("ellipse", { cx: r * 0.1, cy: r * 0.2, rx: r * 1.22, ry: r * 1.2, fill: "url(#contact)" }, g);
  if (kind === WHITE) draw("circle", { class: "body", r: r * 1.05 }, g);
  else draw("path", { class: "body", d: octagon(r * 1.13) }, g);
  walk(WALKS[letter.toUpperCase()], r, g);
  if (letter.toUpperCase() === "B") draw("path", { class: "crown", d: crown(r) }, g);
  const text = draw("text", { class: "letter", "font-size": r * 1.05, y: r * 0.06 }, g);
  text.textContent = letter || "·";
  return g;
}

/** @param {number} r */
const octagon = (r) => {
  const corners = [...Array(8).keys()].map((k) => {
    const turn = (Math.PI / 8) * (2 * k + 1);
    return `${(r * Math.cos(turn)).toFixed(2)} ${(r * Math.sin(turn)).toFixed(2)}`;
  });
  return `M${corners.join("L")}Z`;
};

/** @param {number} r */
const crown = (r) =>
  `M${[[-0.36, -0.36], [-0.44, -0.68], [-0.19, -0.52], [0, -0.77], [0.19, -0.52], [0.44, -0.68], [0.36, -0.36]]
    .map(([x, y]) => `${(x * r).toFixed(2)} ${(y * r).toFixed(2)}`).join("L")}Z`;

/**
 * @param {string} how
 * @param {number} r
 * @param {SVGElement} g
 */
function walk(how, r, g) {
  if (how === "leap") {
    for (const [x, y] of LEAPS) {
      const at = (r * 0.84) / Math.hypot(1, 2);
      draw("circle", { class: "tick", cx: x * at, cy: y * at, r: r * 0.09 }, g);
    }
    return;
  }
  const [odd, count] = TURNS[how] ?? [0, 0];
  const [inner, outer] = how === "far" ? [0.66, 1] : [0.8, 0.96];
  for (let k = 0; k < count; k++) {
    const turn = ((2 * Math.PI) / count) * k + (odd * Math.PI) / 4;
    const [x, y] = [r * Math.cos(turn), r * Math.sin(turn)];
    draw("path", { class: how === "far" ? "tick far" : "tick", d: `M${x * inner} ${y * inner}L${x * outer} ${y * outer}`, "stroke-width": r * (how === "far" ? 0.09 : 0.14) }, g);
  }
}
