// A dove's move by two taps: the dove, then the cell it goes to.

import assert from "node:assert/strict";
import { test } from "node:test";

import { secondTap } from "../../../../host/lumiban/web/static/dove_told.js";

// A row of six cells: Red's tray (a1 holds A, b1 is Y's empty place), Red's T and Green's b in the
// field, an empty cell, and Green's tray.
const view = {
  labels: ["A", "", "T", "b", "", "m"],
  pieces: [1, 0, 1, 2, 0, 2],
  game: { names: ["a1", "b1", "c1", "d1", "e1", "f1"], trays: [[0, 1], [5]] },
};
const [A, PLACE_OF_Y, T, GREEN, EMPTY, M] = [0, 1, 2, 3, 4, 5];

test("the first tap chooses a dove of one's own, and nothing else", () => {
  assert.deepEqual(secondTap(view, 0, null, T), { chosen: T });
  assert.deepEqual(secondTap(view, 1, null, M), { chosen: M });
  for (const cell of [PLACE_OF_Y, GREEN, EMPTY, M]) {
    assert.deepEqual(secondTap(view, 0, null, cell), { fault: "page.dove.first" });
  }
});

test("the second tap tells the move: from the tray, on the field, back into the tray", () => {
  assert.deepEqual(secondTap(view, 0, A, EMPTY), { text: "+Ae1" });
  assert.deepEqual(secondTap(view, 0, T, EMPTY), { text: "Tc1-e1" });
  assert.deepEqual(secondTap(view, 0, T, PLACE_OF_Y), { text: "-T" });
  assert.deepEqual(secondTap(view, 1, GREEN, EMPTY), { text: "bd1-e1" });
  // Where another dove stands the table says why not.
  assert.deepEqual(secondTap(view, 0, T, GREEN), { text: "Tc1-d1" });
});

test("a tap on another dove of one's own chooses that one, on the same one none", () => {
  assert.deepEqual(secondTap(view, 0, A, T), { chosen: T });
  assert.deepEqual(secondTap(view, 0, T, T), { chosen: null });
  assert.deepEqual(secondTap(view, 0, A, PLACE_OF_Y), { chosen: null });
});

test("a dove that has gone meanwhile is chosen anew", () => {
  assert.deepEqual(secondTap(view, 0, EMPTY, PLACE_OF_Y), { chosen: null, fault: "page.dove.first" });
});
