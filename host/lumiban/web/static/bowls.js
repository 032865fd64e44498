// The bowls beside the board: stones to take, and who sits there.

import { drawn, onBuild } from "./board.js";
import { RING } from "./geometry.js";
import { touchBowl } from "./play.js";
import { isHost, isHuman, kindOf, on, state } from "./state.js";
import { drawStone, STONE } from "./stones.js";
import { draw } from "./svg.js";
import { say, seatName, sideName, stoneName } from "./words.js";

let bowls = [];

/** mm a px from which on a window is too small to centre names below the bowls. */
const SMALL = 0.45;

const PILE = [[-0.34, 0.12], [0.34, 0.16], [0.02, 0.36], [-0.14, -0.3], [0.28, -0.26], [0, 0.02]];

function build() {
  const { plan, profile, layers } = drawn;
  bowls = plan.spots.map((spot, side) => {
    const kind = kindOf(side);
    const g = draw("g", {
      class: "bowl", role: "button", tabindex: 0, "data-side": side, "data-kind": kind,
      transform: `translate(${spot.x} ${spot.y})`,
    }, layers.bowls);
    const r = plan.radius;
    const glow = side === 0 ? "var(--white-side)" : "var(--black-side)";
    draw("ellipse", { cx: 1, cy: 3, rx: r * 1.12, ry: r * 1.1, fill: "url(#contact)", opacity: 0.8 }, g);
    const ring = draw("g", { class: "turn-light", fill: "none" }, g);
    draw("circle", { r: r + 1.6, stroke: "#000", "stroke-width": 2.8, opacity: 0.4 }, ring);
    draw("circle", { r: r + 1.6, stroke: glow, "stroke-width": 1.4 }, ring);
    draw("circle", { r, fill: "url(#bowl-rim)" }, g);
    draw("circle", { r: r * 0.86, fill: "url(#bowl-in)" }, g);
    for (const [x, y] of PILE) {
      const at = draw("g", { transform: `translate(${x * r} ${y * r}) scale(.86)` }, g);
      drawStone(kind, profile.pitch_mm * STONE, at);
    }
    draw("circle", { class: "edge", r: r + 2.6 }, g);
    // In a narrow window long names would run out of it: there they start at the window's edge.
    const text = plan.unit > SMALL
      ? { x: (side ? 1 : -1) * (plan.right - 3) - spot.x, "text-anchor": side ? "end" : "start" }
      : { "text-anchor": "middle" };
    draw("text", { class: "name", y: r + RING + 16 * plan.unit, ...text }, g);
    draw("text", { class: "who", y: r + RING + 34 * plan.unit, ...text }, g);
    g.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      touchBowl(side);
      if (state.picked) document.querySelector('.cell[tabindex="0"]')?.focus();
    });
    return g;
  });
  show();
}

function show() {
  const { view } = state;
  if (!view) return;
  bowls.forEach((g, side) => {
    const seat = view.seats[side];
    if (!seat) return;
    g.querySelector(".name").textContent = sideName(side);
    g.querySelector(".who").textContent = seatName(seat.who);
    g.classList.toggle("moves", view.to_move.includes(side));
    g.classList.toggle("picked", state.picked === kindOf(side));
    g.setAttribute("aria-pressed", String(state.picked === kindOf(side)));
    const params = { side: sideName(side), stone: stoneName(kindOf(side)), who: seatName(seat.who) };
    g.setAttribute("aria-label", say(isHuman(side) ? "page.bowl.take" : "page.bowl.seat", params));
    g.setAttribute("aria-disabled", String(!isHost()));
  });
}

/** Side of the bowl at a point in mm, −1 when there is none. */
export function bowlAt(x, y) {
  const { plan } = drawn;
  return plan.spots.findIndex((s) => Math.hypot(s.x - x, s.y - y) <= plan.radius + 3);
}

onBuild(build);
on("view picked words role wire", show);
