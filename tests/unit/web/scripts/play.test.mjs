// What a tap, a key or a button makes the page ask for.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { hear, sent, view } from "./browser.mjs";

const at = "../../../../host/lumiban/web/static/";
const { state } = await import(`${at}state.js`);
const { connect } = await import(`${at}link.js`);
const play = await import(`${at}play.js`);

const hello = (more = {}) => ({
  type: "hello", role: "host", simulated: false, assisted: false, levels: ["easy"], games: [], unfit: [],
  profile: { name: "row", geometry: "rectangle", pitch_mm: 25, cells: [{}, {}, {}], lights: 3, edges: {} },
  ...more,
});

connect();

beforeEach(() => {
  Object.assign(state, { fault: null, past: null, picked: 0, pickedName: "", byTouch: true, side: null });
  state.lifted.clear();
  state.lifting.clear();
  hear(hello());
  hear(view());
  sent.length = 0;
});

test("on a real board a tap tells the move to the cell", () => {
  play.touchCell(1);
  assert.deepEqual(sent, [{ do: "move", side: 0, text: "b1" }]);
});

test("a cell that may not be played is refused by name, and nothing is sent", () => {
  hear(view({ legal: { place: [0], lift: [], kinds: [1] } }));
  play.touchCell(1);
  assert.deepEqual(sent, []);
  assert.deepEqual(state.fault, { id: "page.not-legal", params: { cell: "b1" } });
});

test("a tap beside the cells of the game is told so, and sets nothing", () => {
  hear(view({ game: { ...view().game, names: ["a1", "b1"], cells: [0, 1] }, legal: { place: [0, 1], lift: [], kinds: [1] } }));
  for (const hands of [false, true]) {
    state.hands = hands;
    state.fault = null;
    play.touchCell(2);
    assert.deepEqual(sent, []);
    assert.deepEqual(state.fault, { id: "page.beside", params: {} });
  }
  state.hands = false;
});

test("a piece that may be lifted is told with its sign", () => {
  hear(view({ legal: { place: [], lift: [2], kinds: [] }, pieces: [0, 0, 2], sensed: [0, 0, 2] }));
  play.touchCell(2);
  assert.deepEqual(sent, [{ do: "move", side: 0, text: "xc1" }]);
});

test("a red stone is told where only red ones are owed", () => {
  hear(view({ owing: [[3, 1]] }));
  play.touchCell(0);
  assert.equal(sent[0].text, "red a1");
});

test("whoever only watches is told so, and nothing is sent", () => {
  hear(hello({ role: "viewer" }));
  play.touchCell(0);
  assert.equal(state.fault.id, "page.error.viewer");
  assert.deepEqual(sent, []);
});

test("a phone plays its own side alone, and only where taps move", () => {
  hear(hello({ role: "seat", side: 1, network: true }));
  play.touchCell(0);
  assert.equal(state.fault.id, "page.not-your-turn");
  hear(hello({ role: "seat", side: 0, network: true }));
  play.touchCell(0);
  assert.deepEqual(sent, [{ do: "move", side: 0, text: "a1" }]);
  state.byTouch = false;
  play.touchCell(1);
  assert.equal(state.fault.id, "network.confirms");
  assert.equal(sent.length, 1);
});

test("a refusal stays until the table says something else or somebody acts again", () => {
  hear(hello({ role: "seat", side: 1, network: true }));
  play.touchCell(0);
  const brings = { sensed: [0, 1, 0], prompt: { wait: "settle", steps: [] } };
  hear(view(brings));
  assert.equal(state.fault?.id, "page.not-your-turn");
  hear(view({ moves: [{ n: 1, side: 0, text: "b1", said: "b1" }], to_move: [1], pieces: [0, 1, 0] }));
  assert.equal(state.fault, null);
  // Another's prompt is more than a refusal that was read.
  hear(view());
  play.touchCell(0);
  hear(view({ verdict: { kind: "agree", text: { id: "table.told-place-white", params: { cell: "b1" } }, cells: [], choices: [] } }));
  assert.equal(state.fault, null);
  hear(hello());
  hear(view({ legal: { place: [0], lift: [], kinds: [1] } }));
  play.touchCell(1);
  assert.equal(state.fault.id, "page.not-legal");
  play.touchCell(0);
  assert.equal(state.fault, null);
});

test("a position of the past is no place to play", () => {
  hear(view({ moves: [{ n: 1, side: 0, text: "a1", said: "a1" }, { n: 2, side: 1, text: "b1", said: "b1" }] }));
  play.lookBack(1);
  assert.equal(state.past, 1);
  play.touchCell(2);
  assert.equal(state.fault.id, "page.past.first");
  play.lookBack(2);
  assert.equal(state.past, null);
  play.lookBack(-3);
  assert.equal(state.past, 0);
});

test("a bowl where a machine sits gives its seat to whoever touches it", () => {
  play.touchBowl(2);
  assert.deepEqual(sent, [{ do: "seat", side: 1, who: "human" }]);
});

test("nothing is confirmed where nothing waits, or where two machines play with hands", () => {
  assert.equal(play.toConfirm(), false);
  play.confirmMove();
  const pending = { move: "a1", said: "a1", due_ms: null };
  hear(view({ pending }));
  play.confirmMove();
  assert.deepEqual(sent, [{ do: "confirm" }]);
  hear(hello({ assisted: true }));
  const machines = [0, 1].map((side) => ({ side, who: "bot:easy", thinking: false }));
  hear(view({ pending, seats: machines }));
  assert.equal(play.toConfirm(), false);
});

test("simulated hands bring a stone, and a tap on it takes it away again", () => {
  hear(hello({ simulated: true, assisted: true }));
  hear({ type: "world", kinds: [0, 0, 0] }, "/hands");
  state.world = [0, 0, 0];
  play.touchCell(1);
  state.world = [0, 1, 0];
  play.touchCell(1, true);
  assert.deepEqual(sent, [
    { do: "place", cell: 1, kind: 1, hand: "tap" },
    { do: "lift", cell: 1, hand: "keys" },
  ]);
  state.world = null;
});

test("in a lesson a key sets a stone of the side to which the cell is open", () => {
  hear(hello({ simulated: true, assisted: true }));
  const people = [0, 1].map((side) => ({ side, who: "human", thinking: false }));
  const both = { turnless: true, to_move: [0, 1], seats: people, open: [[0], [1]] };
  hear({ type: "world", kinds: [0, 0, 0] }, "/hands");
  state.world = [0, 0, 0];
  hear(view({ ...both, lesson: { game: "evening", step: 3, steps: 6, words: [] } }));
  play.touchCell(0, true);
  play.touchCell(1, true);
  assert.deepEqual(sent.map(({ cell, kind }) => [cell, kind]), [[0, 1], [1, 2]]);
  // Two people at one page still share it by keys and pointer.
  sent.length = 0;
  hear(view(both));
  play.touchCell(0, true);
  assert.equal(sent[0].kind, 1 + state.keysSide);
  assert.notEqual(state.keysSide, 0);
  state.world = null;
});

test("a second dove is another choice: the first one goes back to where it was", () => {
  hear(hello({ simulated: true }));
  hear({ type: "world", profile: "row", kinds: [1, 1, 0] }, "/hands");
  hear(view({ labels: ["T", "M", ""], pieces: [1, 1, 0], sensed: [1, 1, 0], game: { ...view().game, slug: "doves" } }));
  play.touchCell(0);
  hear({ type: "world", profile: "row", kinds: [0, 1, 0] }, "/hands");
  hear(view({ labels: ["T", "M", ""], pieces: [1, 1, 0], sensed: [0, 1, 0], game: { ...view().game, slug: "doves" } }));
  sent.length = 0;
  play.touchCell(1);
  assert.deepEqual(sent, [
    { do: "place", cell: 0, kind: 1, hand: "tap" },
    { do: "lift", cell: 1, hand: "tap" },
  ]);
  assert.deepEqual([...state.lifted], [[1, 1]]);
});
