// The page of the service: what its tables do, its settings, the board's program, backup and power.

import { asOwner } from "./owner.js";
import { on, state } from "./state.js";
import { make } from "./svg.js";
import { chooseLanguage, gameName, has, languageName, loadWords, say, sayText } from "./words.js";

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const LOOK_MS = 3000;
/** @type {{told: any, sure: boolean}} */
const shown = { told: null, sure: false };

/** @param {string} text */
function note(text) {
  $("service-note").hidden = !text;
  $("service-note").textContent = text;
}

async function look() {
  const answer = await fetch("/api/service", { headers: asOwner() }).catch(() => null);
  if (!answer) return note(say("page.service.away"));
  if (!answer.ok) return note(answer.status === 404 ? say("page.service.none") : await answer.text());
  shown.told = await answer.json();
  write();
}

/** Ask the service to do something; says why not.
 @param {object} wish */
async function act(wish) {
  const answer = await fetch("/api/service", { method: "POST", headers: asOwner(), body: JSON.stringify(wish) }).catch(() => null);
  if (!answer) return note(say("page.service.away"));
  const told = await answer.json().catch(() => ({}));
  note(answer.ok ? say("page.service.done") : told.error ? sayText(told.error) : String(answer.status));
  await look();
}

/** @param {any} table */
function about(table) {
  if (table.why) return sayText(table.why);
  if (table.state !== "playing") return say("page.service.starts");
  return say("page.service.plays", { game: gameName(table.game), moves: table.moves, board: table.board });
}

/** @param {any} table */
function writeTable(table) {
  const parts = [make("strong", {}, about(table))];
  if (table.state === "updating" && table.percent !== undefined) {
    parts.push(make("small", {}, `${table.percent} %`));
  }
  if (table.update_failed) parts.push(make("small", {}, sayText(table.update_failed)));
  if (table.update) {
    const button = make("button", { type: "button" }, say("page.service.update", table.update));
    button.addEventListener("click", () => act({ do: "update-board", table: table.number }));
    parts.push(make("small", {}, say("page.service.update.about")), button);
  }
  if (table.memory_mb) parts.push(make("small", {}, say("page.service.memory", { mb: table.memory_mb })));
  return make("li", {}, ...parts);
}

/** @param {{name: string, value: string | number}} setting */
function writeSetting({ name, value }) {
  const label = has(`serve.setting.${name}`) ? say(`serve.setting.${name}`) : name;
  const input = make("input", {
    name, value: String(value), type: typeof value === "number" ? "number" : "text", autocomplete: "off",
  });
  input.addEventListener("change", () => {
    act({ do: "set", name, value: typeof value === "number" ? Number(input.value) : input.value });
  });
  return make("label", {}, label, input);
}

function write() {
  document.title = `${say("page.service")} – lumiban`;
  $("language").replaceChildren(...["en", "ja"].map((one) => make("option", { value: one }, languageName(one))));
  $("language").value = state.language;
  const { told } = shown;
  if (!told) return;
  $("tables").replaceChildren(...told.tables.map(writeTable));
  $("version").textContent = say("page.service.version", { version: told.version, mb: told.free_mb ?? "?" });
  $("complaints").replaceChildren(...told.complaints.map((/** @type {any} */ one) => make("li", {}, sayText(one))));
  $("not-owner").hidden = told.owner;
  $("care").hidden = !told.owner;
  $("power-off").hidden = !told.can_power_off;
  // Whoever is typing goes on typing.
  if (!$("settings").contains(document.activeElement)) {
    $("settings").replaceChildren(...told.settings.map(writeSetting));
  }
}

$("language").addEventListener("change", (/** @type {any} */ event) => chooseLanguage(event.target.value));
/** A link of the page cannot say who asks for the file. */
async function saveAll() {
  const answer = await fetch("/api/service/backup", { headers: asOwner() }).catch(() => null);
  if (!answer?.ok) return note(answer ? await answer.text() : say("page.service.away"));
  const url = URL.createObjectURL(await answer.blob());
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  make("a", { href: url, download: name ?? "lumiban-backup.tar.gz" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

$("backup").addEventListener("click", saveAll);
$("power-off").addEventListener("click", () => {
  if (shown.sure) act({ do: "power-off" });
  shown.sure = !shown.sure;
  $("power-off").textContent = say(shown.sure ? "page.service.power-off.sure" : "page.service.power-off");
});
$("settings").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
on("words", write);
await loadWords();
await look();
setInterval(look, LOOK_MS);
