// Trays: rows of the board that hold the pieces in hand, each with a place of its own.

import { cellPath, drawn, onBuild } from "./board.js";
import { state } from "./state.js";
import { draw } from "./svg.js";

function build() {
  const { trays = [], cells } = state.view?.game ?? {};
  const pitch = drawn.profile?.pitch_mm ?? 0;
  trays.forEach((tray, side) => {
    const places = tray.map((cell) => drawn.profile.cells[cells[cell]]);
    if (!places.length) return;
    const [xs, ys] = [places.map((p) => p.x), places.map((p) => p.y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const box = { x: left - pitch * 0.54, y: top - pitch * 0.54, width: Math.max(...xs) - left + pitch * 1.08, height: Math.max(...ys) - top + pitch * 1.08, rx: 4 };
    draw("rect", { class: "tray", "data-role": side ? "black" : "white", ...box }, drawn.layers.trays);
    for (const { x, y } of places) {
      draw("path", { class: "slot", d: cellPath(3.4), transform: `translate(${x} ${y})` }, drawn.layers.trays);
    }
  });
}

onBuild(build);
