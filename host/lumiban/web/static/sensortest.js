// The board's sensors tried by hand: what each cell senses now, and which have not been tried yet.

import { cellCorners, points, seen } from "./geometry.js";
import { asOwner } from "./owner.js";
import { on, state } from "./state.js";
import { draw, makeButton } from "./svg.js";
import { list, say, sayText, stoneName } from "./words.js";
import { BLACK, MASKED, NEUTRAL, WHITE } from "./wire.js";

/** @typedef {{ name: string, geometry: string, pitch_mm: number, turn: number, cells: (Place & { name: string })[] }} TestedBoard */
/** @typedef {{ profile: TestedBoard, kinds: number[], ut: number[] | null, tried: boolean[], found: string[] }} Readings */
/** @typedef {{ number: number, asks: string, choices: Record<string, string> }} LightQuestion */

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const ASK_MS = 250;
/** Number of questions after which a test that has not begun will not. */
const PATIENCE = 60;
/** So many cells are named; while there are more, the picture shows them well enough. */
const NAMED = 20;
/** @type {Record<number, string>} */
const SIGNS = { [WHITE]: "○", [BLACK]: "●", [NEUTRAL]: "◆" };

/** @type {Readings | null} */
let told = null;
/** The cell at which a piece came last. */
let last = -1;
let ends = false;
let runs = false;
let drawnFor = "";
/** The question about the lights that is shown, and what was answered since it was last told. */
let asked = 0;
let answer = "";
/** @type {{ group: SVGGElement, value: SVGTextElement }[]} */
let cells = [];

/** @param {number} kind */
const stands = (kind) => kind !== 0 && kind !== MASKED;

/** @param {TestedBoard} board */
function build(board) {
  const svg = $("sensor-board");
  const places = board.cells.map((cell) => seen(board.turn, cell));
  const shape = /** @type {any} */ (board);
  const corners = points(cellCorners(shape, board.pitch_mm * 0.03));
  const far = board.pitch_mm * 0.62;
  const [wide, high] = [places.map(({ x }) => x), places.map(({ y }) => y)].map((all) => Math.max(...all.map(Math.abs)) + far);
  svg.setAttribute("viewBox", `${-wide} ${-high} ${2 * wide} ${2 * high}`);
  svg.replaceChildren();
  const size = board.pitch_mm * 0.25;
  cells = places.map(({ x, y }, n) => {
    const group = draw("g", { transform: `translate(${x} ${y})` }, svg);
    draw("polygon", { points: corners }, group);
    draw("text", { y: -size * 0.35, "font-size": size }, group).textContent = board.cells[n].name;
    const value = draw("text", { y: size * 0.95, "font-size": size * 0.9 }, group);
    return { group, value };
  });
}

/** @param {number} ut */
const mt = (ut) => (Math.round(ut / 100) / 10 || 0).toFixed(1);

function show() {
  if (!told) return;
  const { profile, kinds, ut, tried } = told;
  const board = JSON.stringify([profile.name, profile.turn, profile.cells.length]);
  if (board !== drawnFor) build(profile);
  drawnFor = board;
  cells.forEach(({ group, value }, n) => {
    const is = stands(kinds[n]) ? "sensed" : tried[n] ? "tried" : "new";
    group.setAttribute("data-is", is);
    const sign = is === "sensed" ? SIGNS[kinds[n]] ?? "?" : is === "tried" ? "✓" : "";
    value.textContent = [sign, ut ? mt(ut[n]) : ""].filter(Boolean).join(" ");
  });
  const done = say("page.service.sensors.tried", { tried: tried.filter(Boolean).length, cells: tried.length });
  const now = last >= 0 && stands(kinds[last])
    ? say(ut ? "page.service.sensors.now.mt" : "page.service.sensors.now", { cell: profile.cells[last].name, piece: stoneName(kinds[last]), mt: ut ? mt(ut[last]) : "" })
    : "";
  const text = [done, now].filter(Boolean).join(" ");
  if ($("sensor-now").textContent !== text) $("sensor-now").textContent = text;
  $("sensor-board").setAttribute("aria-label", done);
  const left = profile.cells.filter((_, n) => !tried[n]).map(({ name }) => name);
  $("sensor-left").textContent = left.length ? say("page.service.sensors.left", { cells: list(left.length > NAMED ? [...left.slice(0, NAMED), "…"] : left) }) : say("page.service.sensors.all");
}

/** @param {LightQuestion} question */
function put({ number, asks, choices }) {
  if (number === asked) return;
  asked = number;
  $("sensor-now").textContent = asks;
  const buttons = Object.entries(choices).map(([choice, word]) => makeButton(() => {
    answer = choice;
    $("sensor-asks").replaceChildren();
  }, {}, word));
  $("sensor-asks").replaceChildren(...buttons);
}

/** @param {Readings} readings */
function take(readings) {
  $("sensor-asks").replaceChildren(readings.found.join(" "));
  const before = told?.kinds;
  readings.kinds.forEach((kind, n) => {
    if (stands(kind) && before && !stands(before[n])) last = n;
  });
  told = readings;
  show();
}

/** Ask the service once: its answer, or why not.
 @param {number} table
 @param {string} go
 @returns {Promise<{ why?: string, state?: string, sensors?: Readings | LightQuestion | null }>} */
async function ask(table, go) {
  const body = JSON.stringify({ do: "test-sensors", table, go, value: go === "begin" ? state.language : answer });
  answer = "";
  const reply = await fetch("/api/service", { method: "POST", headers: asOwner(), body }).catch(() => null);
  if (!reply) return { why: say("page.service.away") };
  const answered = await reply.json().catch(() => ({}));
  return reply.ok ? answered : { why: answered.error ? sayText(answered.error) : String(reply.status) };
}

/** Test the sensors of a table's board until it is ended; what is to be said afterwards.
 @param {number} table */
export async function testSensors(table) {
  if (runs) return "";
  [runs, ends, told, last, asked] = [true, false, null, -1, 0];
  $("sensor-now").textContent = say("page.service.sensors.begins");
  $("sensor-left").textContent = "";
  $("sensor-board").replaceChildren();
  drawnFor = "";
  $("sensor-test").hidden = false;
  $("sensor-test").scrollIntoView?.({ block: "nearest" });
  let why = say("page.service.sensors.ended");
  let began = false;
  for (let n = 0; !ends && (began || n < PATIENCE); n++) {
    const now = await ask(table, n ? "on" : "begin");
    if (now.why) {
      why = now.why;
      break;
    }
    if (now.sensors && "asks" in now.sensors) put(now.sensors);
    else if (now.sensors) take(now.sensors);
    else if (began && now.state !== "testing") break;
    began ||= now.state === "testing";
    await new Promise((done) => setTimeout(done, ASK_MS));
  }
  if (ends) {
    await ask(table, "end");
    why = "";
  }
  $("sensor-test").hidden = true;
  runs = false;
  return why;
}

$("sensor-end").addEventListener("click", () => (ends = true));
on("words", show);
