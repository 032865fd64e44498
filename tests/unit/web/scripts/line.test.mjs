// A line knows whether it is alive: what it does when nothing is heard, or no act is answered.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import "./browser.mjs";

const at = "../../../../host/lumiban/web/static/";
const { Line } = await import(`${at}line.js`);

/** @type {any[]} */
let sockets = [];
/** @type {any[]} */
let heeded = [];
/** @type {any} */
let line;

class Socket {
  constructor(url) {
    this.url = url;
    this.sent = [];
    this.isClosed = false;
    sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.isClosed = true;
  }

  say(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  sockets = [];
  heeded = [];
  globalThis.WebSocket = Socket;
  line = new Line(() => "/ws", () => {}, {
    changed: (up) => heeded.push(up ? "up" : "down"),
    doubt: () => heeded.push(line.unsure ? "unsure" : "sure"),
  });
  line.open();
  sockets[0].onopen();
  heeded.length = 0;
});

test("a line that is silent for 25 s, open as it may seem, is opened anew", () => {
  mock.timers.tick(24_000);
  assert.equal(sockets.length, 1);
  mock.timers.tick(2000);
  assert.equal(sockets.length, 2);
  assert.ok(sockets[0].isClosed);
  assert.deepEqual(heeded, ["down"]);
});

test("a host that speaks every ten seconds keeps its line", () => {
  for (let n = 0; n < 20; n++) {
    mock.timers.tick(10_000);
    sockets[0].say({ type: "alive" });
  }
  assert.equal(sockets.length, 1);
});

test("an act without an answer is in doubt, and after two seconds told as not arrived", () => {
  line.send({ do: "confirm" }, (refused) => refused && heeded.push("missed"));
  mock.timers.tick(600);
  assert.deepEqual(heeded, []);
  mock.timers.tick(500);
  assert.deepEqual(heeded, ["unsure"]);
  mock.timers.tick(1500);
  assert.deepEqual(heeded, ["unsure", "sure", "down", "missed"]);
  assert.equal(sockets.length, 2);
});

test("an act that is answered is in nobody's doubt", () => {
  line.send({ do: "confirm" }, (refused) => refused && heeded.push("missed"));
  line.send({ do: "carry" });
  mock.timers.tick(500);
  sockets[0].say({ type: "heard" });
  mock.timers.tick(9000);
  assert.deepEqual(heeded, []);
});

test("a phone whose clock is set back knows all the same that nothing is heard or answered", () => {
  const right = Date.now;
  line.send({ do: "confirm" }, (refused) => refused && heeded.push("missed"));
  Date.now = () => right() - 3_600_000;
  try {
    for (let n = 0; n < 26; n++) mock.timers.tick(100);
    assert.deepEqual(heeded, ["unsure", "sure", "down", "missed"]);
    sockets[1].onopen();
    sockets[1].say({ type: "alive" });
    Date.now = () => right() - 7_200_000;
    for (let n = 0; n < 52; n++) mock.timers.tick(500);
    assert.equal(sockets.length, 3);
  } finally {
    Date.now = right;
  }
});

test("acts under way are told as not arrived when their line closes", () => {
  line.send({ do: "confirm" }, (refused) => refused && heeded.push("missed"));
  sockets[0].onclose({ code: 1006 });
  assert.deepEqual(heeded, ["down", "missed"]);
});

test("a page that is looked at again opens a line that was silent for too long at once", () => {
  mock.timers.tick(9000);
  line.revive(false);
  assert.equal(sockets.length, 1);
  mock.timers.tick(3000);
  line.revive(false);
  mock.timers.tick(1);
  assert.equal(sockets.length, 2);
});

test("after a change of network the line is opened anew, however lately it was heard", () => {
  line.revive(true);
  mock.timers.tick(1);
  assert.equal(sockets.length, 2);
  assert.deepEqual(heeded, ["down"]);
});

test("a line that was lost is tried at once by whoever looks at the page again", () => {
  sockets[0].onclose({ code: 1006 });
  line.revive(false);
  mock.timers.tick(1);
  assert.equal(sockets.length, 2);
});
