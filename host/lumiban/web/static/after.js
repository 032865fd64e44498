// After a game: the coach goes through it, other moves are tried, it is shared.

import { lastGame, share } from "./gamelink.js";
import { wish } from "./link.js";
import { lookBack } from "./play.js";
import { isHost, isSolo, on, state } from "./state.js";
import { $, onClick } from "./svg.js";
import { moveName, say } from "./words.js";

/** @type {string} The record's name of the game that has ended, once it is known. */
let kept = "";
let ended = "";

/** Whether this machine's own page may reach its finished games. */
const mayShare = () => isHost() && !state.hello?.network;

/** The picture of the end is a file of the record, which is written after the page hears of it. */
async function findKept() {
  const { game, moves } = state.view;
  const now = JSON.stringify([game.slug, game.options, moves.map((move) => move.text)]);
  if (now === ended) return;
  ended = now;
  kept = "";
  $("share-picture").hidden = true;
  $("share-told").textContent = "";
  $("share-field").hidden = true;
  const name = await lastGame();
  if (ended !== now || !name) return;
  kept = name;
  $("share-picture").href = `/api/library/file/${encodeURIComponent(name)}.svg`;
  $("share-picture").hidden = false;
}

async function shareIt() {
  kept ||= await lastGame();
  if (kept) await share(kept);
  else $("share-told").textContent = say("page.sign.not-kept");
}

let shown = "";
/** How a review is shown, once there is one.
    @type {typeof import("./review.js") | null} */
let how = null;

function show() {
  const { view } = state;
  const over = Boolean(view?.outcome) && !view.lesson && !state.watching;
  $("after").hidden = !over;
  $("told").toggleAttribute("data-over", over); // a :has() in its place costs each view more than all else
  if (!over) {
    ended = "";
    return;
  }
  const review = view.review?.name === "" ? view.review : undefined;
  const mayReview = !isSolo() && view.moves.length > 0;
  $("review-ask").hidden = !mayReview || !isHost() || Boolean(review && !review.stopped);
  if (review && !how) {
    import("./review.js").then((loaded) => {
      how = loaded;
      show();
    });
    return;
  }
  $("review-status").textContent = review && how ? how.statusOf(review) : "";
  // A link holds no program, so none holds a game from a file.
  $("share-row").hidden = !mayShare() || !view.moves.length || /\.(py|lumiban)$/.test(view.game.slug);
  if (!$("share-row").hidden) findKept();
  const at = state.trial?.n ?? state.past ?? view.moves.length;
  const key = JSON.stringify([review, at, state.language]);
  if (key === shown) return;
  shown = key;
  if (!review || !how) {
    $("review").replaceChildren();
    return;
  }
  const moves = view.moves.map((move) => moveName(view.game.slug, move));
  how.showReview($("review"), review, { sides: view.game.sides, moves, at, go: lookBack });
}

onClick("review-ask", () => wish({ do: "review" }));
onClick("share", shareIt);
on("view words role wire past trial", show);
