// What the page's modules need of a browser where they touch no page: an address, storage that is
// switched off, a socket whose messages are kept, and sentences.

import { webcrypto } from "node:crypto";

/** Sentences by id, as `/api/texts` answers. */
export const TEXTS = {
  "page.said.place": "{side} plays {cell}.",
  "page.said.lift": "{side} takes {cell} away.",
  "page.said.red": "{side} sets red on {cell}.",
  "page.said.put": "{side} sets up a {stone} on {cell}.",
  "page.said.lend": "{side} lends {cell}.",
  "page.moves.put": "{stone} on {cell}",
  "page.moves.word.resign": "resigns",
  "page.stone.1": "white stone",
  "page.stone.2": "black stone",
  "page.said.move": "{side}: {move}.",
  "page.said.word": "{side} says {word}.",
  "page.said.back": "A move was taken back.",
  "page.race.figures": "{side} by {ms} ± {spread}",
  "page.race.tie": "{side} by the coin",
  "side.white": "White",
  "side.black": "Black",
  "word.resign": "resign",
};

/** All that was sent, in order. */
export const sent = [];
/** @type {any[]} */
const sockets = [];

class Socket {
  constructor(url) {
    this.url = url;
    sockets.push(this);
  }

  send(text) {
    sent.push(JSON.parse(text));
  }
}

Object.assign(globalThis, {
  location: { pathname: "/", search: "", protocol: "http:", host: "here", hash: "" },
  WebSocket: Socket,
  document: { documentElement: {}, querySelector: () => null, querySelectorAll: () => [] },
  matchMedia: () => ({ matches: false }),
  addEventListener: () => {},
  fetch: async () => ({ ok: true, json: async () => TEXTS }),
});
globalThis.crypto ??= webcrypto;
Object.defineProperty(globalThis, "navigator", { value: { language: "en" }, configurable: true });

/** Answer every socket that was opened, and let `message` come in on it. */
export function hear(message, path = "/ws") {
  for (const socket of sockets.filter((one) => one.url.includes(path))) {
    if (!socket.isOpen) socket.onopen();
    socket.isOpen = true;
    socket.onmessage({ data: JSON.stringify(message) });
  }
}

/** A view of a small table: three cells in a row, White a person, Black a machine. */
export const view = (more = {}) => ({
  type: "view",
  game: { slug: "control", options: {}, sides: ["white", "black"], names: ["a1", "b1", "c1"], cells: [0, 1, 2], kinds: [1, 2], trays: [] },
  to_move: [0],
  seats: [{ side: 0, who: "human", thinking: false }, { side: 1, who: "bot:easy", thinking: false }],
  moves: [],
  legal: { place: [0, 1, 2], lift: [], kinds: [1] },
  outcome: null,
  words: [["resign"], []],
  counts: [],
  stop_offers: [],
  owing: [],
  can_takeback: false,
  pieces: [0, 0, 0],
  sensed: [0, 0, 0],
  labels: [],
  hands: [],
  marks: [],
  turnless: false,
  open: null,
  dead: [],
  light: [],
  race: null,
  timeout: null,
  verdict: { kind: "agree", text: null, cells: [], choices: [] },
  prompt: { wait: "", steps: [] },
  pending: null,
  lit: null,
  link: "up",
  ...more,
});

Object.assign(TEXTS, {
  "page.said.gone": "Gone: {cells}.",
  "page.said.count": "{what}: {sides}.",
  "page.said.chain": "Step {n}: {blocks}.",
  "page.said.blocks": "{n} {colour}",
  "page.rengi.colour.R": "red",
  "page.rengi.colour.B": "blue",
  "page.rengi.mark.ojama": "ojama",
  "page.rengi.points": "Points",
  "page.count.territory": "Territory",
  "page.read.kind": "{who}: {cells}.",
  "page.read.empty": "Empty.",
  "page.read.column": "column {n}: {blocks}",
  "page.read.field": "{side}: {columns}.",
  "page.read.field.empty": "{side} has none.",
  "page.read.place": "Place on {cells}.",
  "page.read.lift": "Take {cells}.",
  "page.read.open": "Open to {side}: {cells}.",
  "page.read.open.none": "Nothing to {side}.",
  "page.read.none": "Nothing.",
});
