// The way in: games by their pictures, always in one order, to be played, learned or puzzled over.
// It opens by the mark, and by itself where nobody has said yet what to play.

import { TAUGHT, askPuzzles } from "./lesson.js";
import { wish } from "./link.js";
import { allGames, openNewGame, picture, switches } from "./newgame.js";
import { mayBegin } from "./play.js";
import { isHost, on, state } from "./state.js";
import { $, make, makeButton, onClick } from "./svg.js";
import { gameName, say, sayText } from "./words.js";

/** @typedef {"play" | "learn" | "puzzle"} Mode */
/** @type {Mode[]} */
const MODES = ["play", "learn", "puzzle"];
let mode = MODES[0];

/** @param {SaidText | null} refused */
function begun(refused) {
  $("home-fault").textContent = refused ? sayText(refused) : "";
  if (!refused) $("home").close();
}

/** What each way begins; a game that is chosen for play has the seats that there are. */
/** @type {Record<string, (slug: string) => unknown>} */
const BEGINS = {
  play: (slug) => wish({ do: "new", game: slug, options: {}, seats: state.view.seats.map((seat) => seat.who) }, begun),
  learn: (slug) => wish({ do: "lesson", go: "begin", game: slug }, begun),
  puzzle: (slug) => askPuzzles(slug, begun),
};

/** Games that are offered for each way. */
/** @type {Record<string, (one: UnfitGame) => boolean>} */
const OFFERS = {
  play: ({ text }) => !text || switches(text),
  learn: ({ slug }) => TAUGHT.includes(slug),
  puzzle: ({ slug }) => Boolean(state.hello.puzzles?.[slug]),
};

/** @param {UnfitGame} one */
const card = ({ slug }) =>
  makeButton(() => mayBegin() && BEGINS[mode](slug), { class: "game", "data-game": slug }, picture(slug), make("strong", {}, gameName(slug)));

/** @param {Mode} name */
function choose(name) {
  mode = name;
  write();
}

function write() {
  for (const name of MODES) $(`home-${name}`).setAttribute("aria-pressed", String(name === mode));
  $("home-network").hidden = $("home-library").hidden = Boolean(state.hello.network);
  $("home-games").replaceChildren(...allGames().filter(OFFERS[mode]).map(card));
  $("home-more").hidden = mode !== "play";
}

function open() {
  if (!isHost() || $("home").open) return;
  $("home-fault").textContent = "";
  write();
  $("home").showModal();
}

let asked = false;

on("hello view words network role", () => {
  const { hello, view } = state;
  if (!hello || !view) return;
  $("open-home").disabled = !isHost();
  if ($("home").open) write();
  // Nothing stands between anybody and a game or a board that asks itself.
  if (asked || state.watching || !isHost()) return;
  asked = true;
  if (hello.home && !view.moves.length && !view.lobby && !view.lesson && !view.outcome) open();
});

onClick("open-home", open);
for (const name of MODES) $(`home-${name}`).addEventListener("click", () => choose(name));
onClick("home-more", () => {
  $("home").close();
  openNewGame();
});
onClick("home-network", () => {
  $("home-fault").textContent = say("page.home.phones");
  if (!state.network) return;
  $("home").close();
  $("open-network").click();
});
onClick("home-close", () => $("home").close());
