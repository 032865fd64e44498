// Rengi's loop of pairs below the fields: every pair that may be known, and whose turn it is to take
// it. A long loop scrolls.

import { drawBlock, ROLES } from "./rengi_blocks.js";
import { isSolo, on, plays, state } from "./state.js";
import { $, draw, make } from "./svg.js";
import { say, sideName } from "./words.js";

/** Pairs that are to be seen without scrolling; rengi.css makes them so small. */
const SEEN = 12;

/**
 * @param {string} letter
 */
function block(letter) {
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true", "data-role": ROLES[letter] });
  drawBlock(letter, svg, 25);
  return svg;
}

/**
 * @param {string} pair
 * @param {number} number
 * @param {number[]} places
 */
function item(pair, number, places) {
  const taken = places.flatMap((place, side) => (place === number ? [side] : []));
  const names = [...pair].map((letter) => say(`page.rengi.colour.${letter}`)).join(" · ");
  const whose = taken.map((side) => say("page.rengi.loop.in-hand", { side: sideName(side) }));
  const label = [say("page.rengi.loop.pair", { n: number + 1, colours: names }), ...whose].join(" ");
  /** @param {number} side */
  const place = (side) => make("span", { class: "place", "aria-hidden": "true" }, taken.includes(side) ? sideName(side) : "");
  const blocks = make("span", { class: "pair", role: "img", "aria-label": label }, block(pair[1]), block(pair[0]));
  return make("li", taken.length ? { "data-taken": taken.join(" ") } : {}, place(0), blocks, place(1));
}

let told = "";

function show() {
  const list = $("rengi-loop");
  const lit = state.view?.lit;
  const loop = /** @type {{ pairs: string[], size: number, places: number[] } | undefined} */ (lit?.loop);
  list.hidden = !loop?.size;
  if (!loop || list.hidden) {
    told = "";
    return;
  }
  const places = isSolo() ? loop.places.slice(0, 1) : loop.places;
  const now = JSON.stringify([state.language, loop, places]);
  if (now === told) return;
  told = now;
  const hidden = loop.size - loop.pairs.length;
  const items = loop.pairs.map((pair, number) => item(pair, number, places));
  if (hidden) items.push(make("li", { class: "hidden" }, say("page.rengi.loop.hidden", { n: hidden })));
  list.replaceChildren(...items);
  list.tabIndex = loop.size > SEEN ? 0 : -1;
  const own = places.filter((_, side) => plays(side)).join();
  if (looks && own === mine) return; // whoever looks along it goes on until their own next hand
  mine = own;
  looks = false;
  // What both have behind them comes again only after all the others.
  const first = items[Math.min(...places, items.length - 1)];
  if (loop.size > SEEN) list.scrollTo(first.offsetLeft - 8, first.offsetTop - 8);
  else list.scrollTo(0, 0);
}

/** Whether somebody at this device has moved along the loop, and where its players were then. */
let looks = false;
let mine = "";

for (const moved of ["wheel", "pointerdown", "keydown"]) {
  $("rengi-loop").addEventListener(moved, () => (looks = true), { passive: true });
}

on("view words role", show);
