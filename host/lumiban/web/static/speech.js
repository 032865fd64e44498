// What is read aloud: moves and whose turn politely, refusals at once.

import { sentence } from "./turn.js";
import { on, onlyMe, saidOf, state } from "./state.js";
import { raceFigures } from "./turnless.js";
import { say, sayText, sideName, wordName } from "./words.js";

const $ = (id) => document.getElementById(id);

let before = null;
let refused = "";

function said(move) {
  const side = sideName(move.side);
  const { names, slug } = state.view.game;
  // A placement is a cell, with its colour before it where there are no turns or red stones.
  const [, how, cell] = /^(x|w|b|red )?([a-z]+\d+)$/.exec(move.text) ?? [];
  if (names.includes(cell)) {
    if (how === "x") return say("page.said.lift", { side, cell });
    return say(how === "red " ? "page.said.red" : "page.said.place", { side, cell });
  }
  if (/\d|^[+-]/.test(move.text)) return say("page.said.move", { side, move: saidOf(move) });
  return say("page.said.word", { side, word: wordName(slug, move.text.replace(/ [wb]$/, "")) });
}

function listen() {
  const { view } = state;
  if (!view || state.past !== null) return;
  const parts = [];
  if (before) {
    const { moves } = view;
    if (moves.length > before.moves && moves.length - before.moves < 4) {
      for (const move of moves.slice(before.moves)) parts.push(said(move));
    } else if (moves.length < before.moves) parts.push(say("page.said.back"));
  }
  const race = JSON.stringify(view.race ?? null);
  if (before && view.race && race !== before.race) parts.push(raceFigures(view.race) + ".");
  const stopped = view.timeout ? sayText(view.timeout.text) : "";
  if (before && stopped && stopped !== before.stopped) parts.push(stopped);
  const turn = JSON.stringify([view.to_move, view.outcome, view.moves.length]);
  if (!before || before.turn !== turn) {
    if (view.outcome || view.to_move[0] === onlyMe()) parts.push($("headline").textContent + ".");
  }
  const { tone, text, then } = sentence();
  const whole = [text, then].filter(Boolean).join(" ");
  if (tone === "error") {
    if (whole !== refused) $("refused").textContent = whole;
    refused = whole;
  } else {
    refused = "";
    $("refused").textContent = "";
    if (whole && before?.whole !== whole && view.verdict.text) parts.push(whole);
  }
  if (parts.length) $("said").textContent = parts.join(" ");
  before = { moves: view.moves.length, turn, whole, race, stopped };
}

on("view fault", listen);
