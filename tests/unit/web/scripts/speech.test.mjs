// What is read aloud: each move once, refusals at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { view } from "./browser.mjs";

const at = "../../../../host/lumiban/web/static/";
const { state } = await import(`${at}state.js`);
const { loadWords } = await import(`${at}words.js`);
const { news, raceFigures, said } = await import(`${at}speech.js`);
await loadWords();

const CALM = { tone: "calm", text: "" };
const moved = (side, text, said = text) => ({ n: 1, side, text, said });
const show = (more = {}) => (state.view = view(more));

test("a move is told by what it does", () => {
  show();
  assert.equal(said(moved(0, "b1")), "White plays b1.");
  assert.equal(said(moved(1, "xb1")), "Black takes b1 away.");
  assert.equal(said(moved(0, "red c1")), "White sets red on c1.");
  assert.equal(said(moved(1, "+T3", "T to c5")), "Black: T to c5.");
  assert.equal(said(moved(1, "resign b")), "Black says resign.");
  assert.equal(said(moved(0, "put bc1")), "White sets up a black stone on c1.");
  assert.equal(said(moved(1, "lend c1")), "Black lends c1.");
  assert.equal(said(moved(0, "lift c1")), "White takes c1 away.");
});

test("each move is told once, and what was played before the page came is not", () => {
  show({ moves: [moved(0, "a1")] });
  let { heard, polite } = news(null, "Your turn", CALM);
  assert.ok(!polite.some((text) => text.includes("plays")));
  show({ moves: [moved(0, "a1"), moved(1, "b1")] });
  ({ heard, polite } = news(heard, "Your turn", CALM));
  assert.equal(polite.filter((text) => text === "Black plays b1.").length, 1);
  ({ polite } = news(heard, "Your turn", CALM));
  assert.deepEqual(polite, []);
});

test("a move that is taken back is told", () => {
  show({ moves: [moved(0, "a1")] });
  const { heard } = news(null, "", CALM);
  show();
  assert.equal(news(heard, "Your turn", CALM).polite[0], "A move was taken back.");
});

test("a refusal is urgent, and no longer once it is mended", () => {
  show();
  const refusal = { tone: "error", text: "Black controls this cell.", then: "Take it back." };
  const { heard, polite, urgent } = news(null, "", refusal);
  assert.equal(urgent, "Black controls this cell. Take it back.");
  assert.ok(!polite.includes(urgent));
  assert.equal(news(heard, "", CALM).urgent, "");
});

test("a photo finish is told in numbers, once", () => {
  show();
  const { heard } = news(null, "", CALM);
  const race = { cell: 0, winner: 1, by_us: 3200, uncertainty_us: 1100, tie: false, text: { id: "", params: {} } };
  assert.equal(raceFigures(race), "Black by 3.2 ± 1.1");
  assert.equal(raceFigures({ ...race, tie: true }), "Black by the coin");
  show({ race });
  const next = news(heard, "", CALM);
  assert.deepEqual(next.polite, ["Black by 3.2 ± 1.1."]);
  assert.deepEqual(news(next.heard, "", CALM).polite, []);
});

test("once all is put right, or what was waited for has come, whose turn it is is said again", () => {
  state.role = "host";
  const set = { id: "page.set", params: {} };
  show({ verdict: { ...view().verdict, kind: "repair", text: set } });
  const moment = { tone: "calm", text: "The pieces are being set up." };
  const { heard, polite } = news(null, "Your turn", moment);
  assert.ok(polite.includes(moment.text));
  show();
  const now = news(heard, "Your turn", { tone: "calm", text: "Place a stone." });
  assert.deepEqual(now.polite, ["Your turn. Place a stone."]);
  assert.deepEqual(news(now.heard, "Your turn", CALM).polite, []);
  // Not where it is another's.
  show({ to_move: [1] });
  assert.deepEqual(news({ ...now.heard, asked: true, turn: JSON.stringify([[1], null, 0]) }, "Black to move", CALM).polite, []);
  state.role = "viewer";
});
