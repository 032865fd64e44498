// Hands over the board: those of the simulator, drawn as soft circles with a shadow that grows with
// height, and the person's own, which drags a stone by pointer.

import { cellAt, cellPath, drawn, onBuild, toBoard } from "./board.js";
import { bowlAt } from "./bowls.js";
import { meant, outside, closed, spread, seen } from "./geometry.js";
import { hand, onHands } from "./link.js";
import { beside, mayAct, mean, putBackLifted, takeSeat, touchBowl, touchCell, unpick } from "./play.js";
import { gameCell, hasPieces, isHost, kindsNow, kindsUsed, nameOn, state } from "./state.js";
import { drawPiece, STONE } from "./stones.js";
import { draw } from "./svg.js";
import { BLACK } from "./wire.js";

/** Name of the dragging hand. */
const DRAGGING = "drag";
/** Heights (mm) at which a dragged stone is carried: over the board the sensors feel it already. */
const [OVER_BOARD, OVER_TABLE] = [9, 40];
const DRAG_PX = 6;
/** A finger hides what it drags: the stone floats this many pixels above it. */
const FINGER_PX = 44;
const MISSED = -1;
/** A hand this near to the pointer has arrived; it gets so long to do it. */
const [ARRIVED_MM, LATEST_MS] = [2, 800];

/**
 * A hand as it is drawn.
 * @typedef {{ kind: number; piece: string; g: SVGElement; shadow: SVGElement; top: SVGElement }} Drawn
 */

/** @type {Map<string, Drawn>} */
let shown = new Map();

/**
 * @param {string} name
 * @param {number} kind
 */
function handOf(name, kind, piece = "") {
  const old = shown.get(name);
  if (old && old.kind === kind && old.piece === piece) return old;
  old?.g.remove();
  const g = draw("g", { class: "hand", "data-hand": name }, drawn.layers.hands);
  const r = drawn.profile.pitch_mm * STONE;
  const shadow = draw("circle", { class: "shadow", r: r * 2 }, g);
  const made = { kind, piece, g, shadow, top: draw("g", {}, g) };
  if (kind) drawPiece(kind, piece, r, made.top);
  draw("circle", { class: "palm", r: drawn.profile.pitch_mm * 0.62 }, made.top);
  shown.set(name, made);
  return made;
}

/**
 * @param {string} name
 * @param {Place & { h: number; kind: number; piece?: string }} to
 */
function put(name, { x, y, h, kind, piece }) {
  const it = handOf(name, kind, piece);
  const near = 1 / (1 + h / 30);
  it.shadow.setAttribute("transform", `translate(${x + 1 + h * 0.14} ${y + 2 + h * 0.3}) scale(${0.75 + h / 90})`);
  it.shadow.setAttribute("opacity", (0.25 + 0.55 * near).toFixed(2));
  it.top.setAttribute("transform", `translate(${x} ${y}) scale(${1 + h / 260})`);
}

/** @param {string} name */
function away(name) {
  shown.get(name)?.g.remove();
  shown.delete(name);
}

/** Beyond the board's edge the simulator's bowls lie elsewhere than ours: bend the way to ours.
    @param {HandShown} told */
function bend({ hand: name, x, y, h, kind }) {
  const { plan, profile } = drawn;
  const spot = plan.spots[kind > BLACK ? kindsUsed().indexOf(kind) : x < 0 ? 0 : 1];
  const at = spread(profile, seen(profile.turn, { x, y }));
  if (!spot) return { name, ...at, h, kind };
  const share = Math.min(1, Math.max(0, (Math.abs(x) - plan.ownX) / 50));
  return { name, x: at.x + (spot.x - at.x) * share, y: at.y + (spot.y - at.y) * share, h, kind };
}

onHands("hands", (message) => {
  if (!drawn.profile) return;
  const here = new Set(mine ? [DRAGGING] : []);
  for (const told of message.hands) {
    const over = { ...told, ...spread(drawn.profile, seen(drawn.profile.turn, told)) };
    if (told.hand === DRAGGING && mine) {
      arrived(over);
      continue;
    }
    const at = told.hand === DRAGGING ? { ...over, name: DRAGGING } : bend(told);
    here.add(at.name);
    put(at.name, at);
  }
  for (const name of [...shown.keys()]) if (!here.has(name)) away(name);
});

// The person's own hand.

/** A press that may become a drag, and the drag itself. */
/** @type {{ id: number; x: number; y: number; bowl: ReturnType<typeof bowlAt>; cell: number; touch: boolean } | null} */
let press = null;
/** @type {any} */
let mine = null;
let ticking = false;

/** @param {PointerEvent} event */
function down(event) {
  if (press || mine || event.button > 0) return;
  const at = toBoard(event);
  const bowl = bowlAt(at.x, at.y);
  const cell = bowl ? MISSED : cellAt(at.x, at.y);
  if (!bowl && cell < 0) return;
  drawn.svg.setPointerCapture(event.pointerId);
  press = { id: event.pointerId, x: event.clientX, y: event.clientY, bowl, cell, touch: event.pointerType !== "mouse" };
  (bowl?.element ?? drawn.cells[cell])?.focus({ preventScroll: true });
  event.preventDefault();
}

/** @param {PointerEvent} event */
function move(event) {
  if (press?.id === event.pointerId && !mine && far(event)) begin(event);
  if (mine?.id === event.pointerId) follow(event);
}

/** @param {PointerEvent} event */
const far = (event) => Math.hypot(event.clientX - (press?.x ?? 0), event.clientY - (press?.y ?? 0)) > DRAG_PX;

/** @param {PointerEvent} event */
function begin(event) {
  const { bowl, cell, id, touch } = /** @type {NonNullable<typeof press>} */ (press);
  const kind = bowl?.kind ?? kindsNow()[cell];
  if (!kind || (bowl && !hasPieces(kind)) || (cell >= 0 && gameCell(cell) < 0)) return;
  if (!isHost() || !state.hands || state.past !== null) {
    mayAct();
    press = null;
    return;
  }
  if (bowl) takeSeat(kind);
  unpick();
  const piece = bowl ? bowl.name : nameOn(gameCell(cell), kind);
  if (bowl) mean(piece);
  else {
    putBackLifted();
    state.lifted.set(cell, kind);
    state.lifting.add(cell);
  }
  const at = toBoard(event, 0);
  mine = { id, kind, piece, cell, lift: touch ? FINGER_PX : 0, x: at.x, y: at.y, h: 2, wanted: OVER_BOARD, sent: "", landing: 0, told: { x: Infinity, y: 0 } };
  hand(bowl ? { do: "grab", hand: DRAGGING, kind } : { do: "grab", hand: DRAGGING, cell });
  if (!ticking) tick(performance.now());
}

/** @param {PointerEvent} event */
function follow(event) {
  const at = toBoard(event, mine.lift);
  mine.x = at.x;
  mine.y = at.y;
  const { plan } = drawn;
  mine.wanted = outside(plan.shape, at.x, at.y) < plan.margin ? OVER_BOARD : OVER_TABLE;
}

let before = 0;

/** @param {number} now */
function tick(now) {
  ticking = Boolean(mine);
  if (!mine) return;
  const passed = Math.min(50, now - before);
  before = now;
  mine.h += (mine.wanted - mine.h) * (1 - Math.exp(-passed / 80));
  put(DRAGGING, mine);
  aim(cellAt(mine.x, mine.y));
  carry();
  requestAnimationFrame(tick);
}

function carry() {
  const { x: overX, y: overY } = meant(drawn.profile.turn, closed(drawn.profile, mine));
  const [x, y, h] = [overX, overY, mine.h].map((v) => Math.round(v * 10) / 10);
  const key = `${x} ${y} ${h}`;
  if (key === mine.sent) return;
  mine.sent = key;
  hand({ do: "carry", hand: DRAGGING, x, y, h });
}

/**
 * Ring the cell onto which the stone would come down.
 * @param {number} cell
 */
function aim(cell) {
  const layer = drawn.layers.target;
  if (layer.dataset.cell === String(cell)) return;
  layer.dataset.cell = String(cell);
  layer.replaceChildren();
  if (cell < 0 || gameCell(cell) < 0) return;
  const { x, y } = drawn.profile.cells[cell];
  draw("path", { d: cellPath(0.9), transform: `translate(${x} ${y})` }, layer);
}

/** @param {PointerEvent} event */
function up(event) {
  if (mine?.id === event.pointerId) {
    follow(event);
    land();
  } else if (press?.id === event.pointerId && !far(event)) {
    if (press.bowl) touchBowl(press.bowl.kind, press.bowl.name);
    else touchCell(press.cell);
  }
  press = null;
}

/** Let go, once the simulated hand is where the pointer is: it is no faster than a person's. */
function land() {
  mine.h = mine.wanted;
  carry();
  mine.id = null;
  mine.landing = setTimeout(letGo, LATEST_MS);
  arrived(mine.told);
}

/**
 * The simulator told where the dragging hand is; it tells nothing more once the hand rests.
 * @param {Place} told
 */
function arrived(told) {
  mine.told = told;
  if (mine.landing && Math.hypot(told.x - mine.x, told.y - mine.y) < ARRIVED_MM) letGo();
}

function letGo() {
  hand({ do: "drop", hand: DRAGGING });
  const under = cellAt(mine.x, mine.y);
  if (under >= 0 && gameCell(under) < 0) beside();
  endDrag();
}

function endDrag() {
  clearTimeout(mine?.landing);
  mine = null;
  aim(MISSED);
}

/** @param {PointerEvent} event */
function cancel(event) {
  if (mine?.id === event.pointerId) {
    // Far away from every cell: the stone goes back to its bowl.
    hand({ do: "carry", hand: DRAGGING, x: 2 * Math.max(drawn.plan.halfX, drawn.plan.halfY), y: 0, h: OVER_TABLE });
    hand({ do: "drop", hand: DRAGGING });
    endDrag();
  }
  press = null;
}

drawn.svg.addEventListener("pointerdown", down);
drawn.svg.addEventListener("pointermove", move);
drawn.svg.addEventListener("pointerup", up);
drawn.svg.addEventListener("pointercancel", cancel);
drawn.svg.addEventListener("contextmenu", (event) => event.preventDefault());

onBuild(() => (shown = new Map()));
