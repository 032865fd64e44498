// Rengi at the page: a pad and keys to steer the pair, what is known beside the fields.

import { drawn, onBuild } from "./board.js";
import { isTheirs } from "./keys.js";
import { wish } from "./link.js";
import { mayAct, sayWord } from "./play.js";
import { drawBlock, ROLES } from "./rengi_blocks.js";
import { isSolo, mySide, on, state } from "./state.js";
import { $, draw, make, target } from "./svg.js";
import { say, sideName } from "./words.js";

const COLOURS = ["R", "B", "Y", "G"];
const BESIDE = [0, 1, 0, -1];
const [GHOST_ROW, ROWS, COLUMNS, SPAWN] = [13, 14, 13, 2];
const CENTRE = ["", "", "back", "on", "undo", "pass", "resign", "a", "b"];

/** The pair that is being steered: the axis's column from 0, the rotation, colours where they are chosen. */
const aim = { column: SPAWN, rotation: 0, colours: ["", ""], shown: false, move: -1 };

/** Rengi, and its chain-power test. */
const OURS = ["rengi", "chain-power"];
/** @returns {RengiShown | null} */
const rengi = () => (state.view?.lit && OURS.includes(state.view.game.slug) ? state.view.lit : null);
const acting = () => rengi() !== null && mySide() !== null && state.past === null && !state.view.outcome;

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
function colour(letter, place = aim.colours[0] && !aim.colours[1] ? 1 : 0) {
  if (!rengi()?.free) return;
  aim.colours = place ? [aim.colours[0], letter] : [letter, aim.colours[1] && aim.colours[0] ? "" : aim.colours[1]];
  aim.shown = true;
  show();
}

/**
 * A column of one's own field was clicked where no simulated hands are: aim there, or turn there.
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
function padButton(id, act, text, more = {}) {
  const button = make("button", { type: "button", "data-act": id, "aria-label": say(`page.rengi.${id}`), title: say(`page.rengi.${id}`), ...more }, text);
  button.addEventListener("click", act);
  return button;
}

/** @param {string} letter */
function small(letter) {
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true", "data-role": ROLES[letter] });
  drawBlock(letter, svg, 25);
  return svg;
}

/** @param {number} place */
function colourButtons(place) {
  const group = make("span", { class: "colours", role: "group", "aria-label": say(place ? "page.rengi.child" : "page.rengi.axis") });
  for (const letter of COLOURS) {
    const name = say(`page.rengi.colour.${letter}`);
    const button = make("button", { type: "button", "data-colour": place + letter, "aria-label": name, title: name, "aria-pressed": String(aim.colours[place] === letter) }, small(letter));
    button.addEventListener("click", () => colour(letter, place));
    group.append(button);
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
    ...(rengi()?.free ? [colourButtons(0), colourButtons(1)] : []),
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
  if (isTheirs(on) || on.closest?.("#moves, #rengi-loop")) return;
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

// Beside the board.

/**
 * @param {string} name
 * @param {any[]} cells
 */
function row(name, cells) {
  return make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, ...[cell].flat())));
}

/**
 * @param {any} lit
 * @param {number} n
 */
function timeOf(lit, n) {
  return lit.unit === "frames" ? say("page.rengi.frames", { n }) : say("page.rengi.ticks", { n: n / 2 });
}

function showInfo() {
  const info = $("rengi-info");
  const lit = rengi();
  document.documentElement.toggleAttribute("data-lit", lit !== null);
  const tools = $("rengi-tools");
  info.hidden = tools.hidden = !lit;
  if (!lit) return;
  const sides = isSolo() ? [0] : [0, 1];
  /** @param {(side: number) => any} tell */
  const cells = (tell) => sides.map((side) => tell(side));
  const { test } = lit;
  const rows = [
    ...(test ? [row(say("page.rengi.test"), [[say("page.rengi.test.list", test), ", ", say("page.rengi.test.hand", test)]])] : []),
    ...(isSolo() ? [] : [row(say("page.rengi.forecast"), cells((s) => lit.forecast[s].join(" + ")))]),
    row(say("page.rengi.clock"), cells((s) => timeOf(lit, lit.clock[s]))),
    row(say("page.rengi.points"), cells((s) => String(lit.points[s]))),
    ...(lit.assists.hands_left ? [row(say("page.rengi.hands-left"), cells((s) => String(lit.hands_left[s] ?? "–")))] : []),
    ...(lit.assists.chain_forecast ? [row(say("page.rengi.to-come"), cells((s) => String(lit.to_come[s])))] : []),
  ];
  const head = make("tr", {}, make("td", {}), ...sides.map((s) => make("th", { scope: "col" }, sideName(s))));
  info.querySelector("table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
  tools.querySelector(".calculator").hidden = !lit.assists.calculator;
  const pace = $("rengi-pace");
  pace.value = lit.pace_ms === null ? "off" : String([334, 600, 1200].reduce((a, b) => (Math.abs(b - lit.pace_ms) < Math.abs(a - lit.pace_ms) ? b : a)));
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
  showInfo();
  showPad();
  showAim();
}

$("rengi-pace").addEventListener("change", (event) => {
  const { value } = target(event);
  wish({ do: "pace", ms: value === "off" ? null : Number(value) });
});
document.addEventListener("keydown", onKey);
onBuild(show); // a new size of window draws the board anew
on("view world past words role wire prefs", show);
on("aim", () => aimAt(state.aimed));
