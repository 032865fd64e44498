// The panel with which other moves are tried after a game: those that a tap may have meant, and all.

import { on, state } from "./state.js";
import { $, make, makeButton } from "./svg.js";
import { meant, toldOf, tryMove } from "./trial.js";
import { say, sayAny } from "./words.js";

/** More moves than these are a list to choose from, not a row of buttons. */
const MAX_BUTTONS = 8;

let drawn = "";

function show() {
  const { trial } = state;
  $("trial").hidden = !trial;
  const may = trial?.shown?.may ?? [];
  const chosen = trial?.picked.length ? meant() : [];
  const key = JSON.stringify([may, chosen, state.language, Boolean(trial)]);
  if (key === drawn) return;
  drawn = key;
  if (!trial || !may.length) {
    $("trial").replaceChildren();
    return;
  }
  const buttons = chosen.length <= MAX_BUTTONS ? chosen.map((move) => makeButton(() => tryMove(move), {}, toldOf(move))) : [];
  /** @param {number} side */
  const named = (side) => sayAny([`side.${trial.sides[side]}`], trial.sides[side] ?? "");
  // What was tapped leaves these; the tap that means one of them has played it.
  const offered = chosen.length ? chosen : may;
  const several = new Set(may.map((move) => move.side)).size > 1;
  const select = make("select", { "aria-label": say("page.try.move") }, ...offered.map((move, i) =>
    make("option", { value: i }, several ? `${named(move.side)} ${toldOf(move)}` : toldOf(move))));
  $("trial").replaceChildren(...buttons, select, makeButton(() => tryMove(offered[Number(select.value)]), {}, say("page.try.play")));
}

on("past view words trial", show);
