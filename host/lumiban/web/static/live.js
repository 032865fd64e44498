// The live regions of the page: what speech.js finds to say is read aloud.

import { news } from "./speech.js";
import { on, state } from "./state.js";
import { $ } from "./svg.js";
import { sentence } from "./turn.js";

/** @type {import("./speech.js").Heard | null} */
let before = null;

function listen() {
  if (!state.view || state.past !== null) return;
  const { polite, urgent, heard } = news(before, $("headline").textContent ?? "", sentence());
  if ($("refused").textContent !== urgent) $("refused").textContent = urgent;
  if (polite.length) $("said").textContent = polite.join(" ");
  before = heard;
}

on("view fault", listen);
