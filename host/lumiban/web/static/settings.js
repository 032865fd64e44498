// Seats and levels, light, language: what is chosen, not played.

import { drawn } from "./board.js";
import { wish } from "./link.js";
import { mayAct } from "./play.js";
import { isHost, isNamed, isSolo, keep, kindOf, on, state, tell } from "./state.js";
import { $, made, make, target } from "./svg.js";
import { gameName, ruleOf, say, sayAny, seatName, sideName } from "./words.js";
import { showField } from "./world.js";

/**
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} pairs
 * @param {string} value
 */
function fill(select, pairs, value) {
  const wanted = JSON.stringify([pairs, isHost()]);
  if (select.dataset.pairs !== wanted) {
    select.dataset.pairs = wanted;
    select.replaceChildren(...pairs.map(([key, name]) => make("option", { value: key }, name)));
  }
  // Leave a list alone that somebody has open.
  if (document.activeElement !== select || select.value === "") select.value = value;
  select.disabled = !isHost();
}

/**
 * @param {string} id
 * @param {string} text
 */
function labelled(id, text, chip = 0) {
  /** @type {HTMLLabelElement} */
  let label = made(id)?.closest("label");
  const name = make("span", {}, ...(chip ? [make("span", { class: "chip", "data-kind": chip })] : []), text);
  if (label) {
    label.firstElementChild.replaceWith(name);
    return { label, select: /** @type {HTMLSelectElement} */ (/** @type {unknown} */ (made(id))) };
  }
  const select = make("select", { id });
  label = make("label", {}, name, select);
  return { label, select };
}

function showSeats() {
  const { hello, view } = state;
  const whos = ["human", ...hello.levels.map((level) => `bot:${level}`)];
  view.seats.forEach(({ side, who }) => {
    const { label, select } = labelled(`seat-${side}`, sideName(side), kindOf(side));
    label.firstElementChild.lastChild.replaceWith(make("span", { class: "unseen" }, sideName(side)));
    if (!label.isConnected) {
      $("seats").append(label);
      select.addEventListener("change", () => mayAct() && wish({ do: "seat", side, who: select.value }));
    }
    const known = whos.includes(who) ? whos : [...whos, who];
    fill(select, known.map((key) => [key, seatName(key)]), who);
  });
  const rows = [...$("seats").children].filter((row) => row.querySelector("[id^=seat-]"));
  for (const row of rows.slice(view.seats.length)) row.remove();
  // The second seat of a game for one stays empty: nobody is asked for.
  rows.forEach((row, side) => row.toggleAttribute("hidden", isSolo() && side > 0));
  showPace();
}

/** How long two machines wait between their moves, ms; null: not at all. */
const PACES = [null, 1000, 2000, 4000, 8000];

function showPace() {
  const { view } = state;
  const now = view.reaction_ms ?? null;
  const machines = view.seats.every((seat) => seat.who !== "human") && !view.turnless;
  const { label, select } = labelled("bot-pace", say("page.pace"));
  if (!machines) {
    label.remove();
    return;
  }
  if (!label.isConnected) {
    $("seats").append(label);
    select.addEventListener("change", () => mayAct() && wish({ do: "reaction", ms: select.value ? Number(select.value) : null }));
  }
  const paces = PACES.includes(now) ? PACES : [...PACES, now];
  fill(select, paces.map((ms) => [ms === null ? "" : String(ms), ms === null ? say("page.pace.none") : say("page.pace.seconds", { seconds: ms / 1000 })]), now === null ? "" : String(now));
}

function show() {
  const { hello, view } = state;
  if (!hello || !view) return;
  showSeats();
  fill($("hint"), hello.hints.map((h) => [h, sayAny([`page.hint.${h}`], h)]), view.hint);
  fill($("theme"), hello.themes.map((t) => [t, sayAny([`page.theme.${t}`], t)]), view.theme);
  $("field-switch").hidden = !hello.simulated;
  $("field").checked = state.field;
  $("labels").checked = state.labels;
  $("new-game").disabled = !isHost();
  document.documentElement.dataset.theme = view.theme;
  document.documentElement.dataset.pieces = isNamed() ? "doves" : "stones";
  $("game-name").textContent = gameName(view.game.slug);
  const credit = sayAny([`game.${view.game.slug}.credit`], "");
  $("game-credit").textContent = credit;
  $("game-credit").hidden = !credit;
  const told = ruleOf(view.game.slug, view.game.options);
  $("rule").textContent = told;
  $("game-rule").textContent = told;
}

$("hint").addEventListener("change", (event) => mayAct() && wish({ do: "hint", level: target(event).value }));
$("theme").addEventListener("change", (event) => mayAct() && wish({ do: "theme", name: target(event).value }));
$("field").addEventListener("change", (event) => drawn.profile && showField(target(event).checked));
$("labels").addEventListener("change", (event) => {
  state.labels = target(event).checked;
  keep("labels", state.labels ? "on" : "off");
  tell("prefs");
});

on("view hello words role wire", show);
