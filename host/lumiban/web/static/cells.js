// Cells for people who do not see or point: names, what may be done there, and the arrow keys.

import { drawn, onBuild } from "./board.js";
import { along, isAlong, isHex, seen, step } from "./geometry.js";
import { isPointerless, isTheirs } from "./keys.js";
import { readBoard, readOpen } from "./live.js";
import { touchCell, confirmMove, lookBack, takeBack, unpick } from "./play.js";
import { litSays } from "./rengi_blocks.js";
import { cellName, gameCell, mySide, on, state } from "./state.js";
import { shownKinds, shownName, shownNumbers } from "./stones.js";
import { $, draw, target } from "./svg.js";
import { switchSound } from "./sound.js";
import { stepBack } from "./trial.js";
import { turnBoard } from "./turning.js";
import { changeHands, openTo, standByKey, tellsOpen } from "./turnless.js";
import { gameName, list, pieceName, say, sayText, sideName, stoneName } from "./words.js";

/** Board cell that has the keyboard. */
let at = -1;
/** Where going across the board's lines leads back to, in mm. */
let back = 0;

const MEANINGS = new Set([
  "last", "mend", "proof", "pending", "tally", "machine-to", "machine-from", "owned", "barred", "wall", "short", "lift-target",
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
  const number = shownNumbers()[cell];
  if (number) parts.push(number);
  const tray = view.game.trays?.findIndex((cells) => cells.includes(cell)) ?? -1;
  if (tray >= 0) parts.push(say("page.cell.tray", { side: sideName(tray) }));
  const choice = view.lobby?.is_lit ? view.lobby.choices.find((one) => one.cell === board) : null;
  if (choice) parts.push(sayText(choice.text));
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
  if (!element || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const board = Number(element.dataset.cell);
  if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    const to = step(drawn.profile, state.view.game.cells, board, event.key, back);
    if (isAlong(drawn.profile, event.key)) back = along(drawn.profile, drawn.profile.cells[to]);
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
    back = along(drawn.profile, drawn.profile.cells[board]);
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

/** Which way an arrow key leads through the past, 0 for none: with Shift always, alone once the past is
    shown or the game is over, where nothing has the focus.
    @param {KeyboardEvent} event */
function wayBack(event) {
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  if (!state.view?.moves.length || state.draft) return 0;
  const alone = event.target === document.body && (state.past !== null || Boolean(state.view.outcome));
  return event.shiftKey || alone ? way : 0;
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
    const way = wayBack(event);
    if (way) {
      event.preventDefault();
      if (state.trial) {
        if (way < 0) stepBack();
        return;
      }
      lookBack((state.past ?? state.view.moves.length) + way);
      return;
    }
    if (leadsToTheBoard(event)) {
      event.preventDefault();
      goTo(at);
      return;
    }
    /** @type {Record<string, () => unknown>} */
    const acts = { c: confirmMove, t: takeBack, s: standByKey, k: changeHands, b: readBoard, l: readOpen, r: turnBoard, m: switchSound, "?": openHelp, Escape: unpick };
    const act = acts[event.key] ?? acts[event.key.toLowerCase()];
    if (!act) return;
    if (event.key !== "Escape") event.preventDefault(); // it closes an open panel too
    act();
  });
}

// Letters and numbers along the edge.

let isNamed = false;

/** Beyond which ends of its lines a name of a line may stand: the step to the next cell there, how
    far from its cell, in pitches, and whether letters stand there or numbers. A name stands at the
    left or the near end as the board is seen. */
const ENDS = {
  /** @type {{ far: number; letters: boolean; steps: [number, number][] }[]} */
  square: [{ far: 0.66, letters: false, steps: [[-1, 0], [1, 0]] }, { far: 0.66, letters: true, steps: [[0, 1], [0, -1]] }],
  /** @type {{ far: number; letters: boolean; steps: [number, number][] }[]} */
  hex: [{ far: 0.63, letters: true, steps: [[-1, 0], [1, 0]] }, { far: 0.64, letters: false, steps: [[0, 1], [1, -1]] }],
};
/**
 * A step of the game on a board on which it is turned.
 * @param {[number, number]} step
 * @param {number} turn
 * @param {boolean} hex
 * @returns {[number, number]}
 */
function onBoard([q, r], turn, hex) {
  if (!hex) return turn === 180 ? [-q, -r] : [q, r];
  for (let left = turn; left > 0; left -= 60) [q, r] = [-r, q + r];
  return [q, r];
}

/** What stands further out than this many pitches from a phone's edge would be cut. */
const FROM_EDGE = 0.09;

function showLabels() {
  const layer = drawn.layers.labels;
  if (!layer || !state.view) return;
  layer.replaceChildren();
  isNamed = Boolean(state.view.lesson);
  if (!state.labels && !state.view.lesson) return; // a lesson's sentences name cells
  const { pitch_mm: pitch, cells, turn } = drawn.profile;
  const { names } = state.view.game;
  const places = state.view.game.cells.map((board) => cells[board]);
  const taken = new Set(places.map(({ q, r }) => `${q} ${r}`));
  const hex = isHex(drawn.profile);
  /** @type {(step: [number, number]) => Place} */
  const ahead = ([q, r]) => seen(turn, hex ? { x: q + r / 2, y: r * Math.sqrt(0.75) } : { x: q, y: r });
  /** @param {Place} way */
  const isNear = ({ x, y }) => 2 * y - x;
  const edge = drawn.plan.box[2] / 2 - pitch * FROM_EDGE;
  for (const { far, letters, steps } of ENDS[hex ? "hex" : "square"]) {
    const [end] = steps.map((step) => onBoard(step, state.hello.profile.turn || 0, hex)).sort((a, b) => isNear(ahead(b)) - isNear(ahead(a)));
    const way = ahead(end);
    places.forEach((cell, i) => {
      if (taken.has(`${cell.q + end[0]} ${cell.r + end[1]}`)) return;
      const name = names[i].replace(letters ? /\d/g : /\D/g, "");
      const x = Math.max(-edge, Math.min(edge, cell.x + pitch * far * way.x));
      draw("text", { x, y: cell.y + pitch * far * way.y }, layer).textContent = name;
    });
  }
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
