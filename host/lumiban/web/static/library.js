// The page of finished games: found by words, replayed move by move, results by player.

import { askLink, isLink, lastGame, linkIn, pictureOf, share } from "./gamelink.js";
import { readPlayers, writePlayers } from "./library_players.js";
import { day, ending, figures, rated, result, sideName, sides, who } from "./results.js";
import { showReview, statusOf } from "./review.js";
import { on, state, tell } from "./state.js";
import { $, make, makeButton, onClick, target } from "./svg.js";
import { hearTrial, openTrial, stepBack, touchTrial, trialSentence } from "./trial.js";
import "./trial_panel.js";
import { gameName, loadWords, moveName, say, sayText } from "./words.js";

const PAGE = 50;
const POLL_MS = 700;
/** A tap so far from a cell's middle means it still, in units of the picture: half a cell and some. */
const REACH = 24;
/** How often a game was asked for. */
let asks = 0;
/** @type {Record<string, any>} */
const shown = { games: [], all: 0, more: false, open: null, at: 0 };

/** A game is asked for; whether its answer is still wanted: no other was, nor an address followed. */
const asking = (mine = ++asks, from = location.hash) => () => mine === asks && location.hash === from;

/** @param {string} path */
async function ask(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** @param {string} text */
function note(text) {
  $("library-note").hidden = !text;
  $("library-note").textContent = text;
}

/**
 * Whether a game is only listed: its record is faulty, or rules from a file do not run here.
 * @param {any} game
 */
const isClosed = (game) => Boolean(game.fault || game.is_own);

/** @param {any} game */
const pathOf = (game) => `/api/library/game/${encodeURIComponent(game.name)}`;

/**
 * Address of a picture of a game after a number of moves.
 * @param {any} game
 * @param {number} at
 */
const positionOf = (game, at) => `${pathOf(game)}/${at}.svg`;

function writeGames() {
  $("count").textContent = say("page.library.count", { shown: shown.games.length, all: shown.all });
  $("games").replaceChildren(...shown.games.map((/** @type {any} */ game) => {
    const text = `${gameName(game.slug)}: ${sides(game)}`;
    const about = make("small", game.fault ? { class: "fault" } : {},
      `${day(game.name)} · ${result(game)}${rated(game)} · ${say("page.library.moves", { n: game.moves })}`);
    // Its end, drawn by the host once it comes into sight.
    const picture = () => make("img", { src: positionOf(game, game.moves), alt: "", loading: "lazy", width: 72, height: 72 });
    const button = makeButton(() => open(game.name), { "data-name": game.name }, ...(isClosed(game) ? [] : [picture()]), make("span", {}, text, about, ...(ending(game) ? [make("small", {}, ending(game))] : [])));
    if (shown.open?.game.name === game.name) button.setAttribute("aria-current", "true");
    return make("li", {}, button);
  }));
  $("more").hidden = !shown.more;
}

/**
 * Open a game from a link; where it is among the finished games already, there.
 * @param {string} link
 */
async function openLink(link) {
  const isLast = asking();
  try {
    const told = await (await askLink("", link)).json();
    if (!isLast()) return;
    $("open-link-text").value = "";
    if (told.kept) {
      await open(told.kept);
      return;
    }
    shown.open = { ...told, link: linkIn(link) };
  } catch (error) {
    note(String(error instanceof Error ? error.message : error));
    return;
  }
  note("");
  shown.at = shown.open.moves.length;
  location.hash = shown.open.link;
  write();
  $("replay-title").focus();
}

async function keepLinked() {
  try {
    const told = await (await askLink("/keep", shown.open.link)).json();
    await open(told.game);
    await find();
    note(say("records.link.kept", { name: told.game }));
  } catch (error) {
    note(String(error instanceof Error ? error.message : error));
  }
}

/** The board after the moves that are shown; of a linked game the host draws it for this page only. */
async function picture() {
  const { game, link } = shown.open;
  const at = shown.at;
  if (!link) {
    $("replay-board").src = positionOf(game, at);
    return;
  }
  try {
    const drawn = await pictureOf(link, at);
    if (shown.open?.link === link && shown.at === at && !state.trial) $("replay-board").src = drawn;
  } catch (error) {
    note(String(error instanceof Error ? error.message : error));
  }
}

function writeReplay() {
  const told = shown.open;
  if (told !== shown.reviewed) {
    Object.assign(shown, { reviewed: told, review: null, refused: "" });
    void lookAtTable();
  }
  $("replay").hidden = !told;
  if (!told) return;
  const { game, moves } = told;
  $("replay-title").textContent = `${gameName(game.slug)}: ${sides(game)}`;
  $("replay-power").replaceChildren(...(game.power?.lists ?? []).map((/** @type {any} */ one, /** @type {number} */ i) =>
    make("li", {}, say("page.library.power.list", { n: i + 1, ...figures(one) }))));
  const seconds = say("page.library.seconds", { n: Math.round(game.seconds) });
  $("replay-about").textContent = `${day(game.name)} · ${result(game)} · ${seconds}${ending(game) && ` · ${ending(game)}`}`;
  $("replay-own").textContent = game.is_own && !game.fault ? say("page.library.own", { name: game.name }) : "";
  for (const part of [$("replay-board"), $("replay-steps"), $("replay-moves")]) part.hidden = isClosed(game);
  $("replay-moves").replaceChildren(...moves.map((/** @type {any} */ move, /** @type {number} */ i) =>
    make("li", {}, makeButton(() => step(i + 1), {}, `${i + 1}. ${moveName(game.slug, move)}`))));
  $("share-row").hidden = isClosed(game) || Boolean(told.link);
  $("share-from").hidden = !told.link;
  $("share-told").textContent = "";
  $("share-field").hidden = true;
  $("replay-files").replaceChildren(...(told.link ? [] : ["json", "txt", "svg"].filter((form) => !isClosed(game) || form === "json")).flatMap((form) => [
    make("a", { href: `/api/library/file/${encodeURIComponent(game.name)}.${form}`, download: "" }, say(`page.library.export.${form}`)), " ",
  ]));
  const people = game.fault || told.link ? [] : [0, 1].filter((side) => game.seats[side] === "human" && !(game.slug === "chain-power" && side));
  $("replay-names").hidden = people.length === 0;
  $("replay-seats").replaceChildren(...people.map((side) => {
    const input = make("input", { "data-side": side, maxlength: 40, autocomplete: "off", spellcheck: "false", value: game.players[side] ?? "" });
    return make("label", { class: "stacked" }, make("span", {}, sideName(game, side)), input);
  }));
  $("replay-told").textContent = say(`records.verdict.${game.verdict}`);
  step(shown.at);
}

/**
 * Write down who played the game that is open; ratings follow.
 * @param {Event} event
 */
async function sign(event) {
  event.preventDefault();
  const { game } = shown.open;
  for (const input of $("replay-seats").querySelectorAll("input")) {
    const [side, name] = [Number(input.dataset.side), input.value.trim()];
    if (!name || name === game.players[side]) continue;
    const answer = await fetch("/api/players", { method: "POST", body: JSON.stringify({ side, name, game: game.name }) });
    const said = await answer.json();
    if (!answer.ok) {
      $("replay-told").textContent = sayText(said.error);
      return;
    }
  }
  const at = shown.at;
  await open(game.name);
  step(at);
  await find();
  await readPlayers();
  writePlayers(open);
}

/** Whether a game is on at the table: its coach goes through no other one meanwhile. */
let isPlaying = false;

async function lookAtTable() {
  const view = await ask("/api/view").catch(() => null);
  isPlaying = Boolean(view?.moves?.length && !view.outcome);
  writeReview();
}

/** What the coach has found out about the game that is open: told by the table, where it is asked. */
function writeReview() {
  const { open, at, review } = shown;
  $("review-ask").hidden = isPlaying || Boolean(review && !review.stopped);
  $("review-status").textContent = review ? statusOf(review) : isPlaying ? say("table.review-in-play") : shown.refused ?? "";
  $("review").hidden = !review;
  if (!review) return;
  const moves = open.moves.map((/** @type {any} */ move) => move.text);
  showReview($("review"), review, { sides: open.sides, moves, at, go: step });
}

/** The game that is open, as the host has it: under its name, or whole in a link. @param {string} end */
async function atTheTable(end) {
  const { game, link } = shown.open;
  const path = link ? "/api/library/link" : pathOf(game);
  const answer = await fetch(`${path}/${end}`, { method: "POST", body: link ?? "" });
  const said = await answer.json().catch(() => ({}));
  shown.refused = answer.ok ? "" : said.error ? sayText(said.error) : say("page.lost");
  writeReview();
  return answer.ok ? said.name : "";
}

/** Ask the coach, and listen until it is done or another game is open. */
async function review() {
  const { open } = shown;
  const name = await atTheTable("review");
  while (name && shown.open === open) {
    const view = await ask("/api/view").catch(() => null);
    if (!view?.review || view.review.name !== name) break;
    shown.review = view.review;
    writeReview();
    if (view.review.done) break;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function goOn() {
  if (await atTheTable(`continue/${shown.at}`)) location.assign("/");
}

/**
 * What other moves lead to, as the host finds it: it keeps nothing.
 * @param {Tried[]} line
 */
async function attempt(line) {
  const { open: { game, link }, at } = shown;
  const { trial } = state;
  const path = `/try/${at}?line=${encodeURIComponent(JSON.stringify(line))}`;
  try {
    const told = link ? await (await askLink(path, link)).json() : await ask(pathOf(game) + path);
    if (state.trial === trial) hearTrial(told);
  } catch (error) {
    note(String(error instanceof Error ? error.message : error));
  }
}

function beginTrial() {
  const { open, at } = shown;
  openTrial({ n: at, slug: open.game.slug, sides: open.sides, ask: attempt, end: endTrial });
  tell("trial");
  $("trial-told").focus();
}

/** Back to the game as it was played. */
function endTrial() {
  step(shown.at);
  $("try").focus();
}

/** What is tried stands in place of the game's position. */
function writeTrial() {
  const { trial } = state;
  $("trying").hidden = !trial;
  const { game, moves } = shown.open ?? { moves: [] };
  $("replay-acts").hidden = Boolean(trial) || !moves.length || isClosed(game) || game.slug === "chain-power";
  if (!trial) return;
  const text = trialSentence();
  if ($("trial-told").textContent !== text) $("trial-told").textContent = text;
  if (!trial.shown?.board) return;
  $("replay-board").src = `data:image/svg+xml,${encodeURIComponent(trial.shown.board)}`;
  $("replay-board").alt = text;
}

/**
 * The cell of the picture that was tapped; −1 beside all of them.
 * @param {MouseEvent} event
 */
function cellAt({ clientX, clientY }) {
  const image = $("replay-board");
  const { left, top, width, height } = image.getBoundingClientRect();
  const scale = Math.min(width / image.naturalWidth, height / image.naturalHeight);
  const x = (clientX - left - (width - scale * image.naturalWidth) / 2) / scale;
  const y = (clientY - top - (height - scale * image.naturalHeight) / 2) / scale;
  const away = (state.trial?.shown?.places ?? []).map(([px, py]) => Math.hypot(px - x, py - y));
  const nearest = Math.min(...away);
  return nearest <= REACH ? away.indexOf(nearest) : -1;
}

/** @param {number} at */
function step(at) {
  const { game, moves } = shown.open;
  state.trial = null;
  tell("trial");
  shown.at = Math.max(0, Math.min(moves.length, at));
  if (!isClosed(game)) picture();
  const text = shown.at ? say("page.library.after", { n: shown.at, of: moves.length, move: moveName(game.slug, moves[shown.at - 1]) }) : say("page.library.start");
  $("replay-at").textContent = `${shown.at} / ${moves.length}`;
  $("replay-board").alt = text;
  $("continue").disabled = shown.at === moves.length;
  writeReview();
  $("replay-moves").querySelectorAll("button").forEach((button, i) => {
    button.toggleAttribute("aria-current", i + 1 === shown.at);
    if (i + 1 === shown.at) button.scrollIntoView({ block: "nearest" });
  });
}

/** @param {string} name */
async function open(name) {
  const isLast = asking();
  try {
    const told = await ask(`/api/library/game/${encodeURIComponent(name)}`);
    if (!isLast()) return;
    shown.open = told;
  } catch (error) {
    note(String(error instanceof Error ? error.message : error));
    return;
  }
  shown.at = shown.open.moves.length;
  location.hash = encodeURIComponent(name);
  write();
  $("replay-title").focus();
}

/** The first games that have the words, or those after what is shown. */
async function find(more = false) {
  const last = shown.games.at(-1);
  const asked = new URLSearchParams({ find: $("find").value, limit: String(PAGE) });
  if (more && last) asked.set("before", String(last.serial));
  try {
    const told = await ask(`/api/library?${asked}`);
    shown.games = more ? [...shown.games, ...told.games] : told.games;
    shown.more = told.games.length === PAGE;
    shown.all = told.all;
    note(told.notes.map((/** @type {any} */ one) => say(one.id, one.params)).join(" "));
  } catch (error) {
    note(String(error instanceof Error ? error.message : error));
  }
  writeGames();
}

function write() {
  document.title = `${say("page.library")} – lumiban`;
  writeGames();
  writePlayers(open);
  writeReplay();
}

$("find-form").addEventListener("submit", (event) => {
  event.preventDefault();
  find();
});
$("replay-names").addEventListener("submit", sign);
onClick("share", () => share(shown.open.game.name));
onClick("review-ask", review);
onClick("continue", goOn);
onClick("try", beginTrial);
onClick("try-back", stepBack);
onClick("try-end", endTrial);
onClick("replay-board", (event) => touchTrial(cellAt(event)));
on("trial words", writeTrial);
onClick("share-keep", keepLinked);
$("open-link").addEventListener("submit", (event) => {
  event.preventDefault();
  openLink($("open-link-text").value);
});
addEventListener("hashchange", () => {
  const link = location.hash.slice(1);
  if (isLink(link) && link !== shown.open?.link) openLink(link);
});
onClick("more", () => find(true));
onClick("replay-steps", (event) => {
  const way = target(event).closest("[data-step]")?.dataset.step;
  if (way) step(/** @type {Record<string, number>} */ ({ first: 0, back: shown.at - 1, on: shown.at + 1, last: shown.open.moves.length })[way]);
});
document.addEventListener("keydown", (event) => {
  if (!shown.open || target(event).closest("input, select, textarea")) return;
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!way) return;
  if (!state.trial) step(shown.at + way);
  else if (way < 0) stepBack();
});
/** What stands behind the `#`; half a letter's code there is left as it is. */
function plainHash() {
  const hash = location.hash.slice(1);
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

on("words", write);
on("players", () => writePlayers(open));
await loadWords();
let asked = plainHash();
const own = asked === "last" ? await lastGame() : "";
await find();
await readPlayers();
write();
// Where the table has gone on, its game is the last of all.
if (asked === "last") asked = own || (shown.games[0]?.name ?? "");
if (isLink(asked)) await openLink(asked);
else if (asked) await open(asked);
