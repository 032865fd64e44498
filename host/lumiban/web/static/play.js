// What a person wants, whichever way they said it: pointer, tap, key or button.

import { secondTap } from "./dove_told.js";
import { choosePiece, touchDraft } from "./draft.js";
import { hand, wish } from "./link.js";
import {
  acts, byFingers, cellName, gameCell, hasPieces, isHost, isHuman, isNamed, isSeat, kindOf, kindsNow, mySide, on, phase, sideOf, state, tell, twoHands,
} from "./state.js";
import { touchTrial } from "./trial.js";
import { WHITE } from "./wire.js";

/** The hands that obey taps and keys; dragging has its own. Two hands work at once. */
const TAPPING = "tap";
const TYPING = "keys";

/** Why nothing can be done just now, as a text id, or null. */
function obstacle() {
  if (state.wire !== "up") return state.full ? "page.full" : "page.lost";
  if (!acts()) return state.hello?.network ? "network.watching" : "page.error.viewer";
  if (state.draft) return "page.setup.first";
  if (state.past !== null) return "page.past.first";
  return null;
}

/** @param {string} id */
function complain(id, params = {}) {
  state.fault = { id, params };
  tell("fault");
}

/** A piece beside the cells of this game is no move, and is taken away again. */
export const beside = () => complain("page.beside");

/** Whether acting is possible; says why not. */
export function mayAct() {
  const id = obstacle();
  if (id) complain(id);
  return id === null;
}

/** Whether another game, lesson or puzzle may begin: who looks back at a game has seen enough of it. */
export function mayBegin() {
  if (state.past !== null && state.view) lookBack(state.view.moves.length);
  return mayAct();
}

/**
 * Take a seat by touching its bowl, and pick a piece from it; touching it again puts it back.
 * @param {number} kind
 */
export function touchBowl(kind, name = "") {
  if (state.draft) {
    choosePiece(name || kind);
    return;
  }
  if (!mayAct()) return;
  takeSeat(kind);
  if (!(state.hands || isNamed()) || !hasPieces(kind)) return;
  const again = state.picked === kind && state.pickedName === name;
  state.picked = again ? 0 : kind;
  state.pickedName = again ? "" : name;
  tell("picked");
}

/**
 * Somebody touched this bowl: if a machine sat there, they take the seat; unless their own move
 * needs a stone of that colour, as the pie's first player does.
 * @param {number} kind
 */
export function takeSeat(kind) {
  const side = sideOf(kind);
  if (side === null || !isHost()) return;
  const mine = mySide() !== null && state.view.legal.kinds?.includes(kind);
  if (!isHuman(side) && !mine) wish({ do: "seat", side, who: "human" });
}

export function unpick() {
  if (!state.picked) return;
  state.picked = 0;
  state.pickedName = "";
  tell("picked");
}

/**
 * A board cell was tapped or chosen by Enter: set a piece there, or lift the one that lies there.
 * @param {number} board
 */
export function touchCell(board, byKeys = false) {
  const cell = gameCell(board);
  if (state.draft) {
    touchDraft(cell);
    return;
  }
  if (state.trial) {
    touchTrial(cell);
    return;
  }
  if (!mayAct()) return;
  if (cell < 0) {
    beside();
    return;
  }
  if (isSeat() && !state.byTouch) {
    complain("network.confirms");
    return;
  }
  if (!state.hands) {
    if (state.view.lit) {
      state.aimed = cell;
      tell("aim");
      return;
    }
    tellMove(cell, byKeys);
    return;
  }
  if (kindsNow()[board]) lift(board, byKeys);
  else place(board, cell, byKeys);
}

/**
 * @param {number} board
 * @param {boolean} byKeys
 */
function lift(board, byKeys) {
  putBackLifted(byKeys);
  state.lifted.set(board, kindsNow()[board]);
  state.lifting.add(board);
  hand({ do: "lift", cell: board, hand: byKeys ? TYPING : TAPPING });
}

/**
 * A second piece is another choice: the one before goes back to where it was.
 * @param {boolean} byKeys
 */
export function putBackLifted(byKeys = false) {
  if (!isNamed()) return;
  for (const [from, kind] of state.lifted) {
    if (gameCell(from) < 0 || state.view.pieces[gameCell(from)] !== kind) continue;
    hand({ do: "place", cell: from, kind, hand: byKeys ? TYPING : TAPPING });
  }
  state.lifted.clear();
  state.lifting.clear();
}

/**
 * @param {number} board
 * @param {number} cell
 * @param {boolean} byKeys
 */
function place(board, cell, byKeys) {
  const kind = kindFor(board, cell, byKeys);
  if (!kind) {
    complain(mySide(byKeys) === null ? "page.not-your-turn" : "page.dove.first");
    return;
  }
  state.lifted.delete(board);
  if (state.picked === kind) mean(state.pickedName);
  onTheWay.set(board, kind);
  hand({ do: "place", cell: board, kind, hand: byKeys ? TYPING : TAPPING });
  // Where a turn takes several stones, the one in hand may be the last of its kind.
  unpick();
}

/**
 * Which piece a tap on an empty cell means: what the table asks for there, the picked one, the one
 * that was lifted, else the mover's; where only pieces of one kind may be placed, that kind.
 * @param {number} board
 * @param {number} cell
 * @param {boolean} byKeys
 */
function kindFor(board, cell, byKeys) {
  const { view } = state;
  const step = view.prompt?.steps.find((s) => s.do === "place" && s.cell === cell);
  if (step) return step.kind;
  if (view.lobby) return view.game.kinds[0] ?? WHITE;
  if (state.picked) return state.picked;
  const back = state.lifted.get(board);
  if (back && back === view.pieces[cell]) return back;
  if (isNamed() && state.lifted.size) return [...state.lifted.values()].at(-1);
  const side = sideFor(cell, byKeys);
  if (side === null || !hasPieces(kindOf(side))) return 0;
  if (view.owing?.length) return stillOwed(view.owing);
  const kinds = view.legal.kinds ?? [];
  return kinds.length === 1 && !view.turnless ? kinds[0] : kindOf(side);
}

/**
 * The side that touches this cell: two people who share a screen say so by the cell, and so does
 * one who learns, by keys too.
 * @param {number} cell
 * @param {boolean} byKeys
 */
function sideFor(cell, byKeys) {
  const open = state.view.open?.findIndex((cells) => cells.includes(cell)) ?? -1;
  const byCell = Boolean(state.view.lesson) || (byFingers() && !byKeys);
  return open >= 0 && twoHands() && byCell ? open : mySide(byKeys);
}

/** Board cell → kind of a stone that a hand is bringing: taps may be faster than hands. */
const onTheWay = new Map();

on("view", () => {
  for (const [board] of onTheWay) {
    const cell = gameCell(board);
    if (cell < 0 || state.view.pieces[cell] || state.view.verdict.kind !== "agree") onTheWay.delete(board);
  }
});

/**
 * The first kind that the turn still takes beside what is on its way already.
 * @param {number[][]} owing
 */
function stillOwed(owing) {
  const coming = [...onTheWay.values()];
  const left = owing.find(([kind, n]) => coming.filter((one) => one === kind).length < n);
  return (left ?? owing[0])[0];
}

/**
 * On a real board the page cannot move stones, but it can tell a move.
 * @param {number} cell
 * @param {boolean} byKeys
 */
function tellMove(cell, byKeys) {
  const side = sideFor(cell, byKeys);
  const { legal, open, owing = [] } = state.view;
  const { says } = phase();
  if (side === null) complain(says?.id ?? "page.not-your-turn", says?.params);
  else if (isNamed()) tellDove(cell, side);
  else if (open) wish({ do: "move", side, text: cellName(cell) });
  else if (legal.place.includes(cell)) {
    const only = owing.length === 1 ? owing[0][0] : legal.kinds?.length === 1 ? legal.kinds[0] : 0;
    const neutral = (state.picked || only) === 3;
    wish({ do: "move", side, text: (neutral ? "red " : "") + cellName(cell) });
    unpick();
  } else if (legal.lift.includes(cell)) wish({ do: "move", side, text: "x" + cellName(cell) });
  else complain("page.not-legal", { cell: cellName(cell) });
}

/**
 * @param {number} cell
 * @param {number} side
 */
function tellDove(cell, side) {
  const picked = state.picked === kindOf(side) ? state.pickedName : "";
  const meant = picked && !state.view.labels[cell] ? { text: `+${picked}${cellName(cell)}` } : secondTap(state.view, side, state.chosen, cell);
  state.chosen = meant.chosen ?? null;
  unpick();
  tell("chosen");
  if (meant.fault) complain(meant.fault);
  if (meant.text) wish({ do: "move", side, text: meant.text });
}

/** Forget what was lifted once the table has moved on or it lies there again; a piece that a hand
    is only on its way to lies there still. */
export function forgetLifted() {
  for (const [board] of state.lifted) {
    const cell = gameCell(board);
    if (!kindsNow()[board]) state.lifting.delete(board);
    const back = kindsNow()[board] && !state.lifting.has(board);
    if (cell >= 0 && state.view.pieces[cell] && !back) continue;
    state.lifted.delete(board);
    state.lifting.delete(board);
  }
}

// Which dove was taken by name: when the table asks, the page knows the answer.

let meant = "";

/** @param {string} name */
export function mean(name) {
  meant = name;
}

on("view", () => {
  const { verdict } = state.view;
  if (!meant || !isHost() || verdict.kind !== "choose") return;
  const fitting = verdict.choices.filter((text, i) => (verdict.said?.[i] ?? text).startsWith(`+${meant}`));
  meant = "";
  if (fitting.length === 1) choose(fitting[0]);
});

/** Whether the table waits for a word: that a move counts, or that pieces stand as they are told. */
export const toConfirm = () => {
  const { view } = state;
  // Between two machines nobody has a move to confirm: hands bring it, or the step is told.
  const own = view?.pending && (view.seats.some((seat) => seat.who === "human") || !state.hello?.assisted);
  return Boolean(own) || view?.verdict.text?.id === "table.names-check";
};
export const confirmMove = () => mayAct() && toConfirm() && wish({ do: "confirm" });
export const takeBack = () => mayAct() && state.view?.can_takeback && wish({ do: "takeback" });
/** @param {string} text */
export const choose = (text) => mayAct() && wish({ do: "choose", text });
export const acceptBoard = () => mayAct() && wish({ do: "accept-board" });
/**
 * @param {number} side
 * @param {string} word
 */
export const sayWord = (side, word) => mayAct() && wish({ do: "word", side, word });
/**
 * The button of a side: it is ready after a time out, or else it stands.
 * @param {number} side
 */
export const pressButton = (side) => mayAct() && wish({ do: "confirm", side });

/**
 * Look at the position after `n` moves; the newest one is the present.
 * @param {number} n
 */
export function lookBack(n) {
  const last = state.view?.moves.length ?? 0;
  const clipped = Math.max(0, Math.min(n, last));
  state.past = clipped === last ? null : clipped;
  state.fault = null;
  tell("past");
}
