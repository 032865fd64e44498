// A finished game in words: who played, how it ended, when.

import { say, sayAny, seatName } from "./words.js";

/**
 * Who sat on a side, by name where somebody was named.
 * @param {any} game
 * @param {number} side
 */
export const who = (game, side) => game.players[side] ?? seatName(game.seats[side]);

/**
 * The numbers of a chain-power test, or of one of its lists.
 * @param {any} one
 */
export const figures = (one) => ({ ...one, seconds: Math.round(one.seconds), points: one.points.toLocaleString("en") });

/**
 * Who played: the second seat of a test is empty.
 * @param {any} game
 */
export const sides = (game) => (game.slug === "chain-power" ? who(game, 0) : `${who(game, 0)} – ${who(game, 1)}`);

/**
 * Name of a side; its place in a game from a file, whose sides are not known.
 * @param {any} game
 * @param {number} side
 */
export function sideName(game, side) {
  const [name] = game.sides.slice(side);
  return name ? sayAny([`side.${name}`], name) : say(side ? "page.new.seat.second" : "page.new.seat.first");
}

/** @param {any} game */
export function result(game) {
  if (game.power) return say("page.library.power", figures(game.power));
  if (game.fault) return say("page.library.fault", { fault: game.fault });
  if (game.winner === null) return say("page.library.result.draw");
  // Two who have no names, or the same one, are told apart by their sides.
  const winner = who(game, 0) === who(game, 1) ? sideName(game, game.winner) : who(game, game.winner);
  return say("page.library.result.won", { who: winner });
}

/**
 * How a game ended, as far as that needs no more to be said.
 * @param {any} game
 */
export function ending(game) {
  const text = game.power || game.fault ? "" : sayAny([`outcome.${game.reason}`], "");
  return text.includes("{") ? "" : text;
}

/** @param {any} game */
export function rated(game) {
  if (game.verdict !== "rated") return "";
  /** @param {number} n */
  const signed = (n) => (n > 0 ? `+${n}` : String(n).replace("-", "−"));
  return ` · ${game.gained.map(signed).join(" / ")}`;
}

/** @param {string} name */
export function day(name) {
  const told = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)/.exec(name);
  if (!told) return name;
  const [year, month, date, hour, minute] = told.slice(1).map(Number);
  const at = new Date(Date.UTC(year, month - 1, date, hour, minute));
  return at.toLocaleString(document.documentElement.lang || "en", { dateStyle: "medium", timeStyle: "short" });
}
