// One listener's error stops none of the others, and the host hears of it.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { hear, sent, view } from "./browser.mjs";

const at = "../../../../host/lumiban/web/static/";
const { on, state, tell } = await import(`${at}state.js`);
const { connect } = await import(`${at}link.js`);

const hello = (name) => ({
  type: "hello", role: "host", simulated: false, assisted: false, levels: ["easy"], games: [], unfit: [],
  profile: { name, geometry: "rectangle", pitch_mm: 25, cells: [{}, {}, {}], lights: 3, edges: {} },
});
mock.method(console, "error", () => {});
connect();

test("one listener's error stops none of the others and is told to the host", () => {
  hear(hello("row"));
  hear(view());
  let told = 0;
  const fails = () => {
    throw new TypeError("no such cell");
  };
  on("prefs", fails);
  on("prefs", () => told++);
  sent.length = 0;
  tell("prefs");
  assert.equal(told, 1);
  assert.equal(sent.length, 1);
  assert.equal(sent[0].do, "report");
  assert.match(sent[0].text, /^TypeError: no such cell/);
  for (let n = 0; n < 20; n++) tell("prefs");
  assert.ok(sent.length <= 8);
});

test("another board comes with its game: never is one drawn with the other's", () => {
  hear(hello("row"));
  hear(view());
  const seen = [];
  on("hello view", () => seen.push([state.hello.profile.name, state.view.game.slug]));
  hear(hello("grid"));
  hear(view({ game: { ...view().game, slug: "trivia" } }));
  assert.ok(seen.length > 0);
  for (const pair of seen) assert.ok(["row,control", "grid,trivia"].includes(pair.join()), pair.join());
  assert.deepEqual(seen.at(-1), ["grid", "trivia"]);
});

test("what was meant for the old board is forgotten with it", () => {
  hear(hello("row"));
  hear(view());
  Object.assign(state, { picked: 1, past: 0, chosen: 2, world: [0, 0, 0] });
  state.lifted.set(2, 1);
  hear(hello("grid"));
  hear(view());
  assert.deepEqual([state.picked, state.past, state.chosen, state.world, state.lifted.size], [0, null, null, null, 0]);
});
