// What a person wants, whichever way they said it: pointer, tap, key or button.

import { hand, wish } from "./link.js";
import {
  cellName, gameCell, isHost, isHuman, kindOf, kindsNow, mySide, state, tell,
} from "./state.js";

/** The hand that obeys taps and keys; dragging has its own. */
const TAPPING = "tap";

/** Why nothing can be done just now, as a text id, or null. */
function obstacle() {
  if (state.wire !== "up") return "page.lost";
  if (!isHost()) return "page.error.viewer";
  if (state.past !== null) return "page.past.first";
  return null;
}

function complain(id, params = {}) {
  state.fault = { id, params };
  tell("fault");
}

/** Whether acting is possible; says why not. */
export function mayAct() {
  const id = obstacle();
  if (id) complain(id);
  return id === null;
}

/** Take a seat by touching its bowl, and pick a stone from it; touching it again puts it back. */
export function touchBowl(side) {
  if (!mayAct()) return;
  takeSeat(side);
  if (!state.hands) return;
  state.picked = state.picked === kindOf(side) ? 0 : kindOf(side);
  tell("picked");
}

/** Somebody touched this bowl: if a machine sat there, they take the seat; unless their own move
    needs a stone of that colour, as the pie's first player does. */
export function takeSeat(side) {
  const mine = mySide() !== null && state.view.legal.kinds?.includes(kindOf(side));
  if (!isHuman(side) && !mine) wish({ do: "seat", side, who: "human" });
}

export function unpick() {
  if (!state.picked) return;
  state.picked = 0;
  tell("picked");
}

/** A board cell was tapped or chosen by Enter: set a stone there, or lift the one that lies there. */
export function touchCell(board) {
  if (!mayAct()) return;
  const cell = gameCell(board);
  if (cell < 0) return;
  if (!state.hands) {
    tellMove(cell);
    return;
  }
  if (kindsNow()[board]) lift(board);
  else place(board, cell);
}

function lift(board) {
  state.lifted.set(board, kindsNow()[board]);
  hand({ do: "lift", cell: board, hand: TAPPING });
}

function place(board, cell) {
  const kind = kindFor(board, cell);
  if (!kind) {
    complain("page.not-your-turn");
    return;
  }
  state.lifted.delete(board);
  hand({ do: "place", cell: board, kind, hand: TAPPING });
  unpick();
}

/** Which stone a tap on an empty cell means: what the table asks for there, the picked one, the
    one that was lifted from there, else the mover's. */
function kindFor(board, cell) {
  const step = state.view.prompt?.steps.find((s) => s.do === "place" && s.cell === cell);
  if (step) return step.kind;
  if (state.picked) return state.picked;
  const back = state.lifted.get(board);
  if (back && back === state.view.pieces[cell]) return back;
  const side = mySide();
  return side === null ? 0 : kindOf(side);
}

/** On a real board the page cannot move stones, but it can tell a move. */
function tellMove(cell) {
  const side = mySide();
  const { legal } = state.view;
  if (side === null) complain("page.not-your-turn");
  else if (legal.place.includes(cell)) wish({ do: "move", side, text: cellName(cell) });
  else if (legal.lift.includes(cell)) wish({ do: "move", side, text: "x" + cellName(cell) });
  else complain("page.not-legal", { cell: cellName(cell) });
}

// Forget what was lifted once the table has moved on.
export function forgetLifted() {
  for (const [board] of state.lifted) {
    const cell = gameCell(board);
    if (cell < 0 || !state.view.pieces[cell]) state.lifted.delete(board);
  }
}

export const confirmMove = () => mayAct() && state.view?.pending && wish({ do: "confirm" });
export const takeBack = () => mayAct() && state.view?.can_takeback && wish({ do: "takeback" });
export const choose = (text) => mayAct() && wish({ do: "choose", text });
export const acceptBoard = () => mayAct() && wish({ do: "accept-board" });
export const sayWord = (side, word) => mayAct() && wish({ do: "word", side, word });

/** Look at the position after `n` moves; the newest one is the present. */
export function lookBack(n) {
  const last = state.view?.moves.length ?? 0;
  const clipped = Math.max(0, Math.min(n, last));
  state.past = clipped === last ? null : clipped;
  tell("past");
}
