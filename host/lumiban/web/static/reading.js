// The board in words, for who does not see it: what stands where, what is open, what a move changed,
// and Rengi's fields and chains.

import { isNamed, kindsUsed, mySide, nameOn, sideOf, state } from "./state.js";
import { list, pieceName, say, sayAny, sideName, stoneName } from "./words.js";

/** @param {number} cell */
const cellName = (cell) => state.view.game.names[cell];

/** @param {number[]} cells */
const named = (cells) => list(cells.map(cellName));

/**
 * What stands on a cell, as the list of its colour has it: the cell alone, or a dove's name too.
 * @param {number} cell
 */
function standing(cell) {
  const name = isNamed() ? nameOn(cell, state.view.pieces[cell]) : "";
  return name ? `${pieceName(name)} ${cellName(cell)}` : cellName(cell);
}

/**
 * Equal blocks that lie on each other, counted: "2 red, blue".
 * @param {string[]} letters
 */
const counted = (letters) => {
  /** @type {[string, number][]} */
  const runs = [];
  for (const letter of letters) {
    const last = runs.at(-1);
    if (last?.[0] === letter) last[1]++;
    else runs.push([letter, 1]);
  }
  return list(runs.map(([letter, n]) => blocks(letter, n)));
};

/** @param {string} letter */
const colour = (letter) => (letter === "O" ? say("page.rengi.mark.ojama") : say(`page.rengi.colour.${letter}`));

/**
 * @param {string} letter
 * @param {number} n
 */
const blocks = (letter, n) => say("page.said.blocks", { n, colour: colour(letter) });

/** Rengi's fields, column by column from below. */
function fieldsInWords() {
  /** @type {string[][]} */
  const fields = state.view.lit?.fields ?? [];
  return fields.map((rows, side) => {
    const columns = [0, 1, 2, 3, 4, 5].map((n) => rows.map((row) => row[n]).filter((letter) => letter !== "."));
    const told = columns.flatMap((letters, n) => (letters.length ? [say("page.read.column", { n: n + 1, blocks: counted(letters) })] : []));
    const params = { side: sideName(side), columns: list(told) };
    return say(told.length ? "page.read.field" : "page.read.field.empty", params);
  });
}

/** What stands where, colour by colour. */
export function boardInWords() {
  const { game, pieces } = state.view;
  if (state.view.lit) return fieldsInWords().join(" ");
  const told = kindsUsed().flatMap((kind) => {
    const cells = pieces.flatMap((one, cell) => (one === kind ? [standing(cell)] : []));
    const side = sideOf(kind);
    const who = side === null || side >= game.sides.length ? stoneName(kind) : sideName(side);
    return cells.length ? [say("page.read.kind", { who, cells: list(cells) })] : [];
  });
  return told.join(" ") || say("page.read.empty");
}

/** Where who reads may play now. */
export function openInWords() {
  const { legal, lit, open, marks } = state.view;
  if (open) {
    return open.map((cells, side) => cells.length
      ? say("page.read.open", { side: sideName(side), cells: named(cells) })
      : say("page.read.open.none", { side: sideName(side) })).join(" ");
  }
  const place = lit ? marks.filter((mark) => mark.meaning === "may-place").map((mark) => mark.cell) : legal.place;
  const told = [];
  if (mySide() !== null && place.length) told.push(say("page.read.place", { cells: named(place) }));
  if (mySide() !== null && !lit && legal.lift.length) told.push(say("page.read.lift", { cells: named(legal.lift) }));
  return told.join(" ") || say("page.read.none");
}

/** What of a view tells its changes: kept until the next one. */
export const figures = () => ({
  pieces: state.view.pieces,
  territory: (state.view.counts ?? []).map((count) => count.territory ?? 0),
  points: /** @type {number[]} */ (state.view.lit?.points ?? []),
});

/**
 * What changed beside the moves themselves: pieces that went, territory, points.
 * @param {ReturnType<typeof figures>} before
 * @param {MoveShown[]} moves
 */
export function changes(before, moves) {
  const { game, lit } = state.view;
  const now = figures();
  const told = [];
  const gone = before.pieces.flatMap((kind, cell) =>
    kind && !now.pieces[cell] && !moves.some(({ text, said = "" }) => [text, said].join().includes(cellName(cell))) ? [cell] : []);
  if (gone.length && !lit) told.push(say("page.said.gone", { cells: named(gone) }));
  const territory = sayAny([`game.${game.slug}.count.territory`], say("page.count.territory"));
  for (const [what, was, is] of /** @type {[string, number[], number[]][]} */ ([
    [territory, before.territory, now.territory], [say("page.rengi.points"), before.points, now.points],
  ])) {
    if (is.length && String(was) !== String(is)) {
      told.push(say("page.said.count", { what, sides: list(is.map((n, side) => `${sideName(side)} ${n}`)) }));
    }
  }
  return told;
}

/** The cells that the step of a chain which is shown now erases; [] while none is. */
export const erasing = () =>
  state.view.lit ? state.view.marks.filter((mark) => mark.meaning === "erased").map((mark) => mark.cell) : [];

/**
 * What lies on these cells: "4 red, 5 blue".
 * @param {number[]} cells
 */
export function blocksInWords(cells) {
  const { marks } = state.view;
  const gone = new Set(cells);
  /** @type {Map<string, number>} */
  const count = new Map();
  for (const { cell, meaning } of marks) {
    const letter = meaning === "ojama" ? "O" : /^block-(.)$/.exec(meaning)?.[1].toUpperCase();
    if (letter && gone.has(cell)) count.set(letter, (count.get(letter) ?? 0) + 1);
  }
  return list([...count].map(([letter, n]) => blocks(letter, n)));
}
