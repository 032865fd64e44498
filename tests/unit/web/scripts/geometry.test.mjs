// Shapes of a board: neighbours for the arrow keys, hulls, turned boards.

import assert from "node:assert/strict";
import { test } from "node:test";
import { along, hull, isHex, layOut, linesOf, meant, nearestTurn, outline, outside, roundedPath, seen, step, turnStep } from "../../../../host/lumiban/web/static/geometry.js";

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

/** Squares, rows from the far side to the near one. */
function squares(columns, rows) {
  const cells = [];
  for (let r = 0; r < rows; r++) {
    for (let q = 0; q < columns; q++) {
      cells.push({ name: `${q},${r}`, q, r, x: 25 * (q - (columns - 1) / 2), y: 25 * (r - (rows - 1) / 2), light: cells.length });
    }
  }
  return { name: `grid${columns}x${rows}`, geometry: "rectangle", pitch_mm: 25, cells, lights: cells.length, edges: {} };
}

const KEYS = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];
const AHEAD = { ArrowUp: { x: 0, y: -1 }, ArrowRight: { x: 1, y: 0 }, ArrowDown: { x: 0, y: 1 }, ArrowLeft: { x: -1, y: 0 } };
const [DESK, PHONE] = [{ width: 704, height: 704 }, { width: 390, height: 560 }];
const BOWLS = { count: 2, small: true };

/** Every way in which a board may be seen: its name, and the plan that it is drawn by. */
function* views(hasTop = false) {
  for (const board of [hexagon(3), hexagon(5), squares(9, 9), squares(13, 14), squares(4, 7)]) {
    for (const room of [DESK, PHONE]) {
      for (let turn = 0; turn < 360; turn += turnStep(board, hasTop)) yield [`${board.name} ${turn} ${room.width}`, board, layOut(board, room, BOWLS, turn)];
    }
  }
}

test("every cell is reached by arrow keys from every other one, however the board is turned", () => {
  for (const [name, , { profile }] of views()) {
    const all = [...profile.cells.keys()];
    for (const start of [0, all.length >> 1]) {
      const reached = new Set([start]);
      const edge = [start];
      while (edge.length) {
        const from = edge.pop();
        for (const key of KEYS) {
          const to = step(profile, all, from, key, along(profile, profile.cells[from]));
          if (!reached.has(to)) edge.push(to);
          reached.add(to);
        }
      }
      assert.equal(reached.size, profile.cells.length, name);
    }
  }
});

test("an arrow key leads where it points on the screen, to a neighbour", () => {
  for (const [name, , { profile }] of views()) {
    const all = [...profile.cells.keys()];
    for (const from of all) {
      for (const key of KEYS) {
        const to = step(profile, all, from, key, along(profile, profile.cells[from]));
        if (to === from) continue;
        const [here, there] = [profile.cells[from], profile.cells[to]];
        const [x, y] = [there.x - here.x, there.y - here.y];
        assert.ok(x * AHEAD[key].x + y * AHEAD[key].y > 1, `${name}: ${key} from ${here.name} to ${there.name}`);
        // From the end of a longer line of hexagons the nearest cell of the next one is further.
        if (!isHex(profile)) assert.ok(Math.abs(Math.hypot(x, y) - 25) < 1e-6, `${name}: ${key} from ${here.name}`);
      }
    }
  }
});

test("what is seen on a turned board is meant where it lies", () => {
  const place = { x: 3, y: 7 };
  for (let turn = 0; turn < 360; turn += 30) {
    const back = meant(turn, seen(turn, place));
    assert.ok(Math.hypot(back.x - 3, back.y - 7) < 1e-9);
  }
  assert.deepEqual(seen(90, place), { x: -7, y: 3 });
  assert.deepEqual(seen(180, place), { x: -3, y: -7 });
  assert.deepEqual(seen(undefined, place), place);
});

test("cells of a turned board lie where cells lay, each is there once, and none is renamed", () => {
  for (const [name, board, { profile }] of views()) {
    const lain = layOut(board, name.endsWith("704") ? DESK : PHONE, BOWLS, 0).profile.cells;
    profile.cells.forEach((cell, i) => {
      assert.equal(cell.name, board.cells[i].name);
      assert.ok(lain.some(({ x, y }) => Math.hypot(x - cell.x, y - cell.y) < 1e-6), `${name}: ${cell.name}`);
    });
    assert.equal(new Set(profile.cells.map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`)).size, profile.cells.length);
  }
});

test("what is read first lies at the top, or at the left where lines stand upright", () => {
  for (const [name, , { profile }] of views()) {
    const lines = linesOf(profile);
    assert.deepEqual(lines.flat().toSorted((a, b) => a - b), [...profile.cells.keys()], name);
    const places = lines.map((line) => line.map((i) => profile.cells[i]));
    const stands = isHex(profile) && places[0].length > 1 && Math.abs(places[0][0].x - places[0][1].x) < 1;
    for (const line of places) {
      for (let k = 1; k < line.length; k++) assert.ok(stands ? line[k].y > line[k - 1].y : line[k].x > line[k - 1].x, name);
    }
    for (let k = 1; k < places.length; k++) assert.ok(stands ? places[k][0].x > places[k - 1][0].x : places[k][0].y > places[k - 1][0].y, name);
  }
});

test("a board turns by what its shape and its picture allow", () => {
  assert.equal(turnStep(hexagon(5), true), 60);
  assert.equal(turnStep(squares(9, 9), false), 90);
  assert.equal(turnStep(squares(9, 9), true), 180); // trays lie at its near and far side
  assert.equal(turnStep(squares(13, 14), false), 180);
  // What was chosen for hexagons is kept for squares as well as it can be.
  assert.deepEqual([0, 60, 120, 180, 240, 300].map((turn) => nearestTurn(turn, 180)), [0, 0, 180, 180, 180, 0]);
  assert.deepEqual([0, 90, 180, 270].map((turn) => nearestTurn(turn, 60)), [0, 120, 180, 300]);
});

test("bowls change sides with the board, and the board before it was turned is known", () => {
  const board = squares(13, 14);
  const [straight, turned] = [layOut(board, DESK, BOWLS, 0), layOut(board, DESK, { ...BOWLS, changed: true }, 180)];
  assert.ok(straight.spots[0].x < straight.spots[1].x);
  assert.ok(turned.spots[0].x > turned.spots[1].x);
  for (const [, { pitch_mm: pitch, cells }, plan] of views()) {
    assert.ok(plan.ownX >= Math.max(...cells.map(({ x }) => x)) + pitch / 2);
    assert.ok(plan.ownY >= Math.max(...cells.map(({ y }) => y)) + pitch / 2);
  }
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
