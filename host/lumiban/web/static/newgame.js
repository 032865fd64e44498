// The dialog for a new game: which game, a preset, its options, who plays. What this board cannot
// hold is shown with the reason; what the table refuses is told in the dialog.

import { TAUGHT } from "./lesson.js";
import { wish } from "./link.js";
import { mayAct, mayBegin } from "./play.js";
import { isHost, kindOf, on, state } from "./state.js";
import { $, made, make, onClick } from "./svg.js";
import { gameName, has, loadAllWords, optionName, presetName, ruleOf, say, sayAny, sayText, seatAbout, seatName, sideName, valueName } from "./words.js";

/** No clock, and the one that the game's own option names. */
const NONE = "none";
const RULES = "rules";

/**
 * What is chosen so far.
 * @type {{ slug: string; options: Record<string, any>; seats: string[]; reaction: number | null; clock: string }}
 */
let next = { slug: "", options: {}, seats: [], reaction: null, clock: NONE };
/** How long machines may take to react where there are no turns, ms; null: as their levels do. */
const REACTIONS = [null, 300, 500, 800, 1200, 2000, 4000];

/** @param {string} slug */
const gameOf = (slug) => state.hello.games.find((one) => one.slug === slug);

/** The present game, where it is none of those that the host lists, as a file. */
function listed() {
  const { games } = state.hello;
  const { slug } = state.view.game;
  return gameOf(slug) ? games : [{ slug, options: [], presets: [] }, ...games];
}

/** @param {string} slug */
function begin(slug) {
  const { game } = state.view;
  const described = gameOf(slug);
  const options = Object.fromEntries((described?.options ?? []).map((option) => [option.name, option.default]));
  if (game.slug === slug) {
    for (const name of Object.keys(options)) options[name] = game.options[name] ?? options[name];
    if (!described) Object.assign(options, game.options);
  }
  // A game that has clocks among its options begins with what they say.
  const now = state.view.clock?.control;
  const turnless = options.turns === "turnless";
  const goesOn = game.slug === slug || state.hello.clocks?.some((one) => one.value === now && (turnless ? one.turnless : one.text));
  const clock = "clock" in options ? RULES : goesOn ? now : undefined;
  next = { ...next, slug, options, clock: clock ?? NONE };
}

export function openNewGame() {
  if (!mayBegin()) return;
  void loadAllWords();
  next.seats = state.view.seats.map((seat) => seat.who);
  next.reaction = state.view.reaction_ms ?? null;
  begin(state.view.game.slug);
  $("new-fault").textContent = "";
  write();
  $("new-dialog").showModal();
}

/**
 * @param {string} id
 * @param {string} text
 * @param {(any | string)[][]} pairs
 * @param {any} value
 * @param {(value: any) => unknown} chosen
 */
function choice(id, text, pairs, value, chosen) {
  const select = make("select", { id }, ...pairs.map(([key, name, off]) => {
    const option = make("option", { value: String(key) }, name);
    option.disabled = Boolean(off);
    return option;
  }));
  select.value = String(value);
  select.addEventListener("change", () => chosen(pairs.find(([key]) => String(key) === select.value)?.[0]));
  return make("label", { class: "stacked" }, make("span", {}, text), select);
}

/**
 * A value that this board cannot hold stays in the list, with the reason.
 * @param {string} name
 * @param {SaidText | null} text
 */
const refused = (name, text) => say("page.new.unfit", { name, reason: sayText(text) });

/**
 * Whether a game that does not fit this simulated board is played on another one.
 * @param {SaidText | null} text
 */
export const switches = (text) => Boolean(state.hello.switches_board) && text?.id === "table.unfit-board";

/**
 * Whether no simulated board is large enough: it is not offered there.
 * @param {SaidText | null} text
 */
const isNowhere = (text) => Boolean(state.hello.switches_board) && text?.id === "table.unfit-every-board";

/** The games that there are, those that fit and others; our five first, whatever board they need. */
export function allGames() {
  const all = /** @type {UnfitGame[]} */ ([...listed(), ...(state.hello.unfit ?? [])]);
  /** @param {UnfitGame} one */
  const place = ({ slug }) => (TAUGHT.indexOf(slug) + 1 || TAUGHT.length + 1);
  return all.sort((one, other) => place(one) - place(other));
}

/**
 * A game's part of the one file with all pictures; bare wood for a game from a file.
 * @param {string} slug
 */
export const picture = (slug) => make("img", { src: `/api/rules/games.svg#${encodeURIComponent(slug)}`, alt: "", width: 120, height: 108 });

function games() {
  const group = make("fieldset", { id: "new-games" }, make("legend", {}, say("page.settings.which")));
  /** @type {HTMLElement[]} */
  const reasons = [];
  for (const { slug, text } of allGames()) {
    const radio = make("input", { type: "radio", name: "game", value: slug, id: `new-game-${slug}` });
    radio.checked = slug === next.slug;
    radio.disabled = Boolean(text) && !switches(text);
    radio.addEventListener("change", () => {
      begin(slug);
      write();
      made(`new-game-${slug}`)?.focus();
    });
    if (radio.disabled) {
      reasons.push(make("li", { id: `new-unfit-${slug}` }, make("strong", {}, gameName(slug)), " ", sayText(text)));
      radio.setAttribute("aria-describedby", `new-unfit-${slug}`);
    }
    group.append(make("label", { class: "game" }, picture(slug), make("span", { class: "which" }, radio, make("strong", {}, gameName(slug)))));
  }
  return [group, ...(reasons.length ? [make("ul", { id: "new-unfit" }, ...reasons)] : [])];
}

/**
 * The preset whose options are the chosen ones, "" for none of them.
 * @param {GameHello} game
 */
function presetNow(game) {
  /** @param {PresetHello} preset */
  const wanted = (preset) => ({ ...Object.fromEntries(game.options.map((o) => [o.name, o.default])), ...preset.options });
  /** @param {PresetHello} preset */
  const fits = (preset) => Object.entries(wanted(preset)).every(([name, value]) => next.options[name] === value);
  return game.presets.find(fits)?.name ?? "";
}

/** @param {GameHello} game */
function presets(game) {
  if (!game.presets?.length) return [];
  const pairs = [
    ["", say("page.new.own"), true],
    ...game.presets.map(({ name, text }) => {
      const said = presetName(next.slug, name);
      return text && !switches(text) ? [name, refused(said, text), text] : [name, said];
    }),
  ];
  return [choice("new-preset", say("page.new.preset"), pairs, presetNow(game), (name) => {
    const preset = game.presets.find((one) => one.name === name);
    begin(next.slug);
    for (const option of game.options) next.options[option.name] = option.default;
    Object.assign(next.options, preset?.options);
    write();
    made("new-preset")?.focus();
  })];
}

/** @param {GameHello} game */
function optionFields(game) {
  return game.options.flatMap((option) => {
    const { name, values, unfit = [], free } = option;
    const value = next.options[name];
    const all = [...values, ...unfit.filter(({ text }) => switches(text)).map((one) => one.value)];
    if (all.every(Number.isInteger)) all.sort((a, b) => Number(a) - Number(b));
    const given = free && !all.includes(value);
    const pairs = [
      ...all.map((one) => [one, valueName(next.slug, name, one)]),
      ...unfit.filter(({ text }) => !switches(text) && !isNowhere(text))
        .map((one) => [one.value, refused(valueName(next.slug, name, one.value), one.text), true]),
      ...(free ? [["…", sayAny([`game.${next.slug}.option.${name}.free`], say("page.new.free"))]] : []),
    ];
    const out = [choice(`new-option-${name}`, optionName(next.slug, name), pairs, given ? "…" : value, (chosen) => {
      next.options[name] = chosen === "…" ? "" : chosen;
      write();
      made(chosen === "…" ? `new-text-${name}` : `new-option-${name}`)?.focus();
    })];
    if (given) out.push(freeText(name, value));
    return out;
  });
}

/**
 * @param {string} name
 * @param {string} value
 */
function freeText(name, value) {
  const id = `game.${next.slug}.option.${name}.how`;
  const area = make("textarea", { id: `new-text-${name}`, rows: 3, spellcheck: "false" });
  area.value = value;
  area.addEventListener("input", () => (next.options[name] = area.value));
  return make("label", { class: "stacked" }, make("span", {}, has(id) ? say(id) : say("page.new.free")), area);
}

function seats() {
  const whos = ["human", ...state.hello.levels.map((level) => `bot:${level}`)];
  return next.seats.map((who, side) => {
    const name = state.view.game.slug === next.slug ? sideName(side) : say(`page.new.seat.${side ? "second" : "first"}`);
    const pairs = (whos.includes(who) ? whos : [...whos, who]).map((one) => [one, seatName(one)]);
    const about = make("small", { id: `new-seat-${side}-about` }, seatAbout(who));
    const label = choice(`new-seat-${side}`, name, pairs, who, (chosen) => {
      const reacted = reacts();
      next.seats[side] = chosen;
      about.textContent = seatAbout(chosen);
      if (reacts() === reacted) return;
      write();
      made(`new-seat-${side}`)?.focus();
    });
    label.append(about);
    label.firstElementChild.prepend(make("span", { class: "chip", "data-kind": kindOf(side) }));
    return label;
  });
}

/** Whether a machine will play without turns, where how fast it reacts is what counts. */
const reacts = () => next.options.turns === "turnless" && next.seats.some((who) => who !== "human");

function reaction() {
  if (!reacts()) return [];
  const all = REACTIONS.includes(next.reaction) ? REACTIONS : [...REACTIONS, next.reaction];
  const pairs = all.map((ms) => [
    ms, ms === null ? say("page.new.reaction.level") : say("page.new.reaction.seconds", { seconds: ms / 1000 }),
  ]);
  return [choice("new-reaction", say("page.new.reaction"), pairs, next.reaction, (ms) => (next.reaction = ms))];
}

/** Whether the game has no turns, so that one clock counts for all of it. */
const isTurnless = () => next.options.turns === "turnless";

/** The clocks to choose from; any other one can be typed. */
function clocks() {
  const offered = (state.hello.clocks ?? []).map(({ value, text, turnless }) => ({ value, text: isTurnless() ? turnless : text }));
  const pairs = [
    ...("clock" in next.options ? [[RULES, say("clock.rules")]] : []),
    [NONE, say("clock.none")],
    ...offered.filter(({ text }) => text).map(({ value, text }) => [value, sayText(text)]),
    ["…", say("page.new.free")],
  ];
  const given = !pairs.some(([value]) => value === next.clock);
  const out = [choice("new-clock", say("page.clock"), pairs, given ? "…" : next.clock, (chosen) => {
    next.clock = chosen === "…" ? "" : chosen;
    write();
    made(chosen === "…" ? "new-clock-text" : "new-clock")?.focus();
  })];
  if (!given) return out;
  const input = make("input", { id: "new-clock-text", spellcheck: "false", autocomplete: "off", maxlength: 64 });
  input.value = next.clock;
  input.addEventListener("input", () => (next.clock = input.value));
  const how = say(isTurnless() ? "page.clock.how.turnless" : "page.clock.how");
  return [...out, make("label", { class: "stacked" }, make("span", {}, how), input)];
}

/** What the chosen game is about, in a few sentences. */
function about() {
  const { unfit = [] } = state.hello;
  const text = unfit.find((one) => one.slug === next.slug)?.text ?? null;
  const rule = ruleOf(next.slug, next.options);
  return make("p", { id: "new-about" }, switches(text) ? `${rule} ${say("page.new.simulate")}` : rule);
}

function write() {
  const game = listed().find((one) => one.slug === next.slug) ?? { slug: next.slug, options: [], presets: [] };
  const fields = make("div", { class: "fields columns" }, ...presets(game), ...optionFields(game));
  const [group, ...reasons] = games();
  const people = make("div", { class: "fields columns" }, ...seats(), ...reaction(), ...clocks());
  $("new-body").replaceChildren(group, about(), ...reasons, fields, people);
  $("new-start").disabled = !isHost();
}

/** @param {Event} event */
function start(event) {
  event.preventDefault();
  if (!mayAct()) return;
  $("new-fault").textContent = "";
  const options = Object.fromEntries(Object.entries(next.options).filter(([, value]) => value !== ""));
  const clock = next.clock.trim() || NONE;
  wish({ do: "new", game: next.slug, options, seats: next.seats, clock }, (refused) => {
    if (!refused && reacts()) wish({ do: "reaction", ms: next.reaction });
    begun(refused);
  });
}

/**
 * What was asked for has begun, or why not; on a phone the board is looked at next.
 * @param {SaidText | null} refused
 */
function begun(refused) {
  $("new-fault").textContent = refused ? sayText(refused) : "";
  if (refused) return;
  $("new-dialog").close();
  $("settings").hidePopover();
}

onClick("new-game", openNewGame);
$("new-form").addEventListener("submit", start);
onClick("new-cancel", () => $("new-dialog").close());
on("words", () => $("new-dialog").open && write());
