// What teaches the game at the table: the way to its rules.

import { on, state } from "./state.js";
import { $ } from "./svg.js";

on("view", () => {
  $("open-rules").href = `/rules?game=${encodeURIComponent(state.view.game.slug)}`;
});
