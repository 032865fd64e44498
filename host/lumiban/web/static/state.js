// What the page knows, in one place, and who wants to hear when it changes.

const params = new URLSearchParams(location.search);

function kept(name, fallback) {
  try {
    return localStorage.getItem("lumiban." + name) ?? fallback;
  } catch {
    return fallback; // storage may be switched off
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem("lumiban." + name, value);
  } catch {
    // then it is forgotten with the tab
  }
}

export const state = {
  watching: location.pathname === "/watch",
  role: "viewer",
  /** "connecting" | "up" | "lost": the line to the host. */
  wire: "connecting",
  hello: null,
  view: null,
  /** What truly lies on each board cell, told by the simulator; null on a real board. */
  world: null,
  /** Whether simulated hands can be moved. */
  hands: false,
  /** Kind of the stone that was picked from a bowl by tap or key, 0 for none. */
  picked: 0,
  /** Board cell → kind of a stone that this tab lifted, so that a tap puts it back. */
  lifted: new Map(),
  /** How many moves of the past are shown, null for the present. */
  past: null,
  /** The last error that answered a wish of this tab: {id, params}. */
  fault: null,
  labels: kept("labels", "off") === "on",
  field: false,
  language: params.get("lang") || kept("language", ""),
};

const listeners = new Map();

/** Call `act` whenever one of these topics changes. */
export function on(topics, act) {
  for (const topic of topics.split(" ")) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic).add(act);
  }
}

/** Tell that a topic changed: hello, view, world, wire, role, picked, past, fault, words, prefs. */
export function tell(topic) {
  for (const act of listeners.get(topic) ?? []) act();
}

// Questions that several parts ask.

export const isHost = () => state.role === "host" && state.wire === "up";

export const isHuman = (side) => state.view?.seats[side]?.who === "human";

/** The side whose hand this tab is, when it is its turn; null otherwise. */
export function mySide() {
  const { view } = state;
  if (!view || !isHost()) return null;
  return view.to_move.find(isHuman) ?? null;
}

/** Whether exactly one seat is a person's: then the page may say "you". */
export function onlyMe() {
  const humans = state.view?.seats.filter((seat) => seat.who === "human") ?? [];
  return state.role === "host" && humans.length === 1 ? humans[0].side : null;
}

export const kindOf = (side) => side + 1;

/** The kind on each board cell, now: the simulator's truth, else what the board senses. */
export function kindsNow() {
  if (state.world) return state.world;
  const cells = state.hello?.profile.cells.length ?? 0;
  const kinds = new Array(cells).fill(0);
  state.view?.game.cells.forEach((board, cell) => (kinds[board] = state.view.sensed[cell] ?? 0));
  return kinds;
}

/** Board cell → game cell, −1 where the game has none. */
export function gameCell(board) {
  return state.view ? state.view.game.cells.indexOf(board) : -1;
}

export const cellName = (cell) => state.view?.game.names[cell] ?? "";
