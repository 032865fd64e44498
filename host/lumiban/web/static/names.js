// Taking the board as it is, where pieces have names: sensors tell colours only, so people say which
// piece stands where the table does not expect it.

import { wish } from "./link.js";
import { acceptBoard, mayAct } from "./play.js";
import { isNamed, on, state } from "./state.js";
import { $, make } from "./svg.js";
import { WHITE } from "./wire.js";
import { pieceName, say, sayText } from "./words.js";

/** Game cells where another piece stands than the table has there. */
const strange = () => state.view.sensed.flatMap((kind, cell) => (kind && kind !== state.view.pieces[cell] ? [cell] : []));

/**
 * The letters of a colour that do not stand where the table has them.
 * @param {number} kind
 */
function free(kind) {
  const { labels, pieces, sensed } = state.view;
  /** @param {string} letter */
  const own = (letter) => (kind === WHITE) === (letter === letter.toUpperCase());
  return labels.filter((letter, cell) => letter && own(letter) && pieces[cell] !== sensed[cell])
    .concat((state.view.hands ?? []).flat().filter((letter) => own(letter) && !labels.includes(letter)));
}

/** @param {number} cell */
function row(cell) {
  const letters = free(state.view.sensed[cell]);
  const select = make("select", { id: `name-${cell}`, "data-cell": cell }, ...letters.map((letter) => make("option", { value: letter }, pieceName(letter))));
  return make("label", { class: "stacked" }, make("span", {}, state.view.game.names[cell]), select);
}

/** Accept the board as it is; where names are needed they are asked for first. */
export function takeBoard() {
  if (!isNamed() || strange().length === 0) {
    acceptBoard();
    return;
  }
  if (!mayAct()) return;
  $("names-body").replaceChildren(...strange().map(row));
  $("names-fault").textContent = "";
  $("names-dialog").showModal();
}

/** @param {Event} event */
function send(event) {
  event.preventDefault();
  const chosen = [...$("names-body").querySelectorAll("select")];
  const names = Object.fromEntries(chosen.map((select) => [state.view.game.names[select.dataset.cell], select.value]));
  wish({ do: "accept-board", names }, (refused) => ($("names-fault").textContent = refused ? sayText(refused) : ""));
}

// Mended in another way, nothing is left to be named.
on("view", () => $("names-dialog").open && state.view.verdict.kind !== "repair" && $("names-dialog").close());

$("names-form").addEventListener("submit", send);
$("names-cancel").addEventListener("click", () => $("names-dialog").close());
on("words", () => ($("names-title").textContent = say("page.accept-board")));
