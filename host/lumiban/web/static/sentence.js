// The words beside the board: whose turn it is, and the one sentence that matters now.

import { answersFor, byFingers, isHost, isHuman, isNamed, isSeat, isSolo, kindOf, mySide, on, onlyMe, phase, state, tell, twoHands } from "./state.js";
import { trialSentence } from "./trial.js";
import { BLACK, NEUTRAL, WHITE } from "./wire.js";
import { has, isAct, list, moveName, numbered, pieceName, say, sayText, sideName, stoneName } from "./words.js";

/** @type {Record<number, string>} */
const PIECES = { [WHITE]: "white", [BLACK]: "black", [NEUTRAL]: "neutral" };

export function headline() {
  const { view } = state;
  const { title } = phase();
  if (title) return sayText(title);
  if (view.outcome) {
    const { winner } = view.outcome;
    if (isSolo()) return say(winner === 0 ? "page.turn.solo-done" : "page.turn.solo-ended");
    if (winner === null) return say("page.turn.draw");
    const me = onlyMe();
    return me === null ? say("page.turn.won", { side: sideName(winner) }) : say(winner === me ? "page.turn.you-won" : "page.turn.you-lost");
  }
  // Where both may act somebody who thinks keeps nobody waiting.
  if (view.to_move.length > 1) return say(view.turnless ? "page.turn.both" : "page.turn.all");
  const thinking = view.seats.find((seat) => seat.thinking);
  if (thinking) return say("page.turn.thinks", { side: sideName(thinking.side) });
  const [side] = view.to_move;
  if (side === undefined) return say("page.turn.waits");
  return side === onlyMe() ? say("page.turn.yours") : say("page.turn.side", { side: sideName(side) });
}

/** The small line above: which move this will be, and whose. */
export function mover() {
  const { view } = state;
  if (view.link !== "up" || state.past !== null || view.lobby) return { text: "" };
  if (view.outcome) return { text: say("page.turn.over", { n: view.moves.length }) };
  const [side] = view.to_move;
  if (side === undefined) return { text: "" };
  if (view.turnless) return { text: say("page.turn.stones", { n: view.moves.length }) };
  return { kind: kindOf(side), text: say("page.turn.number", { n: view.moves.length + 1 }) };
}

/** Whether board and game differ in what is no move, or not yet one: hands can put it back. */
export const isApart = () => {
  const { view } = state;
  if (view.outcome || view.link !== "up") return false;
  if (["refuse", "repair"].includes(view.verdict.kind) && view.prompt?.steps.length) return true;
  return view.verdict.kind === "wait" && view.prompt?.wait === "mend";
};

/** Whether simulated hands do what is asked, so that nobody else has to. */
export const byHands = () => Boolean(state.hello?.assisted) && state.view.prompt?.by === "hands";

/** What the first step of mending asks for, as a sentence. */
function nextStep() {
  const { view } = state;
  const step = view.prompt?.steps[0];
  if (!step) return "";
  const cell = view.game.names[step.cell];
  if (step.name) return say(`table.mend-${step.do}-named`, { cell, name: pieceName(step.name) });
  if (step.do === "lift") return say("table.mend-lift", { cell });
  return say(`table.mend-place-${PIECES[step.kind] ?? "neutral"}`, { cell });
}

/**
 * Where simulated hands serve the machine, nobody is asked to do it: what it plays, else null.
 * The verdict tells it before the prompt does, which waits until the choice is on disk.
 */
function machines() {
  const { hello, view } = state;
  const { id = "", params = {} } = view.verdict.text ?? {};
  if (!hello?.assisted) return null;
  if (id === "table.machine-lift") return { id: "page.machine.lifts", params };
  const named = { "table.machine-place-named": "page.machine.places-named", "table.machine-lift-named": "page.machine.lifts-named" }[id];
  if (named) return { id: named, params: { ...params, piece: pieceName(String(params.name)) } };
  if (id.startsWith("table.machine-place-")) return { id: "page.machine.places", params };
  return null;
}

/**
 * What the table says; a piece is said as people call it, not by its letter alone.
 * @param {SaidText | null} text
 */
function told(text) {
  const name = text?.params.name;
  return text && isNamed() && name ? say(text.id, { ...text.params, name: pieceName(String(name)) }) : sayText(text);
}

/**
 * What may be done: in other words where no hint marks the cells, or in a game's own.
 * @param {string} what
 */
function may(what) {
  const plain = state.view.hint === "none" ? [`page.plain.${what}`] : [];
  return say([...plain, `page.may.${what}.${state.view.game.slug}`].find(has) ?? `page.may.${what}`);
}

/**
 * What the turn still takes: "Still to place this turn: 2 white, 1 red.", or in which order.
 * @param {TableView} view
 */
function owed({ owing, counts_as }) {
  const inOrder = counts_as !== undefined && owing.length > 1;
  const pieces = owing.map(([kind, n]) => say(`page.owed.${kind}`, { n }));
  const [first, ...rest] = pieces;
  return inOrder ? say("page.may.in-order", { first, then: list(rest) }) : say("page.may.owed", { pieces: list(pieces) });
}

/**
 * What decided, in numbers: the winner's first.
 * @param {OutcomeShown} outcome
 */
function figures({ winner, counts, rank }) {
  if (!counts) return "";
  const [own, other] = winner === 1 ? [counts[1], counts[0]] : counts;
  if (rank === undefined) return say("page.result.numbers", { own, other });
  return say(rank === 1 ? "page.result.groups" : "page.result.groups.later", { own, other, rank, equal: rank - 1 });
}

/**
 * What is asked where the turn is made by a word alone.
 * @param {number} side
 */
export function answered(side) {
  const { words, moves, game } = state.view;
  const said = words[side];
  const [kind] = numbered(said[0] ?? "");
  if (kind && has(`page.may.say.${kind}`)) return say(`page.may.say.${kind}`);
  if (said.includes("take white")) {
    const last = moves.at(-1)?.text ?? "";
    return [...(numbered(last).length ? [say("page.said", { word: moveName(game.slug, { text: last }) })] : []), say("page.may.take")].join(" ");
  }
  return say(said.filter(isAct).join() === "pass" ? "page.may.pass" : "page.may.say");
}

function quietSentence() {
  const { view } = state;
  if (view.lesson) return view.prompt?.steps.length && (byHands() || phase().name === "setting-up") ? say("lesson.setting-up") : "";
  if (view.outcome) return [sayText(view.outcome.text), figures(view.outcome)].join(" ").trim();
  if (!phase().takes) return "";
  const away = view.to_move.filter((side) => isHuman(side) && !answersFor(side));
  if (isHost() && away.length && away.length === view.to_move.length) {
    const phones = view.seats.filter(({ side }) => isHuman(side) && !answersFor(side)).map(({ side }) => state.phones[side] || sideName(side));
    return say(phones.length > 1 ? "page.turn.phones" : "page.turn.phone", { sides: new Intl.ListFormat(state.language).format(phones) });
  }
  if (view.lit && mySide() !== null) return say(matchMedia("(pointer: coarse)").matches ? "page.rengi.may-tap" : "page.rengi.may");
  if (mySide() !== null) {
    const { place, lift, kinds = [] } = view.legal;
    if (view.turnless && view.to_move.length > 1) return say(!twoHands() ? "page.may.any-time" : byFingers() ? "page.may.fingers" : "page.may.both-sides");
    if (view.owing?.length) return owed(view);
    if (view.pie && place.length) return [kinds.length === 1 ? say("page.may.place.one", { stone: stoneName(kinds[0]) }) : may("any-colour"), say("page.may.pie")].join(" ");
    if (isNamed() && isSeat() && !state.hands) return say("page.may.dove-told");
    if (isNamed()) return may(view.game.trays?.length ? "dove-tray" : "dove");
    if (kinds.length > 1) return may("any-colour");
    if (view.turnless && place.length) return say("page.may.first");
    if (place.length && lift.length) return may("both");
    if (place.length) return may("place");
    if (lift.length) return may("lift");
    if (view.words[mySide() ?? -1]?.length) return answered(mySide() ?? 0);
  }
  if (isHost() && !view.seats.some((seat) => seat.who === "human")) return may("sit");
  return "";
}

/** Request to take the last move back, as both players read it. */
function takingBack() {
  const asked = state.view.back_asked;
  if (!asked) return "";
  if (!answersFor(asked.side)) return asked.declined ? "" : say("page.back.asks", { side: sideName(asked.side) });
  return say(asked.declined ? "page.back.no" : "page.back.asked");
}

/** How long a simulated board may be away before it is told: a change of boards takes less. */
const AWAY_MS = 4000;
let isAway = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let goes;

on("view", () => {
  if (state.view.link === "lost" && !goes) goes = setTimeout(() => {
    isAway = true;
    tell("fault");
  }, AWAY_MS);
  if (state.view.link === "lost") return;
  clearTimeout(goes);
  goes = undefined;
  isAway = false;
});

/**
 * What a room hears of it: what is asked of hands is for those who play.
 * @returns {{ tone: string; text: string; then?: string; proof?: number[] }}
 */
function overheard() {
  const { verdict, outcome, link, lobby } = state.view;
  const calm = (/** @type {string} */ text) => ({ tone: "calm", text });
  if (link !== "up") return calm(link === "lost" ? say("page.room.waits") : told(verdict.text));
  const { name, says } = phase();
  if (says && (lobby ? name !== "resting" : byHands())) return calm(sayText(says));
  if (verdict.kind === "refuse") return { tone: "error", text: told(verdict.text), proof: verdict.cells };
  return calm(outcome ? quietSentence() : "");
}

/**
 * The sentence, what to do then, and the cells that prove it.
 * @returns {{ tone: string; text: string; then?: string; proof?: number[] }}
 */
export function sentence() {
  const { view } = state;
  if (state.past !== null && state.fault) return { tone: "error", text: sayText(state.fault) };
  if (state.watching) return overheard();
  if (state.draft) return { tone: "calm", text: say("page.setup.how") };
  if (state.trial) return { tone: "calm", text: trialSentence() };
  if (state.past !== null) {
    return { tone: "calm", text: say("page.past.shown", { n: state.past, all: view.moves.length }) };
  }
  const { verdict } = view;
  if (view.link === "lost" && state.hello?.simulated) return isAway ? { tone: "mend", text: say("page.lost-simulator") } : { tone: "calm", text: "" };
  if (view.link !== "up") return { tone: "mend", text: sayText(verdict.text) };
  if (verdict.kind === "refuse") {
    return { tone: "error", text: told(verdict.text), then: nextStep(), proof: verdict.cells };
  }
  if (state.fault) return { tone: "error", text: sayText(state.fault) };
  if (verdict.kind === "repair" && view.lesson && byHands()) return { tone: "calm", text: quietSentence() };
  const { name, says } = phase();
  if (name === "resting" && !isHost()) return { tone: "calm", text: say("page.room.begin") };
  if (says) return { tone: "calm", text: sayText(says), proof: verdict.cells };
  if (verdict.kind === "repair") {
    const then = nextStep();
    const plain = verdict.text?.id.startsWith("table.mend-");
    const text = plain && then ? then : told(verdict.text);
    return { tone: "mend", text, then: then === text ? "" : then, proof: verdict.cells };
  }
  const back = takingBack();
  if (back) return { tone: "calm", text: back };
  if (verdict.text) return { tone: "calm", text: told(machines() ?? verdict.text), proof: verdict.cells };
  return { tone: "calm", text: quietSentence() };
}
