// Who played: names put to the game that has just ended, by the player of that side or the table's leader.

import { isHost, isHuman, isSolo, keep, kept, on, plays, state } from "./state.js";
import { $, make } from "./svg.js";
import { say, sayText, sideName } from "./words.js";

/** What was typed on this phone or page last, by side: mostly the same people play again. */
const LAST = "names";

/** The sides that may be named from here: the empty seat of a game for one is nobody's. */
const sides = () => state.view.seats.map((seat) => seat.side)
  .filter((side) => (isHost() ? isHuman(side) : plays(side)) && !(isSolo() && side > 0));

/** Whether there is a game to put names to. */
export const mayName = () => Boolean(state.view.outcome) && !state.view.lesson && sides().length > 0;

/** @returns {Record<string, string>} */
function last() {
  try {
    return JSON.parse(kept(LAST, "{}"));
  } catch {
    return {};
  }
}

/** @param {number} side */
function row(side) {
  const input = make("input", { "data-side": side, maxlength: 40, autocomplete: "off", spellcheck: "false", value: last()[side] ?? "" });
  return make("label", { class: "stacked" }, make("span", {}, isSolo() ? say("page.library.player") : sideName(side)), input);
}

/** Ask who played. */
export function askNames() {
  $("sign-body").replaceChildren(...sides().map(row));
  $("sign-told").textContent = "";
  $("sign-fault").textContent = "";
  $("sign").showModal();
}

/** @param {{ verdict: string, gained: number[] }} game */
function told({ verdict, gained }) {
  const signed = gained.map((n) => (n > 0 ? `+${n}` : String(n).replace("-", "−"))).join(" / ");
  return `${say(`records.verdict.${verdict}`)} ${verdict === "rated" ? signed : ""}`.trim();
}

/** @param {Event} event */
async function send(event) {
  event.preventDefault();
  $("sign-fault").textContent = "";
  for (const input of $("sign-body").querySelectorAll("input")) {
    const name = input.value.trim();
    if (!name) continue;
    const answer = await fetch("/api/players", { method: "POST", body: JSON.stringify({ side: Number(input.dataset.side), name }) });
    const said = await answer.json().catch(() => ({}));
    if (!answer.ok) {
      $("sign-fault").textContent = said.error ? sayText(said.error) : say("page.lost");
      return;
    }
    keep(LAST, JSON.stringify({ ...last(), [input.dataset.side]: name }));
    $("sign-told").textContent = told(said.game);
  }
}

$("sign-form").addEventListener("submit", send);
$("sign-close").addEventListener("click", () => $("sign").close());
// Another game is another one's to sign.
on("view", () => $("sign").open && !state.view.outcome && $("sign").close());
