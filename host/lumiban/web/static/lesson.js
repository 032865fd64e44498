// What teaches the game at the table: the way to its rules.

import { on, state } from "./state.js";

const $ = (id) => document.getElementById(id);

on("view", () => {
  $("open-rules").href = `/rules?game=${encodeURIComponent(state.view.game.slug)}`;
});
