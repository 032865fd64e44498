// The help: keys, and what the marks on the board mean.

import { drawn } from "./board.js";
import { drawMark, EXPLAINED } from "./marks.js";
import { on, state } from "./state.js";
import { $, draw, make } from "./svg.js";
import { drawOpenness } from "./turnless.js";
import { say, sideName } from "./words.js";

/** @type {[string[], string][]} */
const KEYS = [
  [["←", "→", "↑", "↓"], "page.help.arrows"],
  [["Enter"], "page.help.enter"],
  [["Tab"], "page.help.tab"],
  [["C"], "page.help.confirm"],
  [["T"], "page.help.takeback"],
  [["S"], "page.help.stand"],
  [["K"], "page.help.hands"],
  [["B"], "page.help.read"],
  [["L"], "page.help.list"],
  [["Shift ←", "Shift →"], "page.help.past"],
  [["R"], "page.help.turn-board"],
  [["M"], "page.help.sound"],
  [["Esc"], "page.help.escape"],
  [["?"], "page.help.help"],
];
/** @type {[string[], string][]} */
const STEERING = [
  [["←", "→"], "page.help.rengi.columns"],
  [["Z", "X"], "page.help.rengi.turn"],
  [["Space"], "page.help.rengi.drop"],
  [["1", "2", "3", "4"], "page.help.rengi.colour"],
  [["P"], "page.help.rengi.pass"],
];

function write() {
  $("help-keys").replaceChildren(
    ...[...(state.view?.lit ? STEERING : []), ...KEYS].flatMap(([keys, id]) => [
      make("dt", {}, ...keys.map((key) => make("kbd", {}, key))),
      make("dd", {}, say(id)),
    ]),
  );
  const open = [0, 1, null].map(openSample);
  $("help-marks").replaceChildren(...EXPLAINED.map(sample), ...open);
}

/** @param {string} name */
function sample(name) {
  const [meaning, side] = name.startsWith("owned-") ? ["owned", Number(name.at(-1))] : [name, 0];
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true", class: "marks" });
  drawMark(meaning, side, svg, drawn.profile?.pitch_mm ?? 25);
  return make("li", {}, svg, meaning === "owned" ? say("page.mark.owned", { side: sideName(side) }) : say(`page.mark.${name}`));
}

/**
 * A cell in play without turns: open to one side, or closed.
 * @param {number | null} side
 */
function openSample(side) {
  const svg = draw("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true", class: "open" });
  drawOpenness(side, svg, drawn.profile?.pitch_mm ?? 25);
  return make("li", {}, svg, side === null ? say("page.mark.closed") : say("page.mark.open", { side: sideName(side) }));
}

export function openHelp() {
  if ($("help").open) {
    $("help").close();
    return;
  }
  write();
  $("help").showModal();
}

$("open-help").addEventListener("click", openHelp);
$("help").addEventListener("keydown", (event) => event.key === "?" && $("help").close());
on("words", () => $("help").open && write());
