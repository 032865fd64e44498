// The coach's panel: what a bot would do now, each move with its worth as a bar and a number, and
// what it does in words. Its moves are marked on the board with the same numbers.

import { drawn, onBuild } from "./board.js";
import { wish } from "./link.js";
import { showProof } from "./marks.js";
import { mayAct } from "./play.js";
import { cellName, isHost, isSolo, on, state } from "./state.js";
import { $, draw, make, target } from "./svg.js";
import { moveName, say, sideName, wordName } from "./words.js";

const MAX_NAMED = 8;
const MIN_VISITS = 20;
/** @type {Record<string, string>} */
const PROOFS = { win: "page.coach.win", draw: "page.coach.draw", loss: "page.coach.loss" };

/**
 * One sentence of what a move does; its cells by name.
 * @param {SentenceShown} told
 */
function sentence({ id, cells, params }) {
  const names = cells.slice(0, MAX_NAMED).map(cellName).join(", ");
  const more = cells.length > MAX_NAMED ? ` … (+${cells.length - MAX_NAMED})` : "";
  return say(id, { ...params, cells: names + more });
}

/** @param {TipShown} move */
function bar(move) {
  const value = make("span", { class: "worth" }, make("span", { class: "fill" }));
  value.firstElementChild.style.setProperty("--share", String(move.value));
  // A value from a handful of random games is no number yet.
  if (!move.proof && (move.visits ?? 0) < MIN_VISITS) return make("span", { class: "value guess" }, say("page.coach.guess"));
  return make("span", { class: "value" }, value, make("span", { class: "percent" }, `${move.percent} %`));
}

/**
 * @param {TipShown} move
 * @param {number} rank
 */
function item(move, rank) {
  const head = make(
    "span",
    { class: "head" },
    make("span", { class: "rank", "aria-hidden": "true" }, String(rank)),
    make("strong", {}, move.cells.length ? moveName(state.view.game.slug, { text: move.said }) : wordName(state.view.game.slug, move.said)),
    bar(move),
  );
  const does = make("ul", {}, ...move.does.map((one) => make("li", {}, sentence(one))));
  const line = move.line.length > 1 ? make("p", { class: "line" }, say("page.coach.then", { line: move.line.slice(1).join(" ") })) : "";
  const sure = PROOFS[move.proof ?? ""] ? make("p", { class: "proof" }, say(PROOFS[move.proof ?? ""])) : "";
  const entry = make("li", { tabindex: "0", "data-rank": String(rank) }, head, sure, does, line);
  const cells = [...new Set([...move.cells, ...move.does.flatMap((one) => one.cells)])];
  for (const [event, lit] of /** @type {[string, number[]][]} */ ([["pointerenter", cells], ["focus", cells], ["pointerleave", []], ["blur", []]])) {
    entry.addEventListener(event, () => showProof(lit));
  }
  return entry;
}

/**
 * What the coach is doing, in one line.
 * @param {CoachShown} coach
 */
function status(coach) {
  if (coach.for_two && !coach.agreed) return say("page.coach.two");
  if (coach.reason) return coach.reason;
  if (coach.side === null) return state.view.hint === "coach" ? say("page.coach.waits") : "";
  if (!coach.moves.length) return say("page.coach.begins");
  const looked = coach.looked.toLocaleString(state.language);
  return say(coach.done ? "page.coach.done" : "page.coach.thinks", { side: sideName(coach.side), looked });
}

/**
 * Numbers of the moves at the upper right of their cells: ranks are never told by colour alone.
 * @param {CoachShown} coach
 */
function number(coach) {
  const layer = drawn.layers.ranks;
  if (!layer) return;
  layer.replaceChildren();
  if (state.past !== null) return;
  // While a board is mended the coach's marks are off, and numbers alone would say nothing.
  const marked = new Set(state.view.marks.filter((mark) => mark.meaning.startsWith("advice")).map((mark) => mark.cell));
  const taken = new Set();
  const { pitch_mm: p, cells } = drawn.profile;
  coach.moves.forEach((move, i) => {
    const cell = move.cells.at(-1) ?? -1;
    const place = cells[state.view.game.cells[cell]];
    if (!place || !marked.has(cell) || taken.has(cell)) return;
    taken.add(cell);
    const g = draw("g", { transform: `translate(${place.x + p * 0.3} ${place.y - p * 0.3})` }, layer);
    draw("circle", { r: p * 0.17 }, g);
    draw("text", { "font-size": p * 0.25 }, g).textContent = String(i + 1);
  });
}

let shown = "";

function show() {
  const { view } = state;
  const coach = view?.coach;
  $("coach").hidden = !coach || Boolean(view.outcome) || state.watching || isSolo();
  if (!coach) return;
  const two = coach.for_two;
  $("coach-agree-switch").hidden = !two;
  $("coach-agree").checked = coach.agreed === true;
  $("coach-agree").disabled = !isHost();
  $("coach-ask").hidden = view.hint === "coach" || coach.side !== null;
  $("coach-ask").title = say("page.coach.offer");
  $("coach-ask").disabled = !isHost() || !coach.may_ask;
  $("coach-status").textContent = status(coach);
  number(coach);
  const key = JSON.stringify([coach.moves, state.language]);
  if (key === shown) return;
  // Rebuilding must not take the focus from a move that somebody reads.
  const held = document.activeElement?.closest?.("#coach-moves li")?.dataset.rank;
  shown = key;
  showProof([]);
  $("coach-moves").replaceChildren(...coach.moves.map((move, i) => item(move, i + 1)));
  if (held) $("coach-moves").querySelector(`[data-rank="${held}"]`)?.focus();
}

$("coach-ask").addEventListener("click", () => mayAct() && wish({ do: "coach" }));
$("coach-agree").addEventListener("change", (event) => mayAct() && wish({ do: "coach", agree: target(event).checked }));
onBuild(() => {
  shown = "";
  show();
});
on("view words role wire past", show);
