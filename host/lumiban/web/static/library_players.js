// Players and their ratings, on the page of finished games.

import { day, result, who } from "./results.js";
import { tell } from "./state.js";
import { $, make, makeButton } from "./svg.js";
import { gameName, say, sayText } from "./words.js";

const MAX_RATING = 3000;
/** @type {Record<string, any>} */
const known = { players: [], rated: [], tests: [] };

/** Ask the table who plays how well. */
export async function readPlayers() {
  const answer = await fetch("/api/library/players");
  if (!answer.ok) throw new Error(await answer.text());
  Object.assign(known, await answer.json());
}

/**
 * Who plays how well, and the tests of chain power, which are opened so.
 * @param {(name: string) => unknown} open
 */
export function writePlayers(open) {
  const rows = known.players.map((/** @type {any} */ one) => make("tr", {}, ...[
    one.player, gameName(one.slug), String(one.rating).replace("-", "−"), one.won, one.lost, one.drawn,
  ].map((cell) => make("td", {}, String(cell)))));
  $("players").querySelector("tbody").replaceChildren(...rows);
  $("players").hidden = !rows.length;
  $("no-players").hidden = rows.length > 0;
  writeFirstRating();
  $("powers").hidden = !known.tests.length;
  $("powers").querySelector("ol").replaceChildren(...known.tests.map((/** @type {any} */ game) =>
    make("li", {}, makeButton(() => open(game.name), {}, `${day(game.name)} · ${who(game, 0)} · ${result(game)}`))));
}

/** The form in which a player says how strong they are; what it shows was typed stays. */
function writeFirstRating() {
  const chosen = $("first-rating-game").value || "rengi";
  $("first-rating-game").replaceChildren(...known.rated.map((/** @type {string} */ slug) => make("option", { value: slug }, gameName(slug))));
  $("first-rating-game").value = chosen;
  $("first-rating-label").textContent = say("page.first-rating.number", { most: MAX_RATING });
  const names = new Set(known.players.map((/** @type {any} */ one) => one.player));
  $("known-players").replaceChildren(...[...names].map((value) => make("option", { value })));
  writeSuggestion();
}

/** The last chain-power test of the player whose name stands there. */
function writeSuggestion() {
  const player = $("first-rating-player").value.trim();
  const test = known.tests.find((/** @type {any} */ one) => player && one.players[0] === player);
  const fits = Boolean(test) && $("first-rating-game").value === "rengi";
  $("first-rating-test").hidden = !fits;
  if (fits) $("first-rating-test").textContent = say("page.first-rating.rengi", { player, score: test.power.score });
}

/** @param {Event} event */
async function declare(event) {
  event.preventDefault();
  const wish = {
    player: $("first-rating-player").value.trim(),
    game: $("first-rating-game").value,
    rating: Number($("first-rating-number").value),
  };
  const answer = await fetch("/api/first-rating", { method: "POST", body: JSON.stringify(wish) });
  const said = await answer.json().catch(() => ({}));
  $("first-rating-told").textContent = answer.ok
    ? say("records.declared", wish)
    : said.error ? sayText(said.error) : say("page.lost");
  if (!answer.ok) return;
  await readPlayers();
  tell("players");
}

$("first-rating-form").addEventListener("submit", declare);
$("first-rating-player").addEventListener("input", writeSuggestion);
$("first-rating-game").addEventListener("input", writeSuggestion);
