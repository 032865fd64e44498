// The bowls beside the board: pieces to take, and who sits there. Pieces of nobody have a bowl too.

import { drawn, onBuild } from "./board.js";
import { outside, RING, SMALL } from "./geometry.js";
import { isPointerless } from "./keys.js";
import { touchBowl } from "./play.js";
import { hasPieces, inBowl, isHost, isHuman, isNamed, kindsUsed, on, sideOf, state } from "./state.js";
import { drawPiece, STONE } from "./stones.js";
import { $, draw } from "./svg.js";
import { BLACK, NEUTRAL, WHITE } from "./wire.js";
import { list, pieceName, playerName, say, seatName, seatShort, sideName, stoneName } from "./words.js";

/** @type {SVGElement[]} */
let bowls = [];

/** @type {Point[]} */
const PILE = [[-0.34, 0.12], [0.34, 0.16], [0.02, 0.36], [-0.14, -0.3], [0.28, -0.26], [0, 0.02]];
/** Half a picture's width below which three long names have no room side by side. */
const NARROW_PX = 240;
/** Doves in hand lie side by side, so that each can be touched; in shares of the bowl's radius. */
/** @type {Point[]} */
const ROOMS = [[0, -0.52], [0.5, -0.16], [0.31, 0.42], [-0.31, 0.42], [-0.5, -0.16], [0, 0]];

/** @type {Record<number, string>} */
const GLOWS = { [WHITE]: "var(--white-side)", [BLACK]: "var(--black-side)", [NEUTRAL]: "var(--terracotta)" };

function build() {
  const { plan, layers } = drawn;
  bowls = plan.spots.map((spot, index) => {
    const kind = kindsUsed()[index];
    const place = draw("g", { class: "bowl-place", transform: `translate(${spot.x} ${spot.y})` }, layers.bowls);
    const g = draw("g", { class: "bowl", role: "button", tabindex: 0, "data-kind": kind }, place);
    const r = plan.radius;
    draw("ellipse", { cx: 1, cy: 3, rx: r * 1.12, ry: r * 1.1, fill: "url(#contact)", opacity: 0.8 }, g);
    const ring = draw("g", { class: "turn-light", fill: "none" }, g);
    draw("circle", { r: r + 1.6, stroke: "#000", "stroke-width": 2.8, opacity: 0.4 }, ring);
    draw("circle", { r: r + 1.6, stroke: GLOWS[kind], "stroke-width": 1.4 }, ring);
    draw("circle", { r, fill: "url(#bowl-rim)" }, g);
    draw("circle", { r: r * 0.86, fill: "url(#bowl-in)" }, g);
    draw("circle", { class: "edge", r: r + 2.6 }, g);
    // The bowl's name says all of these.
    draw("g", { class: "pile", "aria-hidden": true }, place);
    const below = { "aria-hidden": true, "text-anchor": "middle" };
    draw("text", { class: "name", y: r + RING + 16 * plan.unit, ...below }, place);
    draw("text", { class: "who", y: r + RING + 34 * plan.unit, ...below }, place);
    g.addEventListener("keydown", (event) => onKey(event, kind));
    g.addEventListener("click", (event) => isPointerless(event) && press(kind));
    return g;
  });
  show();
}

/**
 * @param {KeyboardEvent} event
 * @param {number} kind
 */
function onKey(event, kind) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.stopPropagation();
  press(kind);
}

/** @param {number} kind */
function press(kind) {
  touchBowl(kind, nextName(kind));
  if (state.picked && !isNamed()) document.querySelector('.cell[tabindex="0"]')?.focus();
}

/**
 * Enter on a bowl of named pieces takes one after the other, then none.
 * @param {number} kind
 */
function nextName(kind) {
  const names = inBowl(sideOf(kind));
  return names[state.picked === kind ? names.indexOf(state.pickedName) + 1 : 0] ?? "";
}

/**
 * @param {SVGElement} place
 * @param {number} kind
 */
function fill(place, kind) {
  const names = inBowl(sideOf(kind));
  const key = `${isNamed()} ${names} ${state.picked === kind ? state.pickedName : ""}`;
  const pile = place.querySelector(".pile");
  if (pile.dataset.key === key) return;
  pile.dataset.key = key;
  pile.replaceChildren();
  const [r, size] = [drawn.plan.radius, drawn.profile.pitch_mm * STONE];
  const places = isNamed() ? ROOMS.slice(0, names.length) : PILE;
  places.forEach(([x, y], i) => {
    const scale = Math.min(0.86, (r * (isNamed() ? 0.3 : 0.42)) / size);
    const at = draw("g", { transform: `translate(${x * r} ${y * r}) scale(${scale})` }, pile);
    drawPiece(kind, names[i] ?? "", size, at);
    if (names[i] && state.picked === kind && names[i] === state.pickedName) {
      draw("circle", { class: "chosen", r: size * 1.25 }, at);
    }
  });
}

/** Whether the names below three bowls would run into each other, or those beside the board into it. */
const narrow = () => {
  const { right, spots, tall, unit } = drawn.plan;
  return spots.length > 2 ? unit > SMALL || right / unit < NARROW_PX : unit > SMALL && !tall;
};

/**
 * Writes what stands below a bowl: beside the wood, no further out than there is room.
 * @param {SVGElement} place
 * @param {string} which
 * @param {string} text
 */
function write(place, which, text) {
  const below = /** @type {SVGTextElement} */ (place.querySelector(which));
  if (below.textContent === text) return;
  below.textContent = text;
  const { margin, right, shape, spots, tall, unit } = drawn.plan;
  const spot = spots[bowls.findIndex((g) => place.contains(g))];
  const [half, sign, y] = [below.getComputedTextLength() / 2, Math.sign(spot.x), spot.y + Number(below.getAttribute("y"))];
  const room = Math.max(right, tall ? 0 : unit * $("board").clientWidth / 2) - 3 - half;
  let { x } = spot;
  while (!tall && Math.abs(x) < room && outside(shape, x - sign * half, y) < margin) x += sign;
  below.setAttribute("x", String(Math.max(-room, Math.min(room, x)) - spot.x));
}

/** @param {number} side */
const seatBelow = (side) => playerName(side, narrow() ? seatShort : seatName);

function show() {
  const { view } = state;
  if (!view) return;
  for (const g of bowls) {
    const kind = Number(g.dataset.kind);
    const side = sideOf(kind);
    const seat = side === null ? null : view.seats[side];
    const owed = view.owing?.find(([which]) => which === kind)?.[1] ?? 0;
    const place = /** @type {SVGElement} */ (/** @type {unknown} */ (g.parentElement));
    fill(place, kind);
    write(place, ".name", seat ? sideName(seat.side) : say("page.bowl.neutral"));
    write(place, ".who", seat ? seatBelow(seat.side) : owed ? say("page.bowl.owed", { n: owed }) : "");
    // Who begins a pie sets stones of both colours.
    const sets = view.pie && view.legal.kinds?.length === 1 ? view.legal.kinds[0] : 0;
    g.classList.toggle("moves", sets ? kind === sets : seat ? view.to_move.includes(seat.side) : owed > 0);
    const picked = state.picked === kind;
    g.classList.toggle("picked", picked);
    g.setAttribute("aria-pressed", String(picked));
    g.setAttribute("aria-label", label(kind, seat));
    g.setAttribute("aria-disabled", String(!isHost()));
  }
}

/**
 * @param {number} kind
 * @param {SeatShown | null} seat
 */
function label(kind, seat) {
  if (!seat) return say("page.bowl.take-neutral", { stone: stoneName(kind) });
  const params = { side: sideName(seat.side), stone: stoneName(kind), who: playerName(seat.side) };
  if (!isHuman(seat.side)) return say("page.bowl.seat", params);
  const names = inBowl(seat.side);
  if (!hasPieces(kind)) return say("page.bowl.none", params);
  if (!names.length) return say("page.bowl.take", params);
  const picked = state.picked === kind && state.pickedName;
  return picked
    ? say("page.bowl.picked", { ...params, piece: pieceName(state.pickedName) })
    : say("page.bowl.hand", { ...params, pieces: list(names.map(pieceName)) });
}

/**
 * {kind, name} of the bowl, and of the piece in it, at a point in mm; null when there is none.
 * @param {number} x
 * @param {number} y
 */
export function bowlAt(x, y) {
  const { plan, profile } = drawn;
  const index = plan.spots.findIndex((s) => Math.hypot(s.x - x, s.y - y) <= plan.radius + 3);
  if (index < 0) return null;
  const kind = kindsUsed()[index];
  const names = inBowl(sideOf(kind));
  /** @param {Point} share */
  const far = ([rx, ry]) => Math.hypot(plan.spots[index].x + rx * plan.radius - x, plan.spots[index].y + ry * plan.radius - y);
  const nearest = names.reduce((best, _, i) => (far(ROOMS[i]) < far(ROOMS[best]) ? i : best), 0);
  const name = names.length && far(ROOMS[nearest]) < profile.pitch_mm * 0.5 ? names[nearest] : names[0] ?? "";
  return { kind, name, element: bowls[index] };
}

onBuild(build);
on("view picked words role wire network", show);
