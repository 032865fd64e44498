// The board in words: what stands, what is open, what a move changed, a chain step by step.

import assert from "node:assert/strict";
import { test } from "node:test";
import { view } from "./browser.mjs";

const at = "../../../../host/lumiban/web/static/";
const { state } = await import(`${at}state.js`);
const { loadWords } = await import(`${at}words.js`);
const { boardInWords, openInWords } = await import(`${at}reading.js`);
const { news } = await import(`${at}speech.js`);
await loadWords();
Object.assign(state, { role: "host", wire: "up" });

const CALM = { tone: "calm", text: "" };
const show = (more = {}) => (state.view = view(more));
const counts = (...territory) => territory.map((n) => ({ stones: 1, territory: n }));

test("every piece is read by its colour and cell, once", () => {
  show();
  assert.equal(boardInWords(), "Empty.");
  show({ pieces: [1, 2, 1] });
  assert.equal(boardInWords(), "White: a1, c1. Black: b1.");
});

test("what is open is read to who may act, and to both where there are no turns", () => {
  show({ legal: { place: [0, 2], lift: [1], kinds: [1] } });
  assert.equal(openInWords(), "Place on a1, c1. Take b1.");
  show({ to_move: [1] });
  assert.equal(openInWords(), "Nothing.");
  show({ open: [[0], []] });
  assert.equal(openInWords(), "Open to White: a1. Nothing to Black.");
});

test("a move is told with what it changed, and a stone that is taken only once", () => {
  show({ pieces: [0, 2, 2], counts: counts(1, 2) });
  const { heard } = news(null, "Your turn", CALM);
  const moves = [{ n: 1, side: 0, text: "xb1", said: "xb1" }];
  show({ moves, pieces: [0, 0, 2], counts: counts(2, 1) });
  const { polite } = news(heard, "Your turn", CALM);
  assert.deepEqual(polite.slice(0, 2), ["White takes b1 away.", "Territory: White 2, Black 1."]);
  show({ moves, pieces: [0, 0, 0], counts: counts(2, 1) });
  assert.ok(news(heard, "", CALM).polite.includes("Gone: c1."));
});

test("a chain is told step by step with what each erases, and its points at the end", () => {
  const lit = { fields: [], points: [0, 0] };
  const marks = (...cells) => cells.flatMap(([cell, letter]) => [{ cell, meaning: letter }, { cell, meaning: "erased" }]);
  show({ lit });
  const moves = [{ n: 1, side: 0, text: "RB3.0", said: "RB3.0" }];
  const heard = news(null, "", CALM).heard;
  show({ lit, moves, marks: [...marks([0, "block-r"], [1, "block-r"]), { cell: 2, meaning: "block-b" }] });
  const first = news(heard, "", CALM);
  assert.ok(first.polite.includes("Step 1: 2 red."));
  show({ lit, moves, marks: marks([2, "block-b"], [1, "ojama"]) });
  const second = news(first.heard, "", CALM);
  assert.deepEqual(second.polite, ["Step 2: 1 blue, 1 ojama."]);
  assert.deepEqual(news(second.heard, "", CALM).polite, []);
  show({ lit: { ...lit, points: [360, 0] }, moves });
  assert.deepEqual(news(second.heard, "", CALM).polite, ["Points: White 360, Black 0."]);
});

test("a field is read column by column from below, equal blocks together", () => {
  const rows = ["RR....", "RB....", "BO....", ...Array(11).fill("......")];
  show({ lit: { fields: [rows, Array(14).fill("......")] } });
  assert.equal(boardInWords(), "White: column 1: 2 red, 1 blue, column 2: 1 red, 1 blue, 1 ojama. Black has none.");
});
