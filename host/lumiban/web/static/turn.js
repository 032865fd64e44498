// Whose turn it is, in large words, and the one sentence that matters now.

import { emptyDraft, endDraft, playDraft } from "./draft.js";
import { beginTrial, endTrial, mayTry } from "./history.js";
import { wish } from "./link.js";
import { showProof } from "./marks.js";
import { takeBoard } from "./names.js";
import { choose, confirmMove, lookBack, sayWord, toConfirm } from "./play.js";
import { acts, answersFor, byFingers, isHost, isHuman, isNamed, isSeat, isSolo, kindOf, mySide, on, onlyMe, plays, state, twoHands } from "./state.js";
import { drawDove } from "./doves.js";
import { actsByWord, wordButton } from "./moves.js";
import { askNames, mayName } from "./sign.js";
import { stepBack, trialSentence } from "./trial.js";
import { $, draw, make } from "./svg.js";
import { BLACK, NEUTRAL, WHITE } from "./wire.js";
import { ANSWERS, has, hasWord, isAct, list, numbered, pieceName, say, sayText, sideName, stoneName, wordName, wordOf } from "./words.js";

/** Choices that are no moves. */
/** @type {Record<string, string>} */
const CHOICES = { takeback: "page.takeback", turns: "page.choose.turns" };
/** @type {Record<number, string>} */
const PIECES = { [WHITE]: "white", [BLACK]: "black", [NEUTRAL]: "neutral" };

function headline() {
  const { view } = state;
  if (state.draft) return say("page.setup");
  if (state.watching && view.lobby?.film) return sayText(view.lobby.film.title);
  if (view.outcome) {
    const { winner } = view.outcome;
    if (isSolo()) return say(winner === 0 ? "page.turn.solo-done" : "page.turn.solo-ended");
    if (winner === null) return say("page.turn.draw");
    return winner === onlyMe() ? say("page.turn.you-won") : say("page.turn.won", { side: sideName(winner) });
  }
  if (state.watching && view.lobby) return sayText(view.lobby.title);
  if (view.link === "lost") return say("page.turn.lost");
  if (view.link === "connecting") return say("page.turn.waits");
  if (isCleared()) return say("page.turn.next");
  if (view.verdict.kind === "repair" && byHands() && !view.moves.length) return say("page.turn.waits");
  const thinking = view.seats.find((seat) => seat.thinking);
  if (thinking) return say("page.turn.thinks", { side: sideName(thinking.side) });
  const [side] = view.to_move;
  if (side === undefined) return say("page.turn.waits");
  if (view.timeout) return say("page.turn.timeout");
  if (view.to_move.length > 1) return say(view.turnless ? "page.turn.both" : "page.turn.all");
  return side === onlyMe() ? say("page.turn.yours") : say("page.turn.side", { side: sideName(side) });
}

/** The small line above: which move this will be, and whose. */
function mover() {
  const { view } = state;
  if (view.link !== "up" || state.draft) return { text: "" };
  if (view.outcome) return { text: say("page.turn.over", { n: view.moves.length }) };
  const [side] = view.to_move;
  if (side === undefined) return { text: "" };
  if (view.turnless) return { text: say("page.turn.stones", { n: view.moves.length }) };
  return { kind: kindOf(side), text: say("page.turn.number", { n: view.moves.length + 1 }) };
}

/** Whether board and game differ in what is no move, or not yet one: hands can put it back. */
const isApart = () => {
  const { view } = state;
  if (view.outcome || view.link !== "up") return false;
  if (["refuse", "repair"].includes(view.verdict.kind) && view.prompt?.steps.length) return true;
  return view.verdict.kind === "wait" && view.prompt?.wait === "mend";
};

/** Whether simulated hands do what is asked, so that nobody else has to. */
const byHands = () => Boolean(state.hello?.assisted) && state.view.prompt?.by === "hands";

/** Whether simulated hands take the pieces of the last game off the board. */
const isCleared = () =>
  state.view.verdict.kind === "repair" && byHands() && !state.view.moves.length && state.view.prompt.steps[0]?.do === "lift";

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

/** How many pieces are still to be set. */
function missing() {
  const { light, pieces, sensed } = state.view;
  return pieces.filter((kind, cell) => kind && !sensed[cell] && !light?.includes(cell)).length;
}

/** Whether the pieces of the start are on their way to their places: one that is missing alone may be
    in its owner's hand, unless hands are asked for it. */
const settingUp = () => {
  const { moves, prompt, verdict } = state.view;
  const asked = prompt?.wait === "mend" && (verdict.kind === "wait" || (verdict.kind === "repair" && byHands()));
  return moves.length === 0 && (missing() > 1 || (missing() === 1 && asked));
};

/** Whether simulated hands set them, so that nobody has to do anything about it. */
const setUpByHands = () =>
  settingUp() && Boolean(state.hello?.assisted) && state.view.prompt?.steps[0]?.do === "place";

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
function answered(side) {
  const { words, moves, game } = state.view;
  const said = words[side];
  const [kind] = numbered(said[0] ?? "");
  if (kind && has(`page.may.say.${kind}`)) return say(`page.may.say.${kind}`);
  if (said.includes("take white")) {
    const last = moves.at(-1)?.text ?? "";
    return [...(numbered(last).length ? [say("page.said", { word: wordOf(game.slug, last) })] : []), say("page.may.take")].join(" ");
  }
  return say(said.filter(isAct).join() === "pass" ? "page.may.pass" : "page.may.say");
}

function quietSentence() {
  const { view } = state;
  if (view.lesson) return view.prompt?.steps.length && (byHands() || settingUp()) ? say("lesson.setting-up") : "";
  if (view.outcome) return [sayText(view.outcome.text), figures(view.outcome)].join(" ").trim();
  if (settingUp()) return say(setUpByHands() ? "page.turn.set-by-hands" : "page.turn.setting-up", { n: missing() });
  if (view.lit && mySide() !== null) return say(byFingers() ? "page.rengi.may-tap" : "page.rengi.may");
  if (mySide() !== null) {
    const { place, lift, kinds = [] } = view.legal;
    if (view.timeout) return "";
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

/** That somebody asks to take the last move back, to whoever asks and to the other one. */
function takingBack() {
  const asked = state.view.back_asked;
  if (!asked) return "";
  if (!answersFor(asked.side)) return asked.declined ? "" : say("page.back.asks", { side: sideName(asked.side) });
  return say(asked.declined ? "page.back.no" : "page.back.asked");
}

/** The answers of the other person to that. */
function answersToBack() {
  const { back_asked: asked, seats } = state.view;
  if (!asked || asked.declined || answersFor(asked.side)) return [];
  const side = seats.map((seat) => seat.side).find((one) => one !== asked.side && isHuman(one) && answersFor(one));
  if (side === undefined) return [];
  const says = (/** @type {boolean} */ yes) => () => wish({ do: "answer-back", side, yes });
  return [answer("page.back.let", says(true), true), answer("page.back.keep", says(false))];
}

/**
 * What a room hears of it: what is asked of hands is for those who play.
 * @returns {{ tone: string; text: string; then?: string; proof?: number[] }}
 */
function overheard() {
  const { verdict, outcome, link, lobby } = state.view;
  const calm = (/** @type {string} */ text) => ({ tone: "calm", text });
  if (link !== "up") return calm(link === "lost" ? say("page.room.waits") : "");
  const says = lobby?.film?.text ?? lobby?.says;
  if (says) return calm(sayText(says));
  if (isCleared()) return calm(say("page.turn.clearing"));
  if (setUpByHands()) return calm(quietSentence());
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
  if (view.link === "lost" && state.hello?.simulated) return { tone: "mend", text: say("page.lost-simulator") };
  if (view.link !== "up") return { tone: "mend", text: sayText(verdict.text) };
  if (verdict.kind === "refuse") {
    return { tone: "error", text: told(verdict.text), then: nextStep(), proof: verdict.cells };
  }
  if (state.fault) return { tone: "error", text: sayText(state.fault) };
  if (verdict.kind === "repair" && (setUpByHands() || (view.lesson && byHands()))) return { tone: "calm", text: quietSentence() };
  if (isCleared()) return { tone: "calm", text: say("page.turn.clearing") };
  if (verdict.kind === "repair" && byHands()) return { tone: "calm", text: say("page.turn.mended-by-hands"), proof: verdict.cells };
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

/**
 * @param {string} id
 * @param {() => unknown} act
 */
function answer(id, act, main = false) {
  const button = make("button", { type: "button", class: main ? "main" : "" }, say(id));
  button.addEventListener("click", act);
  return button;
}

/** @returns {(HTMLButtonElement | HTMLSelectElement)[]} */
function answers() {
  const { view } = state;
  if (state.draft) return [answer("page.setup.start", playDraft, true), answer("page.setup.empty", emptyDraft), answer("page.new.cancel", endDraft)];
  if (state.trial) return [answer("page.try.back", stepBack), answer("page.try.end", endTrial, true)];
  const { past } = state;
  if (past !== null) {
    const back = answer("page.past.back", () => lookBack(view.moves.length), true);
    if (!mayTry() || isSolo()) return [back];
    const goOn = answer("page.review.continue", () => wish({ do: "new", after: past }));
    return [back, ...(isHost() ? [goOn] : []), answer("page.try", () => beginTrial(past))];
  }
  if (!acts()) return [];
  /** @type {(HTMLButtonElement | HTMLSelectElement)[]} */
  const out = answersToBack();
  const { choices, said = choices } = view.verdict;
  // A seat answers for its own side, and for a machine that plays against it.
  const mine = isHost() || mySide() !== null || !view.to_move.some(isHuman);
  if (mine) choices.forEach((text, i) => out.push(choice(text, CHOICES[text] ? say(CHOICES[text]) : said[i] ?? text)));
  if (isHost()) out.push(...aboutNames());
  out.push(...setUpWords(), ...turnWords());
  if (mine && toConfirm() && !view.prompt?.steps.length) out.push(answer("page.confirm", confirmMove, true));
  if (isHost() && state.hello?.assisted && isApart() && !byHands()) out.push(answer("page.put-back", () => wish({ do: "put-back" }), true));
  if (isHost() && view.verdict.kind === "repair" && !byHands() && !view.lesson) out.push(answer("page.accept-board", takeBoard));
  const offered = view.stop_offers?.find((side) => !isHuman(side));
  if (offered !== undefined && !view.outcome) {
    for (const side of view.to_move.filter(plays)) {
      if (view.words[side]?.includes("stop")) {
        out.push(answer("page.agree", () => wish({ do: "word", side, word: "stop" })));
      }
    }
  }
  if (isHost() && view.outcome && !view.lesson) {
    out.push(answer(isSolo() ? "page.again" : "page.rematch", rematch, true), answer("page.new", () => $("new-game").click()));
  }
  if (mayName()) out.push(answer("page.sign", askNames));
  if (isSolo() && view.outcome && !state.hello?.network) out.push(answer("page.solo.result", () => location.assign("/library#last")));
  return out;
}

/** The same game again with the same clock; who sat first sits second. */
function rematch() {
  const seats = state.view.seats.map((seat) => seat.who);
  if (!isSolo()) seats.reverse();
  wish({ do: "new", seats });
}

/** What ends a step of the set-up, as "The two stones are set" and "Take White". */
function setUpWords() {
  const { game, outcome, words } = state.view;
  const side = outcome ? null : mySide();
  const may = ANSWERS.filter((word) => words[side ?? -1]?.includes(word) && hasWord(game.slug, word));
  return may.map((word) => {
    const button = answer("page.choose", () => sayWord(side ?? 0, word), true);
    button.textContent = wordName(game.slug, word);
    return button;
  });
}

/** Words by which a turn is made: of those that differ by a number one is chosen from a list. */
function turnWords() {
  const side = state.view.outcome || state.view.verdict.kind !== "agree" ? null : mySide();
  if (side === null) return [];
  const words = actsByWord(side);
  const many = words.filter((word) => numbered(word).length);
  const plain = words.filter((word) => !many.includes(word)).map((word) => wordButton(side, word, false));
  if (!many.length) return plain;
  const { slug } = state.view.game;
  const one = make("select", { "aria-label": answered(side) }, ...many.map((word) => make("option", { value: word }, wordName(slug, word))));
  one.value = many.find((word) => numbered(word)[1] === "0") ?? many[0];
  return [...plain, one, answer("page.say", () => sayWord(side, one.value), true)];
}

/** Where pieces have names: bringing them back to the middle, and asking which is which. */
function aboutNames() {
  const { audit, drift = "", outcome, verdict } = state.view;
  const out = [];
  if (audit?.asks) {
    out.push(answer("page.audit.skip", () => wish({ do: "audit", skip: true })));
    out.push(answer("page.audit.end", () => wish({ do: "audit", end: true })));
  } else if (audit?.advised && !outcome) out.push(answer("page.audit", () => wish({ do: "audit" }), true));
  if (drift === "advised" && !outcome) out.push(answer("page.recentre", () => wish({ do: "recentre" }), true));
  if (drift === "sliding") out.push(answer("page.recentre.back", () => wish({ do: "recentre", back: true })));
  for (const side of verdict.kind === "agree" ? state.view.to_move.filter(isHuman) : []) {
    if (state.view.words[side]?.includes("claim")) out.push(answer("word.doves.claim", () => wish({ do: "word", side, word: "claim" })));
  }
  return out;
}

/**
 * A large button for one of several meanings: a dove's picture and name where it is a put.
 * @param {string} text
 * @param {string} said
 */
function choice(text, said) {
  const button = answer("page.choose", () => choose(text), true);
  button.classList.add("choice");
  button.replaceChildren(said);
  const [, sign, letter] = /^([+-]?)([A-Za-z])/.exec(said) ?? [];
  if (!isNamed() || CHOICES[text] || !letter) return button;
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true" });
  drawDove(letter === letter.toUpperCase() ? 1 : 2, letter, 9, svg);
  const id = { "+": "page.choose.put", "-": "page.choose.remove" }[sign] ?? "page.choose.move";
  button.replaceChildren(svg, say(id, { piece: pieceName(letter), move: said }));
  return button;
}

/** @type {Animation | null} */
let counting = null;
let counted = "";

/**
 * A bar that runs out with the countdown of a pending move.
 * @param {PendingShown | null} pending
 */
function countDown(pending) {
  const due = pending?.due_ms ?? null;
  $("pending").hidden = due === null;
  const key = due === null ? "" : `${pending?.move} ${state.view.v}`;
  if (key === counted) return;
  counted = key;
  counting?.cancel();
  counting = null;
  if (due === null || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const frames = [{ transform: "scaleX(1)" }, { transform: "scaleX(0)" }];
  counting = $("pending-bar").animate(frames, { duration: due, fill: "forwards" });
}

/** @type {number[]} */
let proof = [];
let said = "";

function show() {
  if (!state.view) return;
  const now = sentence();
  const { kind, text } = mover();
  $("headline").textContent = headline();
  $("mover").replaceChildren();
  if (kind) $("mover").append(make("span", { class: "chip", "data-kind": kind }));
  $("mover").append(text);
  $("sentence").replaceChildren(make("span", { class: "text" }, now.text));
  if (now.then) $("sentence").append(make("span", { class: "then" }, now.then));
  proof = now.proof ?? [];
  const turn = $("turn");
  turn.dataset.tone = now.tone;
  turn.toggleAttribute("data-over", Boolean(state.view.outcome));
  turn.toggleAttribute("data-proof", proof.length > 0);
  if (proof.length) $("sentence").tabIndex = 0;
  else $("sentence").removeAttribute("tabindex");
  showProof([]);
  const buttons = answers();
  // Rebuilding would take the focus from a button that somebody is about to press.
  const key = [...buttons.map((button) => button.textContent), state.language, ...state.view.to_move].join("|");
  if (key !== said) $("answers").replaceChildren(...buttons);
  said = key;
  countDown(state.past === null ? state.view.pending : null);
  document.title = `${headline()} · lumiban`;
}

for (const [name, cells] of /** @type {[string, boolean][]} */ ([["pointerenter", true], ["focus", true], ["pointerleave", false], ["blur", false]]))
  $("sentence").addEventListener(name, () => showProof(cells ? proof : []));

on("view words role wire fault past trial network", show);
