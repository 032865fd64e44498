// The page of the service: what its tables do, its settings, the board's program, backup and power.

import { asOwner } from "./owner.js";
import { testSensors } from "./sensortest.js";
import { on, state } from "./state.js";
import { make, makeButton } from "./svg.js";
import { gameName, has, languageName, loadWords, say, sayText, seatName } from "./words.js";

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const LOOK_MS = 3000;
/** @type {{told: any, sure: boolean, settings: string}} */
const shown = { told: null, sure: false, settings: "" };

/** @param {string} text */
function note(text) {
  $("service-note").hidden = !text;
  $("service-note").textContent = text;
}

/**
 * The service's answer; null where it gave none, which is noted.
 * @param {RequestInit} [more]
 */
async function ask(path = "", more = {}) {
  const answer = await fetch(`/api/service${path}`, { headers: asOwner(), ...more }).catch(() => null);
  if (!answer) note(say("page.service.away"));
  return answer;
}

/** Its answer where that is a good one; why not is noted. */
async function read(path = "") {
  const answer = await ask(path);
  if (answer?.ok) return answer;
  if (answer) note(answer.status === 404 ? say("page.service.none") : await answer.text());
  return null;
}

async function look() {
  const answer = await read();
  if (!answer) return;
  shown.told = await answer.json();
  write();
}

/** Ask the service to do something; says why not.
 @param {object} wish */
async function act(wish) {
  const answer = await ask("", { method: "POST", body: JSON.stringify(wish) });
  if (!answer) return;
  const told = await answer.json().catch(() => ({}));
  note(answer.ok ? say("page.service.done") : told.error ? sayText(told.error) : String(answer.status));
  shown.settings = ""; // what was refused is shown as it is
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
    parts.push(make("small", {}, say("page.service.update.about")),
      makeButton(() => act({ do: "update-board", table: table.number }), {}, say("page.service.update", table.update)));
  }
  if (shown.told.owner && table.has_sensors && table.state === "playing") {
    parts.push(make("small", {}, say("page.service.sensors.about")), makeButton(async () => {
      note(await testSensors(table.number));
      await look();
    }, {}, say("page.service.sensors.begin")));
  }
  return make("li", {}, ...parts);
}

/** @typedef {{ name: string; value: string | number; usual: string | number; offered: (string | number)[]; free: boolean; maker: boolean }} Setting */

/** What a value means, as a sentence.
 @param {string} name
 @param {string | number} value */
function meaning(name, value) {
  const known = `serve.value.${name}.${value === "" ? "none" : value}`;
  if (has(known)) return say(known);
  const key = name.split(".")[1];
  if (key === "name") return gameName(String(value));
  if (key === "first" || key === "second") return seatName(String(value));
  if (key === "hint") return say(`page.hint.${value}`);
  if (key === "language") return languageName(String(value));
  if (key === "turn") return say("serve.value.degrees", { n: value });
  if (key.endsWith("_s")) {
    const seconds = Number(value);
    if (!seconds) return say("serve.value.never");
    if (seconds === 60) return say("serve.value.minute");
    return seconds % 60 ? say("serve.value.seconds", { n: seconds }) : say("serve.value.minutes", { n: seconds / 60 });
  }
  const [from = "", to = ""] = String(value).split("-");
  const other = `serve.value.${name}.other`;
  return has(other) ? say(other, { value, from, to }) : String(value);
}

const OTHER = "…";

/** A field for a value that no menu has.
 @param {Setting} setting */
function field({ name, value }) {
  const input = make("input", {
    name, value: String(value), type: typeof value === "number" ? "number" : "text", autocomplete: "off",
    "aria-label": say(`serve.setting.${name}`),
  });
  input.addEventListener("change", () => {
    act({ do: "set", name, value: typeof value === "number" ? Number(input.value) : input.value });
  });
  return input;
}

/** @param {Setting} setting */
function writeSetting(setting) {
  const { name, value, offered, free } = setting;
  const title = make("span", {}, say(`serve.setting.${name}`));
  const input = field(setting);
  if (!offered.length) return make("label", {}, title, input);
  const values = offered.includes(value) ? offered : [...offered, value];
  const select = make("select", { name },
    ...values.map((one, n) => make("option", { value: String(n) }, meaning(name, one))),
    ...(free ? [make("option", { value: OTHER }, say("serve.value.other"))] : []));
  select.value = String(values.indexOf(value));
  select.addEventListener("change", () => {
    input.hidden = select.value !== OTHER;
    if (input.hidden) act({ do: "set", name, value: values[Number(select.value)] });
    else input.focus();
  });
  input.hidden = true;
  return make("div", { class: "setting" }, make("label", {}, title, select), input);
}

/** The settings in groups, in the order of their file; those of makers apart.
 @param {Setting[]} settings */
function writeSettings(settings) {
  /** @type {Map<string, Setting[]>} */
  const groups = new Map();
  for (const one of settings.filter(({ maker }) => !maker)) {
    const [group] = one.name.split(".");
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  /** @type {HTMLElement[]} */
  const parts = [...groups].map(([group, some]) =>
    make("fieldset", {}, make("legend", {}, say(`serve.group.${group}`)), ...some.map(writeSetting)));
  const makers = settings.filter((one) => one.maker).map(writeSetting);
  if (makers.length) parts.push(make("details", {}, make("summary", {}, say("serve.group.makers")), ...makers));
  const wasOpen = $("settings").querySelector("details")?.open ?? false;
  $("settings").replaceChildren(...parts);
  const details = $("settings").querySelector("details");
  if (details) details.open = wasOpen;
}

/** @param {number | null} mb */
const room = (mb) => (mb === null ? "?" : mb < 1000 ? `${Math.floor(mb)} MB` : `${(mb / 1000).toFixed(1)} GB`);

function write() {
  document.title = `${say("page.service")} – lumiban`;
  const { told } = shown;
  if (!told) return;
  $("tables").replaceChildren(...told.tables.map(writeTable));
  $("version").textContent = say("page.service.version", { version: told.version, room: room(told.free_mb) });
  $("complaints").replaceChildren(...told.complaints.map((/** @type {any} */ one) => make("li", {}, sayText(one))));
  $("not-owner").hidden = told.owner;
  $("care").hidden = !told.owner;
  $("power-off").hidden = !told.can_power_off;
  // A user who is typing, or has a menu open, is not disturbed; what has not changed stays as it is.
  const now = JSON.stringify([told.settings, state.language]);
  if (now !== shown.settings && !$("settings").contains(document.activeElement)) {
    writeSettings(told.settings);
    shown.settings = now;
  }
}

/** A link of the page cannot say who asks for the file. */
async function saveAll() {
  const answer = await read("/backup");
  if (!answer) return;
  const url = URL.createObjectURL(await answer.blob());
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  make("a", { href: url, download: name ?? "lumiban-backup.tar.gz" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function showLog() {
  const answer = await read("/log");
  if (!answer) return;
  $("log").textContent = await answer.text();
  $("log").hidden = false;
  $("log").scrollTop = $("log").scrollHeight;
}

$("show-log").addEventListener("click", showLog);
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
