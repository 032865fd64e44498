// What teaches the game at the table: its lesson, step by step, and the way to its rules.

import { wish } from "./link.js";
import { mayAct, mayBegin, sayWord } from "./play.js";
import { isHost, keep, kept, on, state } from "./state.js";
import { $, make, makeButton } from "./svg.js";
import { gameName, say, sayText, sideName, wordName } from "./words.js";

/** The games that have a lesson. */
export const TAUGHT = ["control", "evening", "trivia", "doves", "rengi"];

/** How many steps a row of dots still shows at a glance. */
const MAX_DOTS = 8;

/** @param {"begin" | "next" | "back" | "again" | "leave" | "play"} where */
const go = (where) => (where === "begin" ? mayBegin() : mayAct()) && wish({ do: "lesson", go: where });

/**
 * A button that goes somewhere; `main` stands out.
 * @param {string} id
 * @param {"next" | "back" | "again" | "leave" | "play"} where
 */
function button(id, where, { main = false, off = false } = {}) {
  const element = makeButton(() => go(where), { "data-go": where, class: main ? "main" : "" }, say(id));
  element.disabled = off;
  return element;
}

/**
 * A word that shows the idea, for the side that is to say it.
 * @param {(number | string)[]} told
 */
function word([side, text]) {
  const [who, what] = [Number(side), String(text)];
  const name = wordName(state.view.game.slug, what);
  return makeButton(() => sayWord(who, what), { "data-go": `${who} ${what}`, class: "main word" }, say("page.word.side", { side: sideName(who), word: name }));
}

/** @param {NonNullable<TableView["lesson"]>} lesson */
function buttons({ kind, step, steps, is_right, words }) {
  const last = step === steps;
  const on = last && kind === "lesson" ? button("lesson.play", "play", { main: is_right }) : button("lesson.next", "next", { main: is_right, off: last });
  return [...words.map(word), on, button("lesson.again", "again"), button("lesson.step.back", "back", { off: step === 1 }), button("lesson.leave", "leave")];
}

let written = "";

function show() {
  const lesson = state.view?.lesson;
  document.documentElement.toggleAttribute("data-lesson", Boolean(lesson));
  $("lesson").hidden = !lesson;
  // Whose turn it is stays the page's heading to who hears it.
  $("headline").classList.toggle("unseen", Boolean(lesson));
  const slug = state.view?.game.slug ?? "";
  if (slug) $("open-rules").setAttribute("href", `/rules?game=${encodeURIComponent(slug)}`);
  $("begin-lesson").hidden = !TAUGHT.includes(slug) || Boolean(lesson) || !isHost();
  if (!lesson) {
    $("lesson-go").replaceChildren();
    written = "";
    return;
  }
  const { kind, step, steps, title, text, said, is_right } = lesson;
  const before = $("lesson").textContent;
  $("lesson-where").textContent = say(kind === "lesson" ? "lesson.where" : "lesson.puzzle.where", { game: gameName(lesson.game), n: step, of: steps });
  $("lesson-dots").replaceChildren(...Array.from({ length: steps > MAX_DOTS ? 0 : steps }, (_, i) =>
    make("span", { class: i + 1 < step || (i + 1 === step && is_right) ? "done" : i + 1 === step ? "now" : "" })));
  $("lesson-title").textContent = sayText(title);
  $("lesson-text").textContent = sayText(text);
  $("lesson-said").hidden = !said;
  $("lesson-said").textContent = said ? sayText(said) : "";
  $("lesson-said").dataset.tone = is_right ? "right" : "again";
  if ($("lesson").textContent !== before) $(said ? "lesson-said" : "lesson-where").scrollIntoView({ block: "nearest" });
  // Rebuilding would take the focus from a button that somebody is about to press.
  if (is_right && kind === "puzzles") keep(`solved.${lesson.game}`, String(step));
  const key = JSON.stringify([lesson.game, kind, step, is_right, lesson.words, state.language, isHost()]);
  if (key === written) return;
  const had = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.go;
  $("lesson-go").replaceChildren(...(isHost() ? buttons(lesson) : []));
  if (had) /** @type {HTMLElement | null} */ ($("lesson-go").querySelector(`[data-go="${had}"]`))?.focus();
  written = key;
}

/**
 * The puzzles of a game, easiest first, from the one after the last that was solved on this device.
 * @param {string} slug
 * @param {(refused: SaidText | null) => unknown} answered
 */
export function askPuzzles(slug, answered) {
  const count = state.hello.puzzles?.[slug] ?? 0;
  const solved = Number(kept(`solved.${slug}`, "0"));
  return wish({ do: "lesson", go: "begin", game: `${slug}/puzzles`, step: 1 + (solved % count) }, answered);
}

$("begin-lesson").addEventListener("click", () => {
  $("settings").hidePopover(); // a lesson has its own ways on
  go("begin");
});
on("hello view words role wire", show);
