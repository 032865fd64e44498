// A sign where a part of the page scrolls: its edge fades on the side on which there is more.

import { on } from "./state.js";

const PLACES = "#app, #turn, #lesson, #told, #moves, #coach-moves, #settings, #drawer, .review .rows, dialog";

/** @param {HTMLElement} one */
function mark(one) {
  const above = one.scrollTop > 1;
  const below = one.scrollHeight - one.clientHeight - one.scrollTop > 1;
  const now = above ? (below ? "both" : "above") : below ? "below" : "";
  if (now !== (one.dataset.more ?? "")) one.dataset.more = now;
}

/** @returns {NodeListOf<HTMLElement>} */
const places = () => document.querySelectorAll(PLACES);
const all = () => places().forEach(mark);
let due = 0;

/** After the next drawing: all that the same news changes is written then. */
function soon() {
  cancelAnimationFrame(due);
  due = requestAnimationFrame(all);
}

on("view words past trial network fault prefs", soon);
const sizes = new ResizeObserver(soon);
places().forEach((one) => sizes.observe(one));
document.addEventListener("scroll", (event) => event.target instanceof HTMLElement && event.target.matches(PLACES) && mark(event.target), true);
for (const opens of ["toggle", "click", "input"]) document.addEventListener(opens, soon, true);
