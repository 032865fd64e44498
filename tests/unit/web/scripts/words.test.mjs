// Sentences in the language that was chosen last.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";

const at = "../../../../host/lumiban/web/static/";
const { state } = await import(`${at}state.js`);
const { chooseLanguage, loadAllWords, loadWords, moveName, say } = await import(`${at}words.js`);
await loadWords();

test("a move is called by what it sets, its words, or what the table calls it", () => {
  for (const [move, called] of [
    [{ text: "put wc4" }, "white stone on c4"],
    [{ text: "put ba1", said: "put ba1" }, "black stone on a1"],
    [{ text: "resign b" }, "resigns"],
    [{ text: "+T3", said: "T to c5" }, "T to c5"],
    [{ text: "wc4" }, "wc4"],
  ]) {
    assert.equal(moveName("control", move), called);
  }
});

/** @type {Map<string, (texts: Record<string, string>) => void>} */
const asked = new Map();
globalThis.fetch = (address) =>
  new Promise((answer) => {
    const language = new URLSearchParams(String(address).split("?")[1]).get("lang");
    asked.set(language, (texts) => answer({ ok: true, json: async () => texts }));
  });

test("of two languages chosen in quick succession the last is spoken, whichever comes first", async () => {
  const first = chooseLanguage("xx");
  const last = chooseLanguage("yy");
  asked.get("yy")({ hello: "later" });
  await last;
  assert.equal(say("hello"), "later");
  asked.get("xx")({ hello: "sooner" });
  await first;
  assert.equal(state.language, "yy");
  assert.equal(say("hello"), "later");
  // It was loaded all the same: chosen again, nothing is asked for.
  await chooseLanguage("xx");
  assert.equal(say("hello"), "sooner");
});

test("a sentence within a sentence is filled from the same parameters", async () => {
  const other = chooseLanguage("zz");
  asked.get("zz")({ outer: "It was told: {why} On {cell}.", inner: "{enemy} against {own}." });
  await other;
  const params = { why: "inner", enemy: 3, own: 0, cell: "b1" };
  assert.equal(say("outer", params), "It was told: 3 against 0. On b1.");
  assert.equal(say("outer", { why: "outer", cell: "b1" }), "It was told: It was told: {why} On b1. On b1.");
});

test("sentences that could not be loaded are asked for again by the next that is missing", async () => {
  globalThis.fetch = () => Promise.reject(new TypeError("no network"));
  await loadAllWords().catch(() => {});
  globalThis.fetch = async () => ({ ok: true, json: async () => ({ late: "here" }) });
  await loadAllWords();
  assert.equal(say("late"), "here");
});
