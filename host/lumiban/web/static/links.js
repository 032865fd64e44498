// Links to a move (`#move=12`), and the browser's Back button, which leads back to the game.

import { lookBack } from "./play.js";
import { on, state, tell } from "./state.js";

const HASH = /^#move=(\d{1,6})$/;

const linked = () => {
  const found = HASH.exec(location.hash);
  return found ? Number(found[1]) : null;
};

/** Where the page's own link leads until the game is there. */
let asked = linked();

const without = () => history.replaceState(null, "", location.pathname + location.search);

/**
 * Show the position after `n` moves, null for the present; a move that is not there is told.
 * @param {number | null} n
 */
function follow(n) {
  if (n !== null && n > state.view.moves.length) {
    without();
    lookBack(Infinity);
    state.fault = { id: "page.link.no-such-move", params: { n, all: state.view.moves.length } };
    tell("fault");
  } else lookBack(n ?? Infinity);
}

on("past", () => {
  const shown = state.past;
  if (state.draft) return;
  if (shown === linked()) return;
  if (shown === null) without();
  else if (linked() === null) history.pushState(null, "", `#move=${shown}`);
  else history.replaceState(null, "", `#move=${shown}`);
});

on("view", () => {
  if (asked === null) return;
  const n = asked;
  asked = null;
  follow(n);
});

addEventListener("popstate", () => state.view && follow(linked()));
