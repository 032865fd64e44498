// Rengi's loop between the fields, around the column in their middle: all pairs that may be known,
// down at the left and up at the right, and whose turn it is to take them.

import { drawn, onBuild } from "./board.js";
import { drawBlock, ROLES } from "./rengi_blocks.js";
import { isSolo, on, state } from "./state.js";
import { draw } from "./svg.js";
import { say, sideName } from "./words.js";

/** Rows of a field. */
const ROWS = 14;
/** So many pairs there is room for at least; of more than MANY two lie beside each other. */
const [MIN_SLOTS, MANY] = [12, 64];

/**
 * @param {SVGElement} layer
 * @param {{ pairs: string[], size: number, places: number[] }} loop
 */
function write(layer, { pairs, size, places }) {
  const p = drawn.profile.pitch_mm;
  const hidden = size - pairs.length;
  const slots = Math.max(MIN_SLOTS, pairs.length + Math.sign(hidden));
  const beside = slots > MANY ? 2 : 1;
  const rows = Math.ceil(slots / 2 / beside);
  const high = Math.min((ROWS * p) / rows, 2.4 * p);
  const upright = high > 1.7 * p;
  const block = Math.min(upright ? 0.47 * high : 0.94 * high, (upright ? 0.85 : 0.47 / beside) * p);
  const lane = p / 2 + (drawn.profile.apart ?? 0) / 2;
  const top = Math.min(...drawn.profile.cells.map(({ y }) => y)) - p / 2 + (ROWS * p - rows * high) / 2;
  const [left, foot] = [-lane, top + (rows - 0.5) * high];
  draw("path", { class: "way", d: `M${left} ${top + high / 2}V${foot}M${lane} ${foot}V${top + high / 2}` }, layer);
  /** @param {number} n */
  const at = (n) => {
    const row = Math.floor(n / beside);
    const down = row < rows;
    const aside = (n % beside) - (beside - 1) / 2;
    return { x: (down ? -lane : lane) + aside * p * 0.52, y: top + (0.5 + (down ? row : 2 * rows - 1 - row)) * high };
  };
  pairs.forEach((pair, n) => {
    const taken = places.flatMap((place, side) => (place === n ? [side] : []));
    const colours = [...pair].map((letter) => say(`page.rengi.colour.${letter}`)).join(" · ");
    const label = [say("page.rengi.loop.pair", { n: n + 1, colours }), ...taken.map((side) => say("page.rengi.loop.in-hand", { side: sideName(side) }))].join(" ");
    const { x, y } = at(n);
    const g = draw("g", { class: "pair", role: "listitem", "aria-label": label, transform: `translate(${x} ${y})`, ...(taken.length ? { "data-taken": taken.join(" ") } : {}) }, layer);
    const [w, h] = upright ? [block, 2 * block] : [2 * block, block];
    if (taken.length) draw("rect", { class: "taken", x: -w / 2 - 1, y: -h / 2 - 1, width: w + 2, height: h + 2, rx: 3 }, g);
    [...pair].forEach((letter, i) => {
      const way = (i - 0.5) * block;
      drawBlock(letter, draw("g", { "data-role": ROLES[letter], transform: upright ? `translate(0 ${-way})` : `translate(${way} 0)` }, g), block);
    });
    for (const side of taken) {
      const way = side ? 1 : -1;
      draw("text", { class: "place", ...(upright ? { x: 0, y: way * (h / 2 + 4) } : { x: taken.length > 1 ? (way * w) / 4 : 0, y: 0 }) }, g).textContent = sideName(side);
    }
  });
  if (hidden) draw("text", { class: "hidden", role: "listitem", "aria-label": say("page.rengi.loop.hidden", { n: hidden }), ...at(pairs.length) }, layer).textContent = `+${hidden}`;
}

let told = "";

function show() {
  const layer = drawn.layers?.loop;
  const loop = /** @type {{ pairs: string[], size: number, places: number[] } | undefined} */ (state.view?.lit?.loop);
  const shown = loop?.size ? { ...loop, places: isSolo() ? loop.places.slice(0, 1) : loop.places } : null;
  const now = JSON.stringify([state.language, shown]);
  if (!layer || now === told) return;
  told = now;
  layer.replaceChildren();
  layer.id = "rengi-loop";
  if (!shown) {
    layer.removeAttribute("role");
    return;
  }
  layer.setAttribute("role", "list");
  layer.setAttribute("aria-label", say("page.rengi.loop"));
  write(layer, shown);
}

onBuild(() => {
  told = "";
  show();
});
on("view words role", show);
