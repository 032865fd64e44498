// The door of a table on a network: the PIN, then a seat.

import { $, make, makeButton, onClick } from "./svg.js";
import { keep, kept, on, state } from "./state.js";
import { loadWords, say, sayAny, sayText } from "./words.js";

const came = new URLSearchParams(location.search);

/** What the host said last of the seats, null before. */
/** @type {any} */
let told = null;
/** What stands above the form: {id, params}. */
/** @type {SaidText | null} */
let notice = came.has("old") ? { id: "join.old", params: {} } : came.has("ended") ? { id: "join.ended", params: {} } : null;

/**
 * Say something at the door; whether it was followed.
 * @param {object} message
 */
async function ask(message) {
  let answer;
  try {
    answer = await fetch("/api/join", { method: "POST", body: JSON.stringify(message) });
    const body = await answer.json();
    notice = body.error ?? null;
    if (!body.error) told = body;
  } catch {
    notice = { id: "join.gone", params: {} };
  }
  show();
  return Boolean(answer?.ok);
}

const toTable = () => location.assign("/");
/** @param {any} seat */
const sideName = (seat) => sayAny([`side.${seat.name}`], seat.name);

/** @param {any} seat */
function seatState(seat) {
  if (seat.mine) return say("join.yours");
  if (seat.taken) return seat.player ? say("page.seat.phone", { name: seat.player }) : say("join.elsewhere");
  return say(seat.who === "human" ? "join.here" : "join.machine");
}

/**
 * Whether this phone may have the seat: a guest any, the others those of their links.
 * @param {any} seat
 */
const opens = (seat) => told.keys.some((/** @type {string} */ key) => ["guest", "host", `seat ${seat.side}`].includes(key));
/** @param {any} seat */
const takesOver = (seat) => told.keys.some((/** @type {string} */ key) => ["host", `seat ${seat.side}`].includes(key));

/** @param {any} seat */
function row(seat) {
  const item = make(
    "li",
    {},
    make("span", { class: "stone", "data-kind": seat.side + 1, "aria-hidden": "true" }),
    make("span", { class: "who" }, make("span", { class: "name" }, sideName(seat)), make("span", { class: "state" }, seatState(seat))),
  );
  if (!seat.mine && opens(seat) && (!seat.taken || takesOver(seat))) {
    const id = seat.taken ? "join.over" : "join.sit";
    item.append(makeButton(async () => {
      if (await ask({ do: "sit", side: seat.side, takes_over: seat.taken, name: $("name").value })) toTable();
    }, { class: seat.taken ? "" : "main" }, say(id, { side: sideName(seat) })));
  }
  return item;
}

function show() {
  $("notice").hidden = !notice;
  $("notice").textContent = sayText(notice);
  if (!told) return;
  $("enter").hidden = told.is_in;
  $("inside").hidden = !told.is_in;
  $("seats").replaceChildren(...told.seats.map(row));
  $("watch").hidden = !(told.is_in ? told.side === null : told.watch);
  $("leave").hidden = told.side === null;
  $("back").hidden = told.side === null;
  $("readable").hidden = told.private;
}

$("enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = $("enter").querySelector("button");
  button.disabled = true;
  if (await ask({ do: "enter", pin: $("pin").value })) $("seats-title").scrollIntoView();
  else $("pin").select();
  button.disabled = false;
});
$("name").value = kept("name", "");
$("name").addEventListener("change", () => keep("name", $("name").value));
onClick("watch", async () => {
  if (told.is_in || (await ask({ do: "enter" }))) toTable();
});
onClick("leave", () => ask({ do: "stand-up" }));
on("words", show);
if (came.size) history.replaceState(null, "", "/join");
await loadWords();
const before = notice;
await ask({ do: "look" });
if (before && !notice) {
  notice = before;
  show();
}
