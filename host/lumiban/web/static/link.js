// The two lines of the page: `/ws` to the table and `/hands` to the simulator.

import { Line } from "./line.js";
import { ownerQuery } from "./owner.js";
import { onError, state, tell } from "./state.js";

function tabToken(renews = false) {
  const fresh = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
  try {
    const token = (renews ? null : sessionStorage.getItem("lumiban.tab")) ?? fresh();
    sessionStorage.setItem("lumiban.tab", token);
    return token;
  } catch {
    return fresh();
  }
}

/** Names this tab, so that it finds its role again after a reload. */
let tab = tabToken();

/**
 * What a refusal is about: it is no more once this has changed.
 * @param {TableView} view
 */
const matter = ({ game, link, moves, to_move, seats, outcome, timeout, verdict, pending }) =>
  JSON.stringify([game.slug, game.options, link, moves.length, to_move, seats.map((seat) => seat.who), outcome, timeout, verdict.text, verdict.choices, pending?.move]);

/** @type {TabHello | null} That of another board, until its first view is here too: a board is
    never drawn with the game of another one. */
let coming = null;

/** The version that this page is of, "" where its scripts came one by one. */
const VERSION = /\/static\/(\w{16})\//.exec(document.querySelector("script[type=module]")?.getAttribute("src") ?? "")?.[1] ?? "";
const RELOADED = "lumiban.reloaded";

/**
 * Whether the host serves another version of the page than this one, which then reloads,
 * once: a visitor who gets the old one again is told.
 * @param {string} [version]
 */
function isOld(version = VERSION) {
  if (!VERSION || version === VERSION) return false;
  try {
    if (sessionStorage.getItem(RELOADED) === version) return true;
    sessionStorage.setItem(RELOADED, version);
  } catch {
    return true; // storage is switched off: it might load itself for ever
  }
  location.reload();
  return true;
}

/** @param {TabHello} message */
function greet(message) {
  const { role, side = null } = message;
  const roleChanged = state.role !== role || state.side !== side;
  Object.assign(state, { role, side, hello: message, isOld: isOld(message.version) });
  if (role !== "host") state.network = null;
  tell("hello");
  if (roleChanged) tell("role");
  if (message.simulated) hands.open();
}

/**
 * Another board is there: what was meant for the old one is no more.
 * @param {TabHello} hello
 * @param {TableView} view
 */
function change(hello, view) {
  Object.assign(state, { view, hello, world: null, picked: 0, pickedName: "", chosen: null, past: null, draft: null, trial: null, aimed: 0, fault: null });
  state.lifted.clear();
  state.lifting.clear();
  greet(hello);
  for (const topic of ["world", "picked", "chosen", "past", "fault"]) tell(topic);
}

/** @param {SaidText | null} refused */
function complain(refused) {
  if (!refused) return;
  state.fault = refused;
  tell("fault");
}

/**
 * The view that comes of the last one by what differs.
 * @param {any} told
 */
function renewed({ gone, more, ...changed }) {
  /** @type {any} */
  const view = { ...state.view, ...changed };
  for (const name of gone) delete view[name];
  for (const name in more) view[name] = [...view[name], ...more[name]];
  return view;
}

/** @param {any} message */
function hearTable(message) {
  const still = message.type === "alive" ? Boolean(message.still) : message.type !== "view" && state.still;
  if (still !== state.still) {
    state.still = still;
    tell("wire");
  }
  if (message.type === "hello") {
    const before = state.view && state.hello;
    if (before && before.profile.name !== message.profile.name) coming = message;
    else greet(message);
  } else if (message.type === "view") {
    if (message.more) message = renewed(message);
    // A stone on its way, a clock or a light is no reason to take a refusal from who is reading it.
    if (state.fault && (!state.view || matter(message) !== matter(state.view))) state.fault = null;
    if (coming) change(coming, message);
    coming = null;
    state.view = message;
    tell("view");
  } else if (message.type === "error") complain(message.text);
  else heardOnTable.get(message.type)?.(message);
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
const GOODBYES = new Set([1001, 1012]);

/** Whether an act of this page is on its way for longer than a healthy line takes. */
function doubt() {
  const unsure = table.unsure || hands.unsure;
  if (unsure === state.unsure) return;
  state.unsure = unsure;
  tell("unsure");
}

/** @param {(up: boolean, code?: number) => unknown} changed */
const heeds = (changed) => ({ changed, doubt });
const table = new Line(() => `/ws?tab=${tab}&changes=1&answers=1${watch}${ownerQuery()}`, hearTable, heeds((up, code) => {
  const before = [state.wire, state.goodbye].join();
  state.wire = up ? "up" : "lost";
  if (up) state.goodbye = false;
  else if (GOODBYES.has(code ?? 0)) state.goodbye = true;
  tellFull();
  // A try that failed again is no news: who waits for the host counts from when it went.
  if ([state.wire, state.goodbye].join() !== before) tell("wire");
}));
const hands = new Line(
  () => `/hands?tab=${tab}&answers=1${watch}`,
  (message) => heardOnHands.get(message.type)?.(message),
  heeds((up) => {
    state.hands = up;
    tellFull();
    tell("hands");
  }),
);
for (const line of [table, hands]) {
  addEventListener("online", () => line.revive(true));
  addEventListener("pageshow", (event) => line.revive(event.persisted));
  document.addEventListener?.("visibilitychange", () => document.visibilityState === "visible" && line.revive(false));
}

// This tab was duplicated, and its copy leads with the same token now.
onTable("twin", () => {
  tab = tabToken(true);
  for (const line of [table, hands]) line.revive(true);
});

export const connect = () => table.open();

/** So many errors of a page are reported; a page that fails at each view would fill the log. */
const MAX_REPORTED = 8;
let reported = 0;

/** @param {unknown} error */
function report(error) {
  if (reported++ >= MAX_REPORTED) return;
  const { stack = "" } = /** @type {{ stack?: string }} */ (error ?? {});
  table.send({ do: "report", text: `${error} ${stack}`.slice(0, 1000) }, () => {});
}

onError(report);
addEventListener("error", (event) => report(event.error ?? event.message));
addEventListener("unhandledrejection", (event) => report(event.reason));

/**
 * Tell the table; false when the line is down. Who acts again has read the last refusal; to ask for
 * a position of the past is no act.
 * @param {PageRequest} message
 * @param {(refused: SaidText | null) => unknown} answered Hears what the table answers to this, as
 *   a form does; else a refusal is told beside the board.
 */
export function wish(message, answered = complain) {
  if (message.do !== "look") state.fault = null;
  return table.send(message, answered);
}

/**
 * Move a simulated hand; false when there is none.
 * @param {HandRequest} message
 */
export function hand(message) {
  state.fault = null;
  return hands.send(message, ["carry", "field"].includes(message.do) ? undefined : complain);
}
