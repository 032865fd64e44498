// Every sentence on the page, by the ids of the catalogue, in the language that was chosen.

import { keep, on, state, tell } from "./state.js";

// All of a page's scripts are one file: where this line runs, they all are understood.
document.querySelector("#too-old")?.remove();

/** @type {Record<string, { name: string; comma: string }>} */
const LANGUAGES = {
  en: { name: "English", comma: ", " },
  ja: { name: "日本語", comma: "、" },
};
/** @type {HTMLSelectElement | null} The choice of a language, which every page has. */
const choice = document.querySelector("#language");
choice?.append(...Object.entries(LANGUAGES).map(([language, { name }]) => new Option(name, language)));
choice?.addEventListener("change", () => chooseLanguage(choice.value));

/** @type {Map<string, Record<string, string>>} */
const tables = new Map();

/** @param {string} language */
export const languageName = (language) => LANGUAGES[language]?.name ?? language;

/** @type {Set<string>} Languages of which every sentence is here, not the present game's alone. */
const whole = new Set();
const isTable = ["/", "/watch"].includes(location.pathname);

/**
 * @param {string} language
 * @param {boolean} all
 */
async function loadTable(language, all = !isTable || whole.size > 0) {
  if (tables.has(language) && (!all || whole.has(language))) return;
  const answer = await fetch(`/api/texts?lang=${encodeURIComponent(language)}${all ? "" : "&for=table"}`);
  if (!answer.ok) throw new Error(await answer.text());
  tables.set(language, await answer.json());
  if (all) whole.add(language);
}

/** @type {Promise<void> | null} */
let coming = null;

/** Load every sentence: other games are chosen from, or something is told that is none of a table's. */
export async function loadAllWords() {
  if (!state.language || whole.has(state.language) || coming) return;
  coming = loadTable(state.language, true);
  try {
    await coming;
  } catch {
    return; // asked for again by the next sentence that is missing
  } finally {
    coming = null;
  }
  speak(state.language);
}

on("view", () => {
  const { slug } = state.view.game;
  if (!has(`game.${slug}.rule`) && has("page.new")) void loadAllWords();
});

/** Load the language that was chosen; another one is loaded when it is. */
export async function loadWords() {
  const wanted = state.language || (navigator.language.startsWith("ja") ? "ja" : "en");
  const language = wanted in LANGUAGES ? wanted : "en";
  await loadTable(language);
  speak(language);
}

/** Reload all sentences: a game from a file may have brought others. */
export async function reloadWords() {
  tables.clear();
  whole.clear();
  await loadTable(state.language);
  speak(state.language);
}

/**
 * Speak this language from now on.
 * @param {string} language
 */
export function speak(language) {
  state.language = language;
  document.documentElement.lang = language;
  if (choice) choice.value = language;
  dress(document);
  tell("words");
}

/** The language that was chosen last: one that is loaded later than it was wanted is not spoken. */
let wanted = "";

/** @param {string} language */
export async function chooseLanguage(language) {
  wanted = language;
  keep("language", language);
  await loadTable(language);
  if (wanted === language) speak(language);
}

const table = () => tables.get(state.language) ?? {};

/** @param {string} id */
export const has = (id) => id in table();

/**
 * The sentence of this id. Parameters that are ids themselves are said in this language too,
 * filled from the same parameters.
 * @param {string} id
 * @param {Record<string, any>} [params]
 * @returns {string}
 */
export function say(id, params = {}) {
  const sentence = table()[id];
  if (sentence === undefined) {
    if (!whole.has(state.language)) void loadAllWords();
    return whole.has(state.language) ? id : "";
  }
  return sentence.replace(/\{(\w+)(?::[^}]*)?\}/g, (whole, name) => {
    const value = params[name];
    if (value === undefined) return whole;
    if (typeof value !== "string" || !has(value)) return String(value);
    const { [name]: _, ...others } = params;
    return say(value, others);
  });
}

/**
 * A told text: {id, params}.
 * @param {SaidText | null | undefined} text
 */
export const sayText = (text) => (text ? say(text.id, text.params) : "");

/**
 * The first of these ids that has a sentence, else `plain`.
 * @param {string[]} ids
 * @param {string} plain
 * @param {Record<string, any>} [params]
 */
export const sayAny = (ids, plain, params = {}) => {
  const id = ids.find(has);
  return id ? say(id, params) : plain;
};

/**
 * Fill elements that name their text.
 * @param {ParentNode} root
 */
export function dress(root) {
  for (const element of root.querySelectorAll("[data-text]")) {
    element.textContent = say(element.dataset.text);
  }
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
    if (element.localName === "button") element.title = say(element.dataset.label);
  }
}

// Names of things, where a stranger's game may have none in the catalogue.

/** @param {number} side */
export const sideName = (side) => {
  const name = state.view?.game.sides[side] ?? String(side);
  return sayAny([`side.${name}`], name);
};
/**
 * A dove by its letter: capital letters are the first side's.
 * @param {string} letter
 */
export const pieceName = (letter) =>
  say("page.piece", {
    side: sideName(letter === letter.toUpperCase() ? 0 : 1),
    piece: sayAny([`dove.${letter.toUpperCase()}`], letter),
    letter,
  });
/** @param {number} kind */
export const stoneName = (kind) => sayAny([`page.stone.${kind}`], say("page.stone.4"));
/** @param {string} who */
export const seatName = (who) => {
  if (who === "human") return say("page.seat.human");
  const level = who.replace(/^bot:/, "");
  return say("page.seat.bot", { level: sayAny([`level.${level}`], level) });
};
/**
 * The same where room is short: a machine by its level alone.
 * @param {string} who
 */
export const seatShort = (who) => sayAny([`level.${who.replace(/^bot:/, "")}`], seatName(who));
/**
 * Who plays this side: "Aya's phone" where one does.
 * @param {number} side
 */
export function playerName(side, name = seatName) {
  const { who = "human" } = state.view.seats[side] ?? {};
  const phone = who === "human" ? state.phones[side] ?? null : null;
  return phone === null ? name(who) : say(phone ? "page.seat.phone" : "page.seat.a-phone", { name: phone });
}
/**
 * What a machine of this level is like, "" for a person.
 * @param {string} who
 */
export const seatAbout = (who) => sayAny([`level.${who.replace(/^bot:/, "")}.about`], "");
/** @param {string} slug */
export const gameName = (slug) => sayAny([`game.${slug}.name`], slug.replace(/^.*[\\/]/, "").replace(/\.py$/, ""));
/**
 * What a game is about: some options make another game of it, and have a sentence of their own.
 * @param {string} slug
 * @param {Record<string, string | number>} options
 */
export const ruleOf = (slug, options) =>
  sayAny([...Object.values(options).map((value) => `game.${slug}.rule.${value}`), `game.${slug}.rule`], "");
/**
 * @param {string} slug
 * @param {string} name
 */
export const presetName = (slug, name) => sayAny([`game.${slug}.preset.${name}`], name);
/**
 * @param {string} slug
 * @param {string} name
 */
export const optionName = (slug, name) => sayAny([`game.${slug}.option.${name}`], name);
/**
 * @param {string} slug
 * @param {string} name
 * @param {string | number} value
 */
export const valueName = (slug, name, value) =>
  sayAny([`game.${slug}.option.${name}.${value}`], String(value));
/**
 * @param {string} slug
 * @param {string} word
 */
export const hasWord = (slug, word) => wordName(slug, word) !== word;
/** Words with which a set-up goes on: they stand with the turn, not among the words of the game. */
export const ANSWERS = ["done", "take white", "take black"];
/**
 * Whether a word is a turn by itself, as a pass is: it stands with the turn too.
 * @param {string} word
 */
export const isAct = (word) => !["resign", "stop", "stand", "claim", ...ANSWERS].includes(word);
/**
 * A word that differs from others by its number: what they share, and the number.
 * @param {string} word
 */
export const numbered = (word) => /^(.+) (-?\d+)$/.exec(word)?.slice(1) ?? [];

/** @type {Record<string, string>} What a move that names more than a cell does, in ids of sentences. */
const ACTS = { "red ": "red", "block ": "red", "lend ": "lend", "lift ": "lift", "put w": "put", "put b": "put" };

/**
 * A move as people read it: words, and stones that are not the side's own, in the language of the page.
 * @param {string} slug
 * @param {{ side?: number; text: string; said?: string }} move
 * @param {"moves" | "said"} [form] Beside its side, as in the list of moves, or a sentence.
 */
export function moveName(slug, { side = 0, text, said = text }, form = "moves") {
  const [, act, cell] = /^(\w+ [wb]?)([a-z]+\d+)$/.exec(text) ?? [];
  if (ACTS[act]) return say(`page.${form}.${ACTS[act]}`, { side: sideName(side), cell, stone: `page.stone.${act === "put w" ? 1 : 2}` });
  return wordOf(slug, text) || (form === "said" ? say("page.said.move", { side: sideName(side), move: said }) : said);
}

/**
 * A move that is a word, as the list of moves tells it beside its side; "" for any other move.
 * @param {string} slug
 * @param {string} text
 */
function wordOf(slug, text) {
  const word = text.replace(/ [wb]$/, "");
  return sayAny([`page.moves.word.${word}`], hasWord(slug, word) ? wordName(slug, word) : "");
}
/**
 * @param {string} slug
 * @param {string} word
 */
export const wordName = (slug, word) => {
  // Of words that differ by a number one sentence has them all, another one those below nothing.
  const [kind, n = ""] = numbered(word);
  const below = n.startsWith("-") && has(`word.${kind}.below`);
  const ids = below ? [`word.${kind}.below`] : [`word.${slug}.${kind}`, `word.${kind}`];
  return sayAny([`word.${slug}.${word}`, `word.${word}`, ...ids], word, { n: below ? n.slice(1) : n });
};

/**
 * Things one after the other, as this language lists them.
 * @param {string[]} parts
 */
export const list = (parts) => parts.join(LANGUAGES[state.language]?.comma ?? ", ");
