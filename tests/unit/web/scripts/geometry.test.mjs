// Shapes of a board: neighbours for the arrow keys, hulls, turned boards.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hull, isHex, keyOf, layOut, meant, outline, outside, roundedPath, seen, step } from "../../../../host/lumiban/web/static/geometry.js";

/** A hexagon of cells with `edge` of them to a side, rows from the far side to the near one. */
function hexagon(edge) {
  const cells = [];
  for (let r = -edge + 1; r < edge; r++) {
    for (let q = Math.max(-edge + 1, -r - edge + 1); q <= Math.min(edge - 1, edge - 1 - r); q++) {
      cells.push({ name: `${q},${r}`, q, r, x: 25 * (q + r / 2), y: 25 * r * Math.sqrt(0.75), light: cells.length });
    }
  }
  return { name: `hex${edge}`, geometry: "hexagon", pitch_mm: 25, cells, lights: cells.length, edges: {} };
}

const KEYS = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];

test("every cell is reached by arrow keys from every other one", () => {
  const { cells } = hexagon(3);
  for (const start of cells.keys()) {
    const reached = new Set([start]);
    const edge = [start];
    while (edge.length) {
      const from = edge.pop();
      for (const key of KEYS) {
        const to = step(cells, from, key, cells[from].x);
        if (!reached.has(to)) edge.push(to);
        reached.add(to);
      }
    }
    assert.equal(reached.size, cells.length);
  }
});

test("up and down come back to where they started, and edges hold", () => {
  const { cells } = hexagon(3);
  const middle = cells.findIndex(({ q, r }) => q === 0 && r === 0);
  const down = step(cells, middle, "ArrowDown", cells[middle].x);
  assert.equal(step(cells, down, "ArrowUp", cells[middle].x), middle);
  assert.equal(step(cells, 0, "ArrowUp", 0), 0);
  assert.equal(step(cells, 0, "ArrowLeft", 0), 0);
});

test("a cell that the game has not is stepped over by no key", () => {
  const { cells } = hexagon(2);
  const middle = cells.findIndex(({ q, r }) => q === 0 && r === 0);
  const without = cells.map((cell, i) => (i === middle ? null : cell));
  for (const i of cells.keys()) {
    if (i !== middle) for (const key of KEYS) assert.notEqual(step(without, i, key, cells[i].x), middle);
  }
});

test("what is seen on a turned board is meant where it lies, for places and for keys", () => {
  const place = { x: 3, y: 7 };
  assert.deepEqual(meant(true, seen(true, place)), place);
  assert.deepEqual(seen(false, place), place);
  assert.equal(new Set(KEYS.map((key) => keyOf(true, key))).size, 4);
  assert.equal(keyOf(undefined, "ArrowUp"), "ArrowUp");
});

test("a hull holds all points and has no point inside it", () => {
  const points = [[0, 0], [4, 0], [4, 4], [0, 4], [2, 2], [2, 0]];
  const corners = hull(points);
  assert.equal(corners.length, 4);
  for (const [x, y] of points) assert.ok(outside(corners, x, y) <= 1e-9);
  assert.ok(outside(corners, 6, 2) > 1.9);
});

test("paths are closed and have no number that is none", () => {
  const corners = [[0, 0], [4, 0], [4, 4], [0, 4]];
  for (const path of [roundedPath(corners, 1), outline(corners, 2)]) {
    assert.match(path, /^M.*Z$/);
    assert.doesNotMatch(path, /NaN|undefined/);
  }
});

test("a hexagon is turned on a phone and lies beside the columns of a desktop", () => {
  const board = hexagon(5);
  assert.ok(isHex(board));
  const bowls = { count: 2, small: true };
  assert.equal(layOut(board, { width: 390, height: 560 }, bowls).profile.turned, true);
  const wide = layOut(board, { width: 704, height: 704 }, bowls);
  assert.equal(wide.profile.turned, undefined);
  assert.equal(wide.spots.length, 2);
});
