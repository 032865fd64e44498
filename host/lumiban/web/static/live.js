// The live regions of the page: what speech.js finds to say is read aloud.

import { boardInWords, openInWords } from "./reading.js";
import { sentence } from "./sentence.js";
import { news } from "./speech.js";
import { on, state } from "./state.js";
import { $ } from "./svg.js";

/** @type {import("./speech.js").Heard | null} */
let before = null;

/** Say what is new; `again`: somebody did something, and hears a refusal even if it is the last one's. */
function listen(again = false) {
  if (!state.view || state.past !== null) return;
  const { polite, urgent, heard } = news(before, $("headline").textContent ?? "", sentence());
  if ($("refused").textContent !== urgent) $("refused").textContent = urgent;
  else if (again && urgent) read(urgent, "refused");
  if (polite.length) $("said").textContent = polite.join(" ");
  before = heard;
}

/**
 * Read something aloud now, even if it was the last thing that was read.
 * @param {string} text
 * @param {"said" | "refused"} where
 */
function read(text, where = "said") {
  $(where).textContent = "";
  setTimeout(() => ($(where).textContent = text), AGAIN_MS);
}

/** A live region that is emptied and filled at once is not read. */
const AGAIN_MS = 50;

/** What stands where, and whose turn it is. */
export const readBoard = () => state.view && read(`${boardInWords()} ${$("headline").textContent}.`);

/** Where one may play. */
export const readOpen = () => state.view && read(openInWords());

on("words", () => before && listen());
on("view", () => listen());
on("fault", () => listen(true));
