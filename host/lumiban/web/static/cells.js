// Cells for people who do not see or point: names, what may be done there, and the arrow keys.

import { drawn, onBuild } from "./board.js";
import { keyOf, seen, step } from "./geometry.js";
import { isPointerless, isTheirs } from "./keys.js";
import { readBoard, readOpen } from "./live.js";
import { touchCell, confirmMove, takeBack, unpick } from "./play.js";
import { litSays } from "./rengi_blocks.js";
import { cellName, gameCell, mySide, on, state } from "./state.js";
import { shownKinds, shownName } from "./stones.js";
import { $, draw, target } from "./svg.js";
import { changeHands, openTo, standByKey, tellsOpen } from "./turnless.js";
import { gameName, list, pieceName, say, sideName, stoneName } from "./words.js";

/** Board cell that has the keyboard. */
let at = -1;
/** Where going up and down leads back to, in mm. */
let keepX = 0;

const MEANINGS = new Set([
  "last", "mend", "proof", "pending", "machine-to", "machine-from", "owned", "barred", "wall", "short", "lift-target",
  "advice", "advice-also",
]);

/**
 * @param {number} board
 * @param {number} cell
 */
function label(board, cell) {
  const { view } = state;
  const kind = shownKinds()[board];
  const name = shownName(board, kind);
  const parts = [cellName(cell), name ? pieceName(name) : kind ? stoneName(kind) : say("page.cell.empty")];
  const tray = view.game.trays?.findIndex((cells) => cells.includes(cell)) ?? -1;
  if (tray >= 0) parts.push(say("page.cell.tray", { side: sideName(tray) }));
  if (state.past === null) {
    if (state.chosen === cell) parts.push(say("page.cell.chosen"));
    if (view.light?.includes(cell)) parts.push(say("page.cell.light"));
    if (view.dead?.includes(cell)) parts.push(say("page.cell.dead"));
    if (tellsOpen() && !kind) {
      const side = openTo(cell);
      parts.push(side === null ? say("page.cell.closed") : say("page.cell.open", { side: sideName(side) }));
    } else if (mySide() !== null) {
      if (view.legal.place.includes(cell) && !kind) parts.push(say("page.cell.may-place"));
      if (view.legal.lift.includes(cell) && kind) parts.push(say("page.cell.may-lift"));
    }
    if (view.lit) parts.push(...litSays(cell));
    for (const mark of view.marks) {
      if (mark.cell !== cell || !MEANINGS.has(mark.meaning)) continue;
      if (mark.meaning === "owned" && tellsOpen()) continue;
      const whose = mark.side === null ? {} : { side: sideName(mark.side) };
      parts.push(say(`page.mark.${mark.meaning}`, whose));
    }
  }
  return list(parts);
}

function show() {
  const { view } = state;
  if (!view || !drawn.profile) return;
  const used = new Set(view.game.cells);
  if (!used.has(at)) at = view.game.cells[Math.floor(view.game.cells.length / 2)];
  drawn.cells.forEach((element, board) => {
    const active = used.has(board);
    element.classList.toggle("unused", !active);
    if (!active) {
      for (const name of ["role", "tabindex", "aria-label", "data-name"]) element.removeAttribute(name);
      element.setAttribute("aria-hidden", "true");
      return;
    }
    const cell = gameCell(board);
    element.removeAttribute("aria-hidden");
    element.setAttribute("role", "gridcell");
    element.setAttribute("data-name", cellName(cell));
    element.setAttribute("aria-label", label(board, cell));
    element.setAttribute("tabindex", board === at ? 0 : -1);
  });
  drawn.layers.cells.setAttribute("aria-label", gameName(view.game.slug));
  for (const row of drawn.layers.cells.children) row.toggleAttribute("hidden", !row.querySelector("[role]"));
}

const byKeys = () => "keys" in document.documentElement.dataset;

/**
 * Give the keyboard to this cell.
 * @param {number} board
 */
function goTo(board) {
  drawn.cells[at]?.setAttribute("tabindex", -1);
  at = board;
  drawn.cells[at].setAttribute("tabindex", 0);
  drawn.cells[at].focus({ preventScroll: true });
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const element = target(event).closest?.(".cell");
  if (!element || event.ctrlKey || event.metaKey || event.altKey) return;
  const board = Number(element.dataset.cell);
  if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    const used = new Set(state.view.game.cells);
    const cells = state.hello.profile.cells.map((cell, i) => (used.has(i) ? cell : null));
    const key = keyOf(drawn.profile.turned, event.key);
    const to = step(cells, board, key, keepX);
    if (key === "ArrowLeft" || key === "ArrowRight") keepX = cells[to]?.x ?? keepX;
    goTo(to);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    touchCell(board, true);
  }
}

drawn.svg.addEventListener("keydown", onKey);
drawn.svg.addEventListener("click", (event) => {
  const element = target(event).closest?.(".cell");
  if (element && isPointerless(event)) touchCell(Number(element.dataset.cell));
});
drawn.svg.addEventListener("focusin", (event) => {
  const ring = document.getElementById("ring");
  const element = target(event).closest?.(".cell");
  if (ring) ring.style.display = element && byKeys() ? "" : "none";
  if (!element) return;
  const board = Number(element.dataset.cell);
  if (board !== at) {
    drawn.cells[at]?.setAttribute("tabindex", -1);
    at = board;
    element.setAttribute("tabindex", 0);
    keepX = state.hello.profile.cells[board].x;
  }
  ring?.setAttribute("transform", element.getAttribute("transform"));
});

/** Whether an arrow key has no other work: nothing has the focus, no pair is steered, and a window
    too low for the page does not scroll by it.
    @param {KeyboardEvent} event */
function leadsToTheBoard(event) {
  const { key } = event;
  if (!key.startsWith("Arrow") || event.target !== document.body || !drawn.cells[at] || state.view?.lit) return false;
  const { scrollHeight, clientHeight } = document.documentElement;
  return scrollHeight <= clientHeight || key === "ArrowLeft" || key === "ArrowRight";
}

/**
 * Keys that work wherever the focus is, except where one types or chooses.
 * @param {() => void} openHelp
 */
export function listenForKeys(openHelp) {
  // The ring shows only to who goes by keys: the browser's own guess errs when scripts set the focus.
  const { dataset } = document.documentElement;
  document.addEventListener("pointerdown", () => delete dataset.keys, true);
  document.addEventListener("keydown", () => (dataset.keys = ""), true);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTheirs(target(event))) return;
    if (leadsToTheBoard(event)) {
      event.preventDefault();
      goTo(at);
      return;
    }
    /** @type {Record<string, () => unknown>} */
    const acts = { c: confirmMove, t: takeBack, s: standByKey, k: changeHands, b: readBoard, l: readOpen, "?": openHelp, Escape: unpick };
    const act = acts[event.key] ?? acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// Letters and numbers along the edge.

let isNamed = false;

function showLabels() {
  const layer = drawn.layers.labels;
  if (!layer || !state.view) return;
  layer.replaceChildren();
  isNamed = Boolean(state.view.lesson);
  if (!state.labels && !state.view.lesson) return; // a lesson's sentences name cells
  const { pitch_mm: pitch, cells } = state.hello.profile;
  const { names } = state.view.game;
  const places = state.view.game.cells.map((board) => cells[board]);
  /**
   * @param {number} q
   * @param {number} r
   */
  const has = (q, r) => places.some((cell) => cell.q === q && cell.r === r);
  const square = drawn.profile.geometry === "rectangle";
  places.forEach((cell, i) => {
    const [, letters, digits] = /^([a-z]+)(\d+)$/.exec(names[i]) ?? [];
    const [side, below] = square ? [digits, letters] : [letters, digits];
    /**
     * @param {number} x
     * @param {number} y
     * @param {string} text
     */
    const write = (x, y, text) => (draw("text", seen(drawn.profile.turned, { x, y }), layer).textContent = text);
    if (!has(cell.q - 1, cell.r)) write(cell.x - pitch * (square ? 0.66 : 0.63), cell.y, side);
    if (!has(cell.q, cell.r + 1)) {
      if (square) write(cell.x, cell.y + pitch * 0.66, below);
      // On a turned board these stand at the window's edge.
      else write(cell.x + pitch * 0.32, cell.y + pitch * (drawn.profile.turned ? 0.49 : 0.555), below);
    }
  });
}

onBuild(show);
onBuild(showLabels);
on("chosen", show);
on("view world words past looked role wire", show);
on("prefs", showLabels);
on("view", () => Boolean(state.view?.lesson) !== isNamed && showLabels());
// What a tap has set is read: the cell keeps the focus, and its name is another one.
on("looked", () => {
  if (state.draft && drawn.cells[at]) $("said").textContent = drawn.cells[at].getAttribute("aria-label");
});
