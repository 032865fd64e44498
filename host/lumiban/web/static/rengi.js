// Rengi at the page: a pad and keys to steer the pair, what is known beside the fields.

import "./rengi_calculator.js";
import "./rengi_loop.js";
import { drawn, onBuild } from "./board.js";
import { stages, timer } from "./clock.js";
import { isTheirs } from "./keys.js";
import { wish } from "./link.js";
import { mayAct, sayWord } from "./play.js";
import { drawBlock, ROLES } from "./rengi_blocks.js";
import { answersFor, isSolo, kindOf, mySide, on, state } from "./state.js";
import { $, draw, make, makeButton, target } from "./svg.js";
import { playerName, say, seatShort, sideName } from "./words.js";

const COLOURS = ["R", "B", "Y", "G"];
const BESIDE = [0, 1, 0, -1];
const [GHOST_ROW, ROWS, COLUMNS, SPAWN] = [13, 14, 13, 2];
const WIDE = 6;
const CENTRE = ["", "", "back", "on", "undo", "pass", "resign", "a", "b"];

/** The pair that is being steered: the axis's column from 0, the rotation, colours where they are chosen. */
const aim = { column: SPAWN, rotation: 0, colours: ["", ""], shown: false, move: -1 };

/** Rengi, and its chain-power test. */
const OURS = ["rengi", "chain-power"];
/** @returns {RengiShown | null} */
const rengi = () => (state.view?.lit && OURS.includes(state.view.game.slug) ? state.view.lit : null);
const acting = () => rengi() !== null && answersFor(mySide() ?? -1) && state.past === null && !state.view.outcome;

function colours() {
  const lit = rengi();
  return lit?.free ? aim.colours : [...(lit?.loop.pairs[lit.loop.places[mySide() ?? 0]] ?? "")];
}

/**
 * @param {number} column
 * @param {number} rotation
 */
const within = (column, rotation) => {
  const child = column + BESIDE[rotation];
  return column >= 0 && column < 6 && child >= 0 && child < 6;
};

/**
 * @param {number} columns
 * @param {number} turns
 */
function steer(columns, turns) {
  if (!acting()) return;
  const rotation = (aim.rotation + turns + 4) % 4;
  let column = aim.column + columns;
  // Turned at the edge, a pair gives way by a column.
  if (turns && !within(column, rotation)) column -= BESIDE[rotation];
  if (!within(column, rotation)) return;
  Object.assign(aim, { column, rotation, shown: true });
  show();
}

/**
 * Steer the pair as the board is seen: on a turned one its first column lies at the right.
 * @param {number} columns
 */
const aside = (columns) => steer(drawn.turn === 180 ? -columns : columns, 0);

function drop() {
  if (!acting() || !mayAct()) return;
  const [axis, child] = colours();
  if (!axis || !child) {
    aim.shown = true;
    show();
    $("rengi-pad").querySelector("[data-colour]")?.focus();
    return;
  }
  wish({ do: "move", side: mySide() ?? 0, text: `${axis}${child}${aim.column + 1}.${aim.rotation}` });
}

/**
 * Choose the colour of the axis, then of the child, then of the axis again.
 * @param {string} letter
 */
function colour(letter) {
  if (!rengi()?.free) return;
  const [axis, child] = aim.colours;
  aim.colours = axis && !child ? [axis, letter] : [letter, ""];
  aim.shown = true;
  show();
}

/**
 * A column of the own field was clicked where no simulated hands are: aim there, or turn there.
 * @param {number} cell
 */
export function aimAt(cell) {
  const own = (cell % COLUMNS) - 7 * (mySide() ?? 0);
  if (!acting() || own < 0 || own > 5) return;
  if (aim.shown && own === aim.column) steer(0, 1);
  else {
    aim.rotation = 0;
    aim.column = own;
    aim.shown = true;
    show();
  }
}


/** [column of the board, row from above, letter] of the two blocks where they would come to rest. */
function landing() {
  const side = mySide() ?? 0;
  const [axis, child] = colours();
  /** @type {string[]} */
  const rows = rengi()?.fields[side].slice(0, GHOST_ROW);
  const high = [0, 1, 2, 3, 4, 5].map((c) => rows.filter((row) => row[c] !== ".").length);
  /** @type {[number, string][]} */
  const places = [[aim.column, axis], [aim.column + BESIDE[aim.rotation], child]];
  if (aim.rotation === 2) places.reverse();
  return places.map(([column, letter]) => /** @type {[number, number, string]} */ ([column + 7 * side, ROWS - ++high[column], letter])).filter(([, row]) => row >= 0);
}

function showAim() {
  const layer = drawn.layers.marks;
  drawn.svg.querySelector(".rengi-aim")?.remove();
  if (!layer || !rengi()) return;
  const g = draw("g", { class: "marks rengi-aim", "aria-hidden": true }, drawn.svg);
  const p = drawn.profile.pitch_mm;
  /**
   * @param {number} column
   * @param {number} row
   */
  const at = (column, row) => drawn.profile.cells[state.view.game.cells[row * COLUMNS + column]];
  CENTRE.forEach((name, row) => {
    if (!name || state.view.outcome || (["back", "on"].includes(name) && !isTouchable(row))) return;
    const { x, y } = at(6, row);
    draw("text", { class: "centre-text", x, y: y - p * 0.36 }, g).textContent = say(`page.rengi.cell.${name}`);
  });
  showNumbers(g, at);
  if (!acting() || !aim.shown) return;
  for (const [column, row, letter] of landing()) {
    const { x, y } = at(column, row);
    const one = draw("g", { transform: `translate(${x} ${y})`, "data-role": ROLES[letter] ?? "legal" }, g);
    drawBlock(letter, one, p, "aim");
  }
}

/**
 * Figures on the cells that stand for them.
 * @param {SVGElement} g
 * @param {(column: number, row: number) => Place} at
 */
function showNumbers(g, at) {
  const lit = rengi();
  const [side] = state.view.to_move;
  if (!lit || side === undefined || state.past !== null) return;
  /**
   * @param {number} row
   * @param {string} text
   */
  const write = (row, text) => {
    const { x, y } = at(6, row);
    draw("text", { class: "centre-text", x, y: y + 7 }, g).textContent = text;
  };
  lit.forecast[side].forEach((/** @type {number} */ n, /** @type {number} */ bin) => n && write(7 + bin, String(n)));
  if (lit.hands_left[side] !== null) write(13, String(lit.hands_left[side]));
}

/**
 * Whether a marker may touch this cell between the fields now.
 * @param {number} row
 */
const isTouchable = (row) => state.view.marks.some((mark) => mark.meaning === "touch" && mark.cell === state.view.game.cells[row * COLUMNS + 6]);

// The pad.

/**
 * @param {string} id
 * @param {() => unknown} act
 * @param {string} text
 */
const padButton = (id, act, text, more = {}) =>
  makeButton(act, { "data-act": id, "aria-label": say(`page.rengi.${id}`), title: say(`page.rengi.${id}`), ...more }, text);

/** @param {string} letter */
function small(letter) {
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true", "data-role": ROLES[letter] });
  drawBlock(letter, svg, 25);
  return svg;
}

/** Four colours, the axis's first; what is chosen bears the number of its block. */
function palette() {
  const group = make("span", { class: "colours", role: "group", "aria-label": say("page.rengi.colours") });
  for (const letter of COLOURS) {
    const places = [0, 1].filter((place) => aim.colours[place] === letter);
    const name = [say(`page.rengi.colour.${letter}`), ...places.map((place) => say(place ? "page.rengi.child" : "page.rengi.axis"))].join(", ");
    group.append(makeButton(() => colour(letter), { "data-colour": letter, "aria-label": name, title: name, "aria-pressed": String(places.length > 0) },
      small(letter), make("b", { "aria-hidden": "true" }, places.map((place) => place + 1).join(" "))));
  }
  return group;
}

let padSays = "";

function showPad() {
  const pad = $("rengi-pad");
  pad.hidden = !acting() || state.watching;
  if (pad.hidden) {
    padSays = "";
    return;
  }
  const { view } = state;
  const words = view.words[mySide() ?? 0] ?? [];
  const says = JSON.stringify([state.language, rengi()?.free && aim.colours, words]);
  if (says === padSays) return;
  padSays = says;
  const focus = pad.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset : null;
  pad.replaceChildren(
    ...(rengi()?.free ? [palette()] : []),
    padButton("left", () => aside(-1), "←"),
    padButton("right", () => aside(1), "→"),
    padButton("turn-left", () => steer(0, -1), "↺"),
    padButton("turn-right", () => steer(0, 1), "↻"),
    padButton("drop", drop, say("page.rengi.drop"), { class: "main" }),
    ...(words.includes("pass") ? [padButton("pass", () => sayWord(mySide() ?? 0, "pass"), say("page.rengi.pass"))] : []),
  );
  if (focus) pad.querySelector(focus.act ? `[data-act="${focus.act}"]` : `[data-colour="${focus.colour}"]`)?.focus();
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (!acting() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const on = target(event);
  if (isTheirs(on) || on.closest?.("#moves")) return;
  const onCell = on.closest?.(".cell, .bowl");
  const onButton = on.closest?.("button, input");
  /** @type {Record<string, () => unknown>} */
  const acts = { z: () => steer(0, -1), x: () => steer(0, 1), p: () => state.view.words[mySide() ?? 0]?.includes("pass") && sayWord(mySide() ?? 0, "pass") };
  COLOURS.forEach((letter, i) => (acts[String(i + 1)] = () => colour(letter)));
  if (!onCell && !event.shiftKey) Object.assign(acts, { ArrowLeft: () => aside(-1), ArrowRight: () => aside(1), ArrowUp: () => steer(0, 1), ArrowDown: drop });
  if (!onCell && !onButton) acts[" "] = drop;
  const act = acts[event.key] ?? acts[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
}

// Above each field, whose it is.

/**
 * @param {any} lit
 * @param {number} n
 */
function timeOf(lit, n) {
  return lit.unit === "frames" ? say("page.rengi.frames", { n }) : say("page.rengi.ticks", { n: n / 2 });
}

/**
 * What is told of a side: [name, value, what it is].
 * @param {RengiShown} lit
 * @param {number} side
 * @returns {[string, string, string][]}
 */
const figures = ({ assists, forecast, hands_left: left, points, test, to_come: coming }, side) => [
  ...(isSolo() ? [] : [/** @type {[string, string, string]} */ ([say("page.rengi.forecast"), forecast[side].join(" + "), "forecast"])]),
  [say("page.rengi.points"), String(points[side]), "points"],
  ...(assists.hands_left ? [/** @type {[string, string, string]} */ ([say("page.rengi.hands-left"), String(left[side] ?? "–"), "left"])] : []),
  ...(assists.chain_forecast ? [/** @type {[string, string, string]} */ ([say("page.rengi.to-come"), String(coming[side]), "coming"])] : []),
  ...(test ? [/** @type {[string, string, string]} */ ([say("page.rengi.test"), [say("page.rengi.test.list", test), say("page.rengi.test.hand", test)].join(", "), "test"])] : []),
];

/**
 * @param {RengiShown} lit
 * @param {number} side
 */
function plate(lit, side) {
  const { clock, outcome, to_move } = state.view;
  const list = figures(lit, side).map(([name, value, what]) =>
    make("div", { class: what, title: name }, make("dt", {}, name), make("dd", {}, ...(what === "forecast" ? [small("O")] : []), value)));
  return make("li", !outcome && to_move.includes(side) ? { "data-moves": "" } : {},
    make("p", { class: "who" }, make("span", { class: "chip", "data-kind": kindOf(side) }), make("strong", {}, sideName(side)), " ",
      make("span", { class: "seat" }, playerName(side, seatShort)), " ",
      make("span", { class: "ticks" }, say("page.rengi.clock"), " ", timeOf(lit, lit.clock[side]))),
    ...(clock?.clocks[side] ? [timer(side)] : []),
    make("dl", {}, ...list));
}

let plates = "";

function showSides() {
  const lit = rengi();
  const { view } = state;
  document.documentElement.toggleAttribute("data-lit", lit !== null);
  const list = $("rengi-sides");
  list.hidden = !lit || state.watching;
  $("rengi-shown").hidden = !lit;
  $("rengi-calc").hidden = !lit?.assists.calculator || state.watching;
  if (!lit) return;
  const pace = $("rengi-pace");
  pace.value = lit.pace_ms === null ? "off" : String([334, 600, 1200].reduce((a, b) => (Math.abs(b - lit.pace_ms) < Math.abs(a - lit.pace_ms) ? b : a)));
  const sides = isSolo() ? [0] : drawn.turn === 180 ? [1, 0] : [0, 1];
  const key = JSON.stringify([sides, sides.map((side) => figures(lit, side)), lit.clock, view.seats, state.phones, view.to_move, view.outcome, stages(), state.language]);
  if (list.hidden || key === plates) return;
  plates = key;
  list.replaceChildren(...sides.map((side) => plate(lit, side)));
}

/** The two fields in frames of their own, the row that does not count above a line, and the cell
    that must stay free. */
function frameFields() {
  const { layers, profile } = drawn;
  if (!rengi()) return;
  const p = profile.pitch_mm;
  const places = state.view.game.cells.map((cell) => profile.cells[cell]);
  for (const side of isSolo() ? [0] : [0, 1]) {
    const [first, last] = [places[7 * side], places[(ROWS - 1) * COLUMNS + 7 * side + WIDE - 1]];
    const [x, y] = [Math.min(first.x, last.x) - p / 2, Math.min(first.y, last.y) - p / 2];
    const [ghost, spawn] = [places[(ROWS - GHOST_ROW + 1) * COLUMNS], places[(ROWS - 12) * COLUMNS + 7 * side + SPAWN]];
    const line = ghost.y + (first.y < last.y ? -p / 2 : p / 2);
    const g = draw("g", { class: "field-frame", "data-role": side ? "black" : "white" }, layers.fields);
    draw("rect", { x, y, width: WIDE * p, height: ROWS * p, rx: 2 }, g);
    draw("path", { class: "ghost-line", d: `M${x} ${line}h${WIDE * p}` }, g);
    draw("path", { class: "end", d: `M-3 -3L3 3M3 -3L-3 3`, transform: `translate(${spawn.x} ${spawn.y})` }, g);
  }
}

function showMover() {
  const moves = state.view.outcome ? [] : state.view.to_move;
  drawn.layers.fields.querySelectorAll(".field-frame").forEach((g, side) => g.toggleAttribute("data-moves", moves.includes(side)));
}

let column = "";

function show() {
  if (!state.view || !drawn.profile) return;
  const side = mySide();
  const now = `${state.view.moves.length} ${side}`;
  if (now !== column) {
    column = now;
    Object.assign(aim, { column: SPAWN, rotation: 0, colours: ["", ""], shown: acting() && !state.hands });
  }
  showSides();
  showPad();
  showMover();
  showAim();
}

$("rengi-pace").addEventListener("change", (event) => {
  const { value } = target(event);
  wish({ do: "pace", ms: value === "off" ? null : Number(value) });
});
document.addEventListener("keydown", onKey);
onBuild(() => {
  // As wide as the board: each plate stands above its field.
  const { box, halfX, unit } = drawn.plan;
  $("centre").style.setProperty("--fields", `${Math.round(Math.min(2 * halfX, box[2]) / unit)}px`);
  frameFields();
  show(); // a new size of window redraws the board
});
on("view world past words role wire prefs network", show);
on("aim", () => aimAt(state.aimed));
