// The board on screen: table shadow, wooden body and frosted cells below; light, stones, marks and
// hands above, each in a layer of its own. Everything is drawn from the profile's geometry.

import { cellCorners, isHex, layOut, linesOf, nearestTurn, outline, points, roundedPath, turnStep } from "./geometry.js";
import { callAll, isNamed, kindsUsed, on, state } from "./state.js";
import { $, draw } from "./svg.js";

const [ground, board, stage] = [$("ground"), $("board"), $("stage")];

/** The board that is drawn now; parts are filled by the modules that own them. */
export const drawn = {
  /** The profile as it is seen: its cells may lie turned. */
  // Not there before the first drawing: who draws earlier asks `if (!drawn.profile)`.
  profile: /** @type {Profile} */ (/** @type {unknown} */ (null)),
  plan: /** @type {Plan} */ (/** @type {unknown} */ (null)),
  /** @type {SVGElement[]} Per board cell its focusable element. */
  cells: [],
  /** @type {Record<string, SVGElement>} */
  layers: {},
  /** Degrees by which the game's picture is turned for the player at this page; the table may
      turn it on its board, too, which is not seen here. */
  turn: 0,
  svg: board,
};

/** @type {(() => unknown)[]} */
const builders = [];

/**
 * Call `act` after each new drawing of the board.
 * @param {() => unknown} act
 */
export const onBuild = (act) => builders.push(act);

const LAYERS = [
  "trays", "hatch", "fields", "loop", "open", "cells", "labels", "choices", "bowls", "target", "ghosts", "stones",
  "numbers", "proofs", "marks", "dead", "ranks", "hands", "field",
];

/** Layers that have names of their own; what else is drawn is told by the cells. */
const SPOKEN = new Set(["cells", "bowls", "loop"]);

/**
 * @param {Element} svg
 * @param {Profile} profile
 */
function definitions(svg, profile) {
  const defs = draw("defs", {}, svg);
  /**
   * @param {string} id
   * @param {[number, string, number?][]} stops
   */
  const gradient = (id, stops, place = {}) => {
    const element = draw("radialGradient", { id, ...place }, defs);
    for (const [offset, colour, opacity = 1] of stops) {
      draw("stop", { offset, "stop-color": colour, "stop-opacity": opacity }, element);
    }
  };
  const lit = { cx: 0.36, cy: 0.3, r: 0.78 };
  gradient("ivory", [[0, "#fffdf6"], [0.45, "#f2ead8"], [0.82, "#dccfb4"], [1, "#b9aa8b"]], lit);
  gradient("slate", [[0, "#59616b"], [0.38, "#31363d"], [0.8, "#23262b"], [1, "#15171a"]], lit);
  gradient("terracotta", [[0, "#ea9078"], [0.45, "#c8553d"], [0.85, "#a63f2a"], [1, "#7d2c1c"]], lit);
  gradient("strange", [[0, "#b9b2a6"], [0.6, "#8d867a"], [1, "#6a645a"]], lit);
  gradient("gloss", [[0, "#fff", 0.75], [1, "#fff", 0]]);
  gradient("contact", [[0.55, "#000", 0.75], [0.8, "#000", 0.35], [1, "#000", 0]]);
  gradient("palm", [[0, "#ffe9cf", 0.34], [0.7, "#ffe0bd", 0.22], [1, "#ffe0bd", 0.1]]);
  gradient("hand-shadow", [[0, "#000", 0.55], [0.6, "#000", 0.3], [1, "#000", 0]]);
  gradient("bowl-in", [[0, "#120d0a"], [0.72, "#1d1510"], [1, "#35271d"]], { cx: 0.5, cy: 0.56, r: 0.6 });
  gradient("bowl-rim", [[0.8, "#6b5140"], [0.92, "#4b382b"], [1, "#2a1f18"]], { cx: 0.42, cy: 0.36, r: 0.72 });
  gradient("bowl-glow", [[0.6, "#fff", 0.6], [1, "#fff", 0]]);
  /**
   * @param {string} id
   * @param {string[]} lines
   */
  const hatch = (id, lines) => {
    const pattern = draw(
      "pattern",
      { id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      defs,
    );
    for (const d of lines) {
      draw("path", { d, stroke: "#f2ead8", "stroke-width": 0.55, fill: "none" }, pattern);
    }
  };
  hatch("hatch-one", ["M0 0V5"]);
  hatch("hatch-two", ["M0 0V5", "M0 0H5"]);
}

/**
 * The walnut: a body with grain, an edge that catches the light, and one soft shadow.
 * @param {SVGSVGElement} svg
 * @param {Plan} plan
 */
function drawBody(svg, plan) {
  const defs = draw("defs", {}, svg);
  const wood = draw("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 0.25, y2: 1 }, defs);
  draw("stop", { offset: 0, "stop-color": "#3b2d23" }, wood);
  draw("stop", { offset: 0.5, "stop-color": "#2b211a" }, wood);
  draw("stop", { offset: 1, "stop-color": "#211811" }, wood);
  const grain = draw("filter", { id: "grain", x: 0, y: 0, width: 1, height: 1 }, defs);
  draw("feTurbulence", { type: "fractalNoise", baseFrequency: "0.003 0.07", numOctaves: 4, seed: 7 }, grain);
  draw("feColorMatrix", { values: "0 0 0 0 0.72  0 0 0 0 0.5  0 0 0 0 0.34  0.9 0 0 0 -0.3" }, grain);
  const blur = draw("filter", { id: "soft", x: -0.2, y: -0.2, width: 1.4, height: 1.4 }, defs);
  draw("feGaussianBlur", { stdDeviation: 6 }, blur);
  const d = outline(plan.shape, plan.margin);
  const clip = draw("clipPath", { id: "body" }, defs);
  draw("path", { d }, clip);

  draw("path", { d, transform: "translate(3 8)", fill: "#000", opacity: 0.6, filter: "url(#soft)" }, svg);
  draw("path", { d, transform: "translate(0 1.6)", fill: "#120d0a" }, svg);
  draw("path", { d, fill: "url(#wood)" }, svg);
  const [x, y, width, height] = [-plan.halfX, -plan.halfY, 2 * plan.halfX, 2 * plan.halfY];
  const inner = draw("g", { "clip-path": "url(#body)" }, svg);
  draw("rect", { x, y, width, height, filter: "url(#grain)", opacity: 0.2 }, inner);
  draw("path", { d, fill: "none", stroke: "#7a5d48", "stroke-width": 1.2, opacity: 0.55 }, inner);
  draw("path", { d, fill: "none", stroke: "#000", "stroke-width": 0.5, opacity: 0.5 }, svg);
}

/**
 * @param {Element} svg
 * @param {Profile} profile
 * @param {CellHello} cell
 * @param {boolean} used
 */
function drawCell(svg, profile, cell, used) {
  const at = `translate(${cell.x} ${cell.y})`;
  const g = draw("g", { transform: at, opacity: used ? 1 : 0.45 }, svg);
  const path = roundedPath(cellCorners(profile, 0.55), 1.6);
  draw("path", { d: path, transform: "translate(0 .35)", fill: "#150f0b" }, g);
  draw("path", { d: path, fill: used ? "url(#frost)" : "#2f261f" }, g);
  draw("path", { d: path, fill: "none", stroke: "#6a5747", "stroke-width": 0.3, opacity: 0.75 }, g);
}

/**
 * @param {Plan} plan
 * @param {Profile} profile
 */
function drawGround(plan, profile) {
  ground.replaceChildren();
  ground.setAttribute("viewBox", plan.box.join(" "));
  drawBody(ground, plan);
  const frost = draw("radialGradient", { id: "frost", cx: 0.45, cy: 0.38, r: 0.75 }, draw("defs", {}, ground));
  draw("stop", { offset: 0, "stop-color": "#43372e" }, frost);
  draw("stop", { offset: 1, "stop-color": "#362b23" }, frost);
  const used = new Set(state.view ? state.view.game.cells : profile.cells.keys());
  profile.cells.forEach((cell, i) => drawCell(ground, profile, cell, used.has(i)));
}

/**
 * @param {Profile} profile
 * @param {Element} layer
 */
function drawCells(profile, layer) {
  const hit = points(cellCorners(profile));
  layer.setAttribute("role", "grid");
  drawn.cells = [];
  for (const line of linesOf(profile)) {
    const row = draw("g", { role: "row" }, layer);
    for (const i of line) {
      const { x, y } = profile.cells[i];
      drawn.cells[i] = draw("g", { class: "cell", "data-cell": i, transform: `translate(${x} ${y})` }, row);
    }
  }
  for (const element of drawn.cells) draw("polygon", { class: "hit", points: hit }, element);
}

/** What a board takes at least, in px, even where a window has no room for it. */
const MIN_SIDE = 160;

/** Size of the board's place on the page, in px; small changes are no reason to redraw. */
const room = () => ({
  width: Math.max(MIN_SIDE, Math.round(stage.clientWidth / 16) * 16),
  height: Math.max(MIN_SIDE, Math.round(stage.clientHeight / 16) * 16),
});

/** By how many degrees the board turns at a time: fields and trays lie at its near and far side. */
export const stepOfTurn = () => turnStep(state.hello.profile, Boolean(state.view?.lit || state.view?.game.trays?.length));

/** By how much it is turned: a lesson's sentences say left and right, above and below. */
const turnNow = () => (state.view?.lesson ? 0 : nearestTurn(state.turn, stepOfTurn()));

/** How far Rengi's fields stand from the column between them, in cells: the loop lies there. */
const APART = 1.1;

/** The board with its fields as far apart as the game wants them. */
const fielded = () => ({ ...state.hello.profile, apart: state.view?.lit?.loop?.size ? APART * state.hello.profile.pitch_mm : 0 });

/** Whether a board keeps to the top of its place, near to what is said above it. */
export const isAtTop = () => !state.watching && stage.clientWidth < stage.clientHeight;

/** Redraw the board: another profile, another set of used cells, or another size of window. */
export function build() {
  const { hello } = state;
  if (!hello) return;
  const trays = Boolean(state.view?.game.trays?.length);
  drawn.turn = turnNow();
  const plan = layOut(fielded(), room(), {
    // Rengi's markers lie nowhere: a cell that is touched has one.
    count: state.watching || state.view?.lit ? 0 : kindsUsed().length, small: !isNamed() || trays, empty: trays,
    changed: drawn.turn > 90 && drawn.turn < 270,
  }, (drawn.turn + 360 - (hello.profile.turn || 0)) % 360);
  const profile = plan.profile;
  drawn.profile = profile;
  drawn.plan = plan;
  drawGround(plan, profile);
  board.replaceChildren();
  board.setAttribute("viewBox", plan.box.join(" "));
  const fit = isAtTop() ? "xMidYMin meet" : "xMidYMid meet";
  for (const svg of [ground, board]) svg.setAttribute("preserveAspectRatio", fit);
  board.style.setProperty("--unit", plan.unit.toFixed(4));
  definitions(board, profile);
  for (const name of LAYERS) drawn.layers[name] = draw("g", { class: name, ...(SPOKEN.has(name) ? {} : { "aria-hidden": true }) }, board);
  for (const name of ["open", "dead"]) drawn.layers[name].classList.add("marks");
  drawCells(profile, drawn.layers.cells);
  const ring = roundedPath(cellCorners(profile, 0.9), 1.6);
  draw("path", { id: "ring", d: ring }, board);
  callAll(builders);
}

/** The path of one cell's outline, `gap` mm inside its border. */
export const cellPath = (gap = 0.9) => roundedPath(cellCorners(drawn.profile, gap), 1.6);

/**
 * Board cell at a point in mm, −1 when there is none within reach.
 * @param {number} x
 * @param {number} y
 */
export function cellAt(x, y) {
  const reach = drawn.profile.pitch_mm * (isHex(drawn.profile) ? 0.58 : 0.7);
  let [best, near] = [-1, reach];
  drawn.profile.cells.forEach((cell, i) => {
    const far = Math.hypot(cell.x - x, cell.y - y);
    if (far < near) [best, near] = [i, far];
  });
  return best;
}

/**
 * A pointer's place in mm.
 * @param {MouseEvent} event
 */
export function toBoard(event, liftPx = 0) {
  const point = new DOMPoint(event.clientX, event.clientY - liftPx);
  const { x, y } = point.matrixTransform(board.getScreenCTM()?.inverse());
  return { x, y };
}

let shape = "";

/** Rebuild when something changed that the drawing rests on. */
export function refit() {
  if (!state.hello) return;
  const { width, height } = room();
  const { cells, kinds, trays } = state.view?.game ?? {};
  const turn = turnNow();
  const now = JSON.stringify([state.hello.profile.name, width, height, cells, kinds, trays, turn, fielded().apart]);
  if (now === shape) return;
  shape = now;
  build();
}

// Before all others that hear of a board or a game, whichever module they are in: what they draw
// lies on its cells. A module is run before those that import it.
on("hello view", refit);
new ResizeObserver(refit).observe(stage);
