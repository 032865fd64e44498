// What the page knows, in one place, and who wants to hear when it changes.

const params = new URLSearchParams(location.search);
/** @type {Map<string, string>} What is kept where storage is switched off: for as long as the tab. */
const here = new Map();

/**
 * @param {string} name
 * @param {string} fallback
 */
export function kept(name, fallback) {
  try {
    return localStorage.getItem("lumiban." + name) ?? fallback;
  } catch {
    return here.get(name) ?? fallback; // storage may be switched off
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  here.set(name, value);
  try {
    localStorage.setItem("lumiban." + name, value);
  } catch {
    // then it is forgotten with the tab
  }
}

/** The "past" that is none: a position that is being set up. */
export const SETTING = -1;
/** And one to which other moves would have led. */
export const TRYING = -2;

export const state = {
  watching: location.pathname === "/watch",
  role: "viewer",
  /** @type {number | null} The side that this phone plays, where its role is "seat". */
  side: null,
  /** @type {NetworkShown | null} What the host alone hears of the network. */
  network: null,
  /** @type {(string | null)[]} Names of the phones that play, by side; null where none does. */
  phones: [],
  /** Whether taps on the board move, where this phone plays a seat; else it only confirms. */
  byTouch: kept("touch", "on") === "on",
  /** "connecting" | "up" | "lost": the line to the host. */
  wire: "connecting",
  /** Whether an act is on its way for longer than usual: the line may be dead. */
  unsure: false,
  /** Whether the table's program has not answered for a while. */
  still: false,
  /** Whether the host serves another version of the page. */
  isOld: false,
  /** Whether the host said that it ends. */
  goodbye: false,
  /** Whether the host lets a line of this page not in, since too many are open. */
  full: false,
  // Not there until the host has told them; typed as if they were, since almost everything is
  // drawn only then. What may run before asks `if (!state.view)`.
  hello: /** @type {TabHello} */ (/** @type {unknown} */ (null)),
  view: /** @type {TableView} */ (/** @type {unknown} */ (null)),
  /** @type {number[] | null} What truly lies on each board cell, told by the simulator; null on a
      real board. */
  world: null,
  /** Whether simulated hands can be moved. */
  hands: false,
  /** Kind of the stone that was picked from a bowl by tap or key, 0 for none. */
  picked: 0,
  /** The name of the piece that was picked, where pieces of a kind differ; else "". */
  pickedName: "",
  /** @type {number | null} Game cell of the piece that a first tap chose, where moves are told. */
  chosen: null,
  /** The side that keys play where both sides act at any time and both are people. */
  keysSide: 1,
  /** @type {Map<number, number>} Board cell → kind of a stone that this tab lifted, so that a tap
      puts it back. */
  lifted: new Map(),
  /** @type {Set<number>} Those of them that a hand is still on its way to. */
  lifting: new Set(),
  /** @type {number | null} How many moves of the past are shown, null for the present. */
  past: null,
  /** @type {Draft | null} The position that is being set up; `past` is SETTING then. */
  draft: null,
  /** @type {Trial | null} Other moves that are tried after a game; `past` is TRYING then. */
  trial: null,
  /** @type {SaidText | null} The last error that answered a wish of this tab. */
  fault: null,
  labels: kept("labels", "off") === "on",
  /** By how many degrees the board is turned for who sits at this device, as far as it can be. */
  turn: Number(kept("turn", "0")) || 0,
  field: false,
  /** The game cell at which Rengi's pair was aimed last. */
  aimed: 0,
  language: params.get("lang") || kept("language", ""),
};

/** @type {Map<string, Set<() => unknown>>} */
const listeners = new Map();

/**
 * Call `act` whenever one of these topics changes.
 * @param {string} topics
 * @param {() => unknown} act
 */
export function on(topics, act) {
  for (const topic of topics.split(" ")) {
    const acts = listeners.get(topic) ?? new Set();
    listeners.set(topic, acts.add(act));
  }
}

/** @type {(error: unknown) => unknown} */
let report = (error) => console.error(error);

/**
 * Who hears of errors in listeners, beside the browser's console.
 * @param {(error: unknown) => unknown} act
 */
export function onError(act) {
  report = (error) => {
    console.error(error);
    act(error);
  };
}

/**
 * Call each of these; the error of one stops none of the others, and is reported.
 * @param {Iterable<() => unknown>} acts
 */
export function callAll(acts) {
  for (const act of acts) {
    try {
      act();
    } catch (error) {
      report(error);
    }
  }
}

/**
 * Tell that a topic changed: hello, view, world, wire, role, picked, past, fault, words, prefs.
 * @param {string} topic
 */
export const tell = (topic) => callAll(listeners.get(topic) ?? []);

// Questions that several parts ask.

/** @type {PhaseShown} */
const PLAYING = { name: "playing", takes: true, title: null, says: null, next: "" };

/**
 * What is waited for: by the table, or by a page that shows something else than the table now.
 * @returns {PhaseShown}
 */
export function phase() {
  const own = (/** @type {PhaseShown["name"]} */ name, /** @type {string} */ id) => ({ ...PLAYING, name, takes: false, title: { id, params: {} } });
  if (state.draft) return own("setting-position", "page.setup");
  if (state.past !== null) return own("looking-back", state.trial ? "page.try" : "phase.looking-back");
  return state.view?.phase ?? PLAYING;
}

export const isHost = () => state.role === "host" && state.wire === "up";

/** Whether this tab plays one side alone, on a network. */
export const isSeat = () => state.role === "seat" && state.wire === "up";

/** Whether this tab may do anything at the table. */
export const acts = () => isHost() || isSeat();

/** @param {number | null} side */
export const isHuman = (side) => state.view?.seats[side ?? -1]?.who === "human";

/**
 * Whether this tab may act for a side: a host does for all people, a seat for its own.
 * @param {number} side
 */
export const plays = (side) => isHuman(side) && (isHost() || (isSeat() && side === state.side));

/** The side whose hand this tab is, when it is its turn; null otherwise. Where two people act at
    any time, keys play one side and the pointer plays the other. */
export function mySide(byKeys = false) {
  const { view } = state;
  if (!view || !acts()) return null;
  if (twoHands() && view.to_move.length > 1) return byKeys ? state.keysSide : 1 - state.keysSide;
  return view.to_move.find(plays) ?? null;
}

/**
 * Whether questions to the player of this side are this tab's to answer: the leader does so for
 * seats that no phone plays which is open, and no other page.
 * @param {number} side
 */
export function answersFor(side) {
  if (side === state.side) return acts();
  const { here = [], phones = [] } = state.network ?? {};
  return isHost() && isHuman(side) && !here.includes(side) && !phones.some((one) => one.open && one.side === side);
}

/** The side of the only person who plays: then the page may say "you". */
export function onlyMe() {
  if (state.side !== null && acts()) return state.side;
  if (state.role === "host" && isSolo()) return 0;
  const { here = [], phones = [] } = state.network ?? {};
  /** @param {number} side */
  const elsewhere = (side) => here.includes(side) || phones.some((one) => one.side === side);
  const humans = state.view?.seats.filter((seat) => seat.who === "human" && !elsewhere(seat.side)) ?? [];
  return state.role === "host" && humans.length === 1 ? humans[0].side : null;
}

/** @param {number} side */
export const kindOf = (side) => side + 1;

/** The kinds of pieces that are played with: a bowl each. */
export const kindsUsed = () => state.view?.game.kinds ?? [1, 2];

/**
 * The side whose pieces these are, null for pieces of nobody.
 * @param {number} kind
 */
export const sideOf = (kind) => (kind <= (state.view?.game.sides.length ?? 2) ? kind - 1 : null);

/** Whether this is a game for one: its second seat stays empty, and nobody is beaten. */
export const isSolo = () => state.view?.game.slug === "chain-power";

/** Whether pieces of a kind have names, as doves have. */
export const isNamed = () => (state.view?.labels?.length ?? 0) > 0;

/**
 * The names in the hand of a side, unless they lie in a tray of the board.
 * @param {number | null} side
 */
export const inBowl = (side) => (state.view?.game.trays?.length ? [] : state.view?.hands?.[side ?? -1] ?? []);

/**
 * Whether there is a piece to take from the bowl of this kind.
 * @param {number} kind
 */
export const hasPieces = (kind) => !isNamed() || inBowl(sideOf(kind)).length > 0;

/** Whether two people act at any time at this page: one by keys, one by pointer. */
export const twoHands = () =>
  Boolean(state.view?.turnless) && isHost() && state.view.seats.every(({ side }) => answersFor(side));

/** Whether fingers are all there is: then two people share the taps, and a cell says whose it is. */
export const byFingers = () => matchMedia("(pointer: coarse)").matches && !matchMedia("(any-pointer: fine)").matches;

/** The kind on each board cell, now: the simulator's truth, else what the board senses. */
export function kindsNow() {
  if (state.world) return state.world;
  const cells = state.hello?.profile.cells.length ?? 0;
  const kinds = new Array(cells).fill(0);
  state.view?.game.cells.forEach((board, cell) => (kinds[board] = state.view.sensed[cell] ?? 0));
  return kinds;
}

/**
 * The name of the piece on a game cell, as far as it stands where it should; "" otherwise.
 * @param {number} cell
 * @param {number} kind
 */
export function nameOn(cell, kind) {
  const { labels, pieces } = state.view;
  return isNamed() && kind === pieces[cell] ? labels[cell] : "";
}

/**
 * Board cell → game cell, −1 where the game has none.
 * @param {number} board
 */
export function gameCell(board) {
  return state.view ? state.view.game.cells.indexOf(board) : -1;
}

/** @param {number} cell */
export const cellName = (cell) => state.view?.game.names[cell] ?? "";
