// The screen for a room: `/watch` on a projector, read from three metres away. Who plays which game,
// what happened last, and how somebody who stands there takes a seat.

import { stages, timer } from "./clock.js";
import { onTable } from "./link.js";
import { said } from "./speech.js";
import { isNamed, isSolo, kindOf, on, state } from "./state.js";
import { $, drawCode, make } from "./svg.js";
import { gameName, playerName, say, sayAny, sayText, sideName } from "./words.js";

/** So many of the last moves are listed. */
const LAST = 6;

/** How a phone comes in, as the table told it; null where there is no network.
    @type {{ url: string; pin: string; size: number; path: string } | null} */
let invited = null;

/** The side that somebody may take: the first machine's; from a phone even where somebody plays it. */
function freeSide() {
  const { lobby, seats } = state.view;
  if (lobby || isSolo() || (!invited && seats.some(({ who }) => who === "human"))) return null;
  return seats.find(({ who }) => who !== "human")?.side ?? null;
}

/**
 * How somebody takes a seat: a stone out of a side's bowl does it where the page has bowls of stones
 * and no real stones lie before the screen, which would be refused.
 * @param {number | null} side
 */
function invites(side) {
  if (side === null) return say("page.room.begin");
  const name = sideName(side);
  if (!state.hello?.simulated || isNamed() || state.view.lit) return say("page.room.sit", { side: name });
  return say("page.room.take", { side: name });
}

function showGame() {
  const { lobby } = state.view;
  const slug = lobby?.film?.game ?? state.view.game.slug;
  const asks = lobby?.is_lit;
  $("room-name").textContent = asks ? sayText(lobby.title) : gameName(slug);
  $("room-credit").textContent = asks ? "" : sayAny([`game.${slug}.credit`], "");
}

/** @param {number} side */
function player(side) {
  const { clock, outcome, to_move } = state.view;
  const moves = !outcome && to_move.includes(side);
  const card = make("li", moves ? { "data-moves": "" } : outcome?.winner === side ? { "data-won": "" } : {},
    make("p", { class: "who" }, make("span", { class: "chip", "data-kind": kindOf(side) }), make("strong", {}, sideName(side)),
      make("span", { class: "seat" }, playerName(side))),
    make("dl", {}, ...figures(side).map(([name, n]) => make("div", {}, make("dt", {}, name), make("dd", {}, n)))));
  if (clock && clock.clocks.length > 1) card.append(timer(side));
  return card;
}

/**
 * How a side stands: what each figure is, and the figure.
 * @param {number} side
 * @returns {[string, string][]}
 */
function figures(side) {
  const { counts, game, lit } = state.view;
  const points = /** @type {number[] | undefined} */ (lit?.points);
  if (lit && points) return [[say("page.rengi.points"), String(points[side])], ...ojama(lit.forecast[side])];
  return Object.entries(counts[side] ?? {}).map(([name, n]) => [sayAny([`game.${game.slug}.count.${name}`], say(`page.count.${name}`)), String(n)]);
}

/**
 * @param {number[]} forecast
 * @returns {[string, string][]}
 */
const ojama = (forecast) => (isSolo() ? [] : [[say("page.rengi.forecast"), forecast.join(" + ")]]);

/** Where one clock counts for the whole game it has a card of its own. */
function sharedClock() {
  const { clock } = state.view;
  return clock?.clocks.length === 1 ? [make("li", {}, make("p", { class: "who" }, say("page.clock.game")), timer(0))] : [];
}

function showMoves() {
  /** @param {MoveShown} move */
  const told = (move) => [make("span", { class: "chip", "data-kind": kindOf(move.side) }), make("span", {}, said(move))];
  // A lobby, and its films, come after the game whose moves these are.
  const [newest, ...before] = state.view.lobby ? [] : state.view.moves.slice(-LAST).reverse();
  $("room-last").replaceChildren(...(newest ? told(newest) : []));
  $("room-moves").replaceChildren(...before.map((move) => make("li", {}, ...told(move))));
}

function showInvitation() {
  const side = freeSide();
  const invitation = $("room-invite");
  invitation.hidden = side === null && !state.view.lobby;
  if (invitation.hidden) return;
  invitation.href = state.hello?.network ? "/join" : "/";
  invitation.replaceChildren(make("strong", {}, invites(side)));
  if (!invited) return;
  const { pin, url } = invited;
  // Half of the light zone around the code is that of its card.
  const code = drawCode(invited, say("page.room.code"), 2);
  // An address breaks before its port and its path, if it has to.
  const address = url.replace(/^https?:\/\//, "").split(/(?=[:/])/).flatMap((part) => [part, make("wbr", {})]);
  const told = [[say("page.room.phone")], address].map((parts) => make("span", {}, ...parts));
  invitation.append(code, make("span", { class: "phone" }, ...told, make("span", { class: "pin" }, say("page.room.pin", { pin }))));
}

let shown = "";

function show() {
  const { view } = state;
  if (!view) return;
  const { clock, counts, game, lit, lobby, moves, outcome, seats, to_move } = view;
  const parts = [game.slug, game.sides, seats, moves.length, moves.at(-1), counts, lit?.points, lit?.forecast, to_move, outcome, stages(), lobby?.title, lobby?.film?.game, invited, state.phones, state.language, state.hello?.network];
  const key = JSON.stringify(parts);
  if (key === shown) return;
  shown = key;
  showGame();
  showMoves();
  // While the board asks what to play, nobody plays yet.
  const sides = lobby ? [] : isSolo() ? [0] : game.sides.map((_, side) => side);
  $("room-players").replaceChildren(...sides.map(player), ...(lobby ? [] : sharedClock()));
  $("room-players").hidden = Boolean(lobby);
  showInvitation();
}

if (state.watching) {
  $("room").hidden = false;
  onTable("invitation", (message) => {
    invited = message;
    show();
  });
  on("view words hello network", show);
}
