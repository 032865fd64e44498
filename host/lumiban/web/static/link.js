// The two lines of the page: `/ws` to the table and `/hands` to the simulator. They reconnect.

import { state, tell } from "./state.js";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

function tabToken() {
  const fresh = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
  try {
    const token = sessionStorage.getItem("lumiban.tab") ?? fresh();
    sessionStorage.setItem("lumiban.tab", token);
    return token;
  } catch {
    return fresh();
  }
}

/** Names this tab, so that it finds its role again after a reload. */
const TAB = tabToken();

class Line {
  /**
   * @param {string} path
   * @param {(message: any) => unknown} hear
   * @param {(up: boolean, code?: number) => unknown} changed
   */
  constructor(path, hear, changed) {
    this.path = path;
    this.hear = hear;
    this.changed = changed;
    this.up = false;
    /** Whether the host let this line not in, since too many are open. */
    this.full = false;
    this.wait = FIRST_WAIT_MS;
    this.wanted = false;
    /** @type {WebSocket | null} */
    this.socket = null;
  }

  open() {
    if (this.wanted) return;
    this.wanted = true;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket = socket;
    socket.onopen = () => {
      this.up = true;
      this.full = false;
      this.wait = FIRST_WAIT_MS;
      this.changed(true);
    };
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (event.code === SHUT_OUT) {
        location.replace("/join?ended=1");
        return;
      }
      if (!this.up) this.askWhy();
      this.up = false;
      this.changed(false, event.code);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }

  /** A browser does not tell a script why a line was refused. */
  async askWhy() {
    const status = await fetch("/api/room").then((answer) => answer.status, () => 0);
    // On a network: who has no cookie, or one that is no more, begins at the door.
    if (status === 401) location.replace("/join");
    if (this.up || this.full === (status === 503)) return;
    this.full = status === 503;
    this.changed(false);
  }

  /** @param {object} message */
  send(message) {
    if (!this.up) return false;
    this.socket?.send(JSON.stringify(message));
    return true;
  }
}

/**
 * What a refusal is about: it is no more once this has changed.
 * @param {TableView} view
 */
const matter = ({ game, link, moves, to_move, seats, outcome, timeout, verdict, pending }) =>
  JSON.stringify([game.slug, game.options, link, moves.length, to_move, seats.map((seat) => seat.who), outcome, timeout, verdict.text, verdict.choices, pending?.move]);

/** @param {any} message */
function hearTable(message) {
  if (message.type === "hello") {
    const { role, side = null } = message;
    const roleChanged = state.role !== role || state.side !== side;
    Object.assign(state, { role, side, hello: message });
    if (role !== "host") state.network = null;
    tell("hello");
    if (roleChanged) tell("role");
    if (message.simulated) hands.open();
  } else if (message.type === "view") {
    if (message.moves_from) {
      message.moves.unshift(...(state.view?.moves.slice(0, message.moves_from) ?? []));
    }
    // A stone on its way, a clock or a light is no reason to take a refusal from who is reading it.
    if (state.fault && (!state.view || matter(message) !== matter(state.view))) state.fault = null;
    state.view = message;
    tell("view");
  } else if (message.type === "error") {
    state.fault = message.text;
    tell("fault");
  } else heardOnTable.get(message.type)?.(message);
}

/** @type {Map<string, (message: any) => unknown>} */
const heardOnHands = new Map();
/** @type {Map<string, (message: any) => unknown>} */
const heardOnTable = new Map();

/**
 * Call `act` with each message of this type from the table; hello, view and error are kept in
 * `state` and told as its topics.
 * @param {string} type
 * @param {(message: any) => unknown} act
 */
export function onTable(type, act) {
  heardOnTable.set(type, act);
}

/**
 * Call `act` with each message of this type from the simulator.
 * @param {string} type
 * @param {(message: any) => unknown} act
 */
export function onHands(type, act) {
  heardOnHands.set(type, act);
}

function tellFull() {
  const full = table.full || hands.full;
  if (full === state.full) return;
  state.full = full;
  tell("full");
}

const watch = state.watching ? "&watch=1" : "";
/** Close codes with which a host says that it ends. */
/** With which it ends those who came in by links that are no more. */
const SHUT_OUT = 4001;
const GOODBYES = new Set([1001, 1012]);
const table = new Line(`/ws?tab=${TAB}&moves=new${watch}`, hearTable, (up, code) => {
  const before = [state.wire, state.goodbye].join();
  state.wire = up ? "up" : "lost";
  if (up) state.goodbye = false;
  else if (GOODBYES.has(code ?? 0)) state.goodbye = true;
  tellFull();
  // A try that failed again is no news: who waits for the host counts from when it went.
  if ([state.wire, state.goodbye].join() !== before) tell("wire");
});
const hands = new Line(
  `/hands?tab=${TAB}${watch}`,
  (message) => heardOnHands.get(message.type)?.(message),
  (up) => {
    state.hands = up;
    tellFull();
    tell("hands");
  },
);

export const connect = () => table.open();
/**
 * Tell the table; false when the line is down. Who acts again has read the last refusal; to ask for
 * a position of the past is no act.
 * @param {PageRequest} message
 */
export function wish(message) {
  if (message.do !== "look") state.fault = null;
  return table.send(message);
}

/**
 * Move a simulated hand; false when there is none.
 * @param {HandRequest} message
 */
export function hand(message) {
  state.fault = null;
  return hands.send(message);
}
