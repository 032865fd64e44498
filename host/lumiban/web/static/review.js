// A finished game as the coach goes through it: a graph of the chances, the moves that decided, and
// the same as a table. The page of the table and that of finished games show it alike.

import { draw, make, makeButton } from "./svg.js";
import { list, say, sayAny } from "./words.js";

const [WIDTH, HEIGHT, EDGE] = [320, 96, 10];
const MAX_NAMED = 6;

/**
 * What the coach is doing, in one line.
 * @param {ReviewShown} review
 */
export function statusOf(review) {
  const { done, looked, percent, reason, second, stopped } = review;
  if (stopped) return reason || say("page.review.stopped");
  if (done) return looked ? say("page.review.done") : reason || say("page.review.nothing");
  if (second) return say("page.review.second");
  return say("page.review.looking", { n: Math.min(looked + 1, percent.length), all: percent.length });
}

/** @param {string[]} sides @param {number} side */
const named = (sides, side) => sayAny([`side.${sides[side]}`], sides[side]);

/**
 * Evaluation of the position after a number of moves.
 * @param {ReviewShown} review
 * @param {string[]} sides
 * @param {number} n
 */
function toldAt(review, sides, n) {
  const percent = review.percent[n] ?? null;
  return percent === null ? say("page.review.at-unknown", { n }) : say("page.review.at", { n, side: named(sides, 0), percent });
}

/**
 * The lines of the graph: one for each run of positions that are known.
 * @param {(number | null)[]} percent
 * @param {(n: number) => number} x
 * @param {(percent: number) => number} y
 */
function runs(percent, x, y) {
  /** @type {string[][]} */
  const found = [];
  percent.forEach((one, n) => {
    if (one === null) return;
    if (n === 0 || percent[n - 1] === null) found.push([]);
    found.at(-1)?.push(`${x(n).toFixed(1)} ${y(one).toFixed(1)}`);
  });
  return found;
}

/**
 * @typedef {object} Shown
 * @property {string[]} sides
 * @property {string[]} moves what was played, as people read it
 * @property {number} at number of moves shown on the board
 * @property {(n: number) => unknown} go shows the position after that number of moves
 */

/**
 * The graph: a slider that goes through the game.
 * @param {ReviewShown} review
 * @param {Shown} shown
 */
function graph(review, { sides, at, go }) {
  const last = review.percent.length - 1;
  /** @param {number} n */
  const x = (n) => EDGE + (last ? (n / last) * (WIDTH - 2 * EDGE) : 0);
  /** @param {number} percent */
  const y = (percent) => EDGE + (1 - percent / 100) * (HEIGHT - 2 * EDGE);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" });
  draw("rect", { class: "second", width: WIDTH, height: HEIGHT, rx: 6 }, svg);
  for (const run of runs(review.percent, x, y)) {
    const [from, to] = [run[0].split(" ")[0], run[run.length - 1].split(" ")[0]];
    draw("path", { class: "first", d: `M${from} ${HEIGHT} L${run.join(" L")} L${to} ${HEIGHT} Z` }, svg);
    draw("path", { class: "line", d: `M${run.join(" L")}` }, svg);
  }
  draw("path", { class: "even", d: `M0 ${HEIGHT / 2}H${WIDTH}` }, svg);
  draw("path", { class: "now", d: `M${x(at)} 0V${HEIGHT}` }, svg);
  review.turning.forEach(({ n }, i) => {
    const g = draw("g", { class: "turning", transform: `translate(${x(n)} ${y(review.percent[n] ?? 50)})` }, svg);
    draw("circle", { r: 8 }, g);
    draw("text", { "font-size": 11 }, g).textContent = String(i + 1);
  });
  const slider = make("div", {
    class: "graph", role: "slider", tabindex: "0", "aria-label": say("page.review.graph"), "aria-valuemin": "0",
    "aria-valuemax": String(last), "aria-valuenow": String(at), "aria-valuetext": toldAt(review, sides, at),
  });
  slider.append(svg);
  slider.addEventListener("click", (event) => {
    const { left, width } = slider.getBoundingClientRect();
    const share = ((/** @type {MouseEvent} */ (event).clientX - left) / width * WIDTH - EDGE) / (WIDTH - 2 * EDGE);
    go(Math.max(0, Math.min(last, Math.round(share * last))));
  });
  slider.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event);
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last }[key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(Math.max(0, Math.min(last, to)));
  });
  return slider;
}

/** @param {NamedSentenceShown} told */
function effect({ id, cells, params }) {
  const more = cells.length > MAX_NAMED ? ` … (+${cells.length - MAX_NAMED})` : "";
  return say(id, { ...params, cells: list(cells.slice(0, MAX_NAMED)) + more });
}

/**
 * @param {TurningShown} turning
 * @param {Shown} shown
 */
function decided(turning, { sides, at, go }) {
  const { n, side, said, before, after, better, does } = turning;
  const words = [say("page.review.turn", { n, side: named(sides, side), move: said, before, after })];
  if (better) words.push(say("page.review.better", { move: better }));
  const button = makeButton(() => go(n), n === at ? { "aria-current": "step" } : {}, words.join(" "));
  return make("li", {}, button, ...(does.length ? [make("ul", {}, ...does.map((one) => make("li", {}, effect(one))))] : []));
}

/**
 * @param {ReviewShown} review
 * @param {Shown} shown
 */
function table(review, { sides, moves }) {
  const rows = review.percent.map((percent, n) => make("tr", {},
    make("th", { scope: "row" }, String(n)), make("td", {}, moves[n - 1] ?? ""), make("td", {}, percent === null ? "–" : `${percent} %`)));
  const head = [say("page.review.table.n"), say("page.moves"), named(sides, 0)].map((text) => make("th", { scope: "col" }, text));
  return make("details", {}, make("summary", {}, say("page.review.table")),
    make("div", { class: "rows", tabindex: "0", role: "group", "aria-label": say("page.review.table") },
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))));
}

/**
 * Show it in `root`; what has the focus there, or is unfolded, stays so.
 * @param {HTMLElement} root
 * @param {ReviewShown} review
 * @param {Shown} shown
 */
export function showReview(root, review, shown) {
  const isOpen = root.querySelector("details")?.open ?? false;
  const focused = [...root.querySelectorAll("[tabindex], button, summary")].indexOf(document.activeElement ?? root);
  const legend = make("p", { class: "sides" },
    ...[0, 1].map((side) => make("span", {}, make("span", { class: "chip", "data-kind": String(side + 1) }), named(shown.sides, side))));
  const decidedBy = review.turning.map((one) => decided(one, shown));
  root.replaceChildren(
    legend, graph(review, shown), make("p", { class: "told" }, toldAt(review, shown.sides, shown.at)),
    ...(decidedBy.length ? [make("h3", {}, say("page.review.turning")), make("ol", { class: "turning" }, ...decidedBy)] : []),
    ...(review.done && review.looked && !decidedBy.length ? [make("p", {}, say("page.review.none"))] : []),
    table(review, shown),
  );
  const details = root.querySelector("details");
  if (details) details.open = isOpen;
  if (focused >= 0) /** @type {HTMLElement | undefined} */ ([...root.querySelectorAll("[tabindex], button, summary")][focused])?.focus();
}
