// A finished game as a link: its whole record stands behind the `#`, and the host reads it.

import { $ } from "./svg.js";
import { say, sayText } from "./words.js";

/** What stands behind the `#` of an address that holds a whole game begins so. */
const BEGINS = "game=";

/** @param {string} text */
export const isLink = (text) => text.startsWith(BEGINS);

/**
 * The link in what somebody pasted, an address before it left out.
 * @param {string} text
 */
export const linkIn = (text) => text.slice(Math.max(0, text.lastIndexOf(BEGINS)));

/**
 * Ask about a game that stands in a link.
 * @param {string} path
 * @param {string} link
 */
export async function askLink(path, link) {
  const answer = await fetch(`/api/library/link${path}`, { method: "POST", body: link });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.error ? sayText(said.error) : say("page.lost"));
}

/**
 * Address of a picture of a linked game's board after a number of moves.
 * @param {string} link
 * @param {number} at
 */
export async function pictureOf(link, at) {
  const drawn = await (await askLink(`/${at}.svg`, link)).text();
  return `data:image/svg+xml,${encodeURIComponent(drawn)}`;
}

const MAX_TRIES = 20;
const RETRY_MS = 250;

/** The name of the table's own game, which has ended; "" where it is not kept. The page hears of the
    end before the game is written down. */
export async function lastGame() {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await fetch("/api/library/last");
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) return said.game;
    if (said.error?.id !== "page.sign.not-kept") break;
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  return "";
}

/**
 * Copy the link to a finished game where the browser lets a page do that, else show it to copy.
 * @param {string} name
 */
export async function share(name) {
  const answer = await fetch(`/api/library/game/${encodeURIComponent(name)}/link`);
  const said = await answer.json().catch(() => ({}));
  $("share-field").hidden = true;
  if (!answer.ok) {
    $("share-told").textContent = said.error ? sayText(said.error) : say("page.lost");
    return;
  }
  const address = `${location.origin}/library#${said.link}`;
  try {
    await navigator.clipboard.writeText(address);
    $("share-told").textContent = say("page.library.share.copied");
  } catch { // not by https, or not allowed
    $("share-told").textContent = say("page.library.share.copy");
    $("share-field").hidden = false;
    $("share-link").value = address;
    $("share-link").select();
  }
}
