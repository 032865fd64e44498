// Whose turn it is, in large words, the sentence that matters now, and the answers to it.

import { drawDove } from "./doves.js";
import { emptyDraft, endDraft, playDraft } from "./draft.js";
import { beginTrial, endTrial, mayTry } from "./history.js";
import { wish } from "./link.js";
import { showProof } from "./marks.js";
import { actsByWord, wordButton } from "./moves.js";
import { takeBoard } from "./names.js";
import { choose, confirmMove, lookBack, sayWord, toConfirm } from "./play.js";
import { answered, byHands, headline, isApart, mover, sentence } from "./sentence.js";
import { askNames, mayName } from "./sign.js";
import { acts, answersFor, cellName, isHost, isHuman, isNamed, isSolo, mySide, on, phase, plays, state } from "./state.js";
import { $, draw, make, makeButton } from "./svg.js";
import { stepBack } from "./trial.js";
import { ANSWERS, hasWord, numbered, pieceName, say, wordName } from "./words.js";

/** Choices that are no moves. */
/** @type {Record<string, string>} */
const CHOICES = { takeback: "page.takeback", turns: "page.choose.turns" };

/**
 * @param {string} id
 * @param {() => unknown} act
 */
const answer = (id, act, main = false) => makeButton(act, { class: main ? "main" : "" }, say(id));

/** So long a step is asked for before its cell may be at fault. */
const SILENT_MS = 20_000;
let step = "";
let asked_at = 0;

/** The cell on which a real board shows nothing of what it has asked for; "" for none. */
function silentCell() {
  const first = state.hello?.simulated ? undefined : state.view.prompt?.steps[0];
  const key = first ? `${first.do} ${first.cell}` : "";
  if (key !== step && key) setTimeout(show, SILENT_MS);
  if (key !== step) [step, asked_at] = [key, Date.now()];
  return first && Date.now() - asked_at >= SILENT_MS ? cellName(first.cell) : "";
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
  const cell = isHost() && silentCell();
  if (cell) {
    const button = answer("page.dead-cell", () => wish({ do: "dead-cell", cell }));
    button.textContent = say("page.dead-cell", { cell });
    out.push(button);
  }
  const offered = view.stop_offers?.find((side) => !isHuman(side));
  if (offered !== undefined && !view.outcome) {
    for (const side of view.to_move.filter(plays)) {
      if (view.words[side]?.includes("stop")) {
        out.push(answer("page.agree", () => wish({ do: "word", side, word: "stop" })));
      }
    }
  }
  if (isHost() && view.outcome && !view.lesson) {
    out.push(answer(isSolo() ? "page.again" : "page.rematch", rematch, true));
  }
  if (isHost() && phase().next === "lobby") out.unshift(answer("lobby.open", () => wish({ do: "lobby", choose: "open" }), true));
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
  const many = words.filter((word) => numbered(word).length).sort((a, b) => Number(numbered(a)[1]) - Number(numbered(b)[1]));
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
  for (const one of [turn, document.documentElement]) one.toggleAttribute("data-over", Boolean(state.view.outcome));
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
