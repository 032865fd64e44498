// The page of a table: puts its parts together and connects.

import { build } from "./board.js";
import "./light.js";
import "./stones.js";
import "./marks.js";
import "./trays.js";
import "./chosen.js";
import "./bowls.js";
import "./hands.js";
import "./world.js";
import "./turn.js";
import "./moves.js";
import "./coach.js";
import "./after.js";
import "./trial_panel.js";
import "./settings.js";
import "./turning.js";
import "./setup.js";
import "./newgame.js";
import "./home.js";
import "./own_rules.js";
import "./sensors.js";
import "./turnless.js";
import "./room.js";
import "./clock.js";
import "./links.js";
import "./lesson.js";
import "./lobby.js";
import "./legend.js";
import "./live.js";
import "./more.js";
import "./sound.js";
import "./offline.js";
import "./sign.js";
import { banner as networkBanner } from "./network.js";
import { listenForKeys } from "./cells.js";
import { openHelp } from "./help.js";
import { connect, onTable, wish } from "./link.js";
import { forgetLifted } from "./play.js";
import { on, state, tell } from "./state.js";
import { $, makeButton, onClick } from "./svg.js";
import { loadWords, say } from "./words.js";

const root = document.documentElement;

/** How long a line may be down before the page says so: a reload of the host takes less. */
const PATIENCE_MS = 600;
/** How long until a lost line is told as a host that has ended. */
const ENDED_MS = 12_000;
let missing = 0;
/** Whether some tab plays at this table. */
let led = true;

function showBanner() {
  const banner = $("banner");
  root.dataset.role = state.role;
  clearTimeout(missing);
  /** @param {string} id */
  const warn = (id) => {
    banner.dataset.tone = "lost";
    banner.replaceChildren(say(id));
    banner.hidden = false;
  };
  if (state.full) {
    root.dataset.wire = state.wire;
    warn("page.full");
    return;
  }
  if (state.wire === "lost") {
    missing = setTimeout(() => {
      root.dataset.wire = "lost";
      warn(state.goodbye ? "page.ended" : "page.lost");
      // A host away for that long has ended: people must start it again themselves.
      if (!state.goodbye) missing = setTimeout(() => warn("page.ended"), ENDED_MS);
    }, PATIENCE_MS);
    return;
  }
  root.dataset.wire = state.wire;
  if (state.isOld || state.still) {
    warn(state.isOld ? "page.old" : "page.still");
    return;
  }
  const told = state.wire === "up" ? networkBanner() : null;
  if (told) {
    banner.hidden = false;
    delete banner.dataset.tone;
    banner.replaceChildren(...told);
    return;
  }
  const watches = state.wire === "up" && state.hello && state.role === "viewer" && !state.watching;
  banner.hidden = !watches;
  delete banner.dataset.tone;
  if (!watches) return;
  banner.replaceChildren(say(led ? "page.viewer" : "page.viewer.nobody"), makeButton(() => wish({ do: "claim" }), {}, say("page.claim")));
}

function setUpDrawer() {
  const [drawer, button] = [$("drawer"), $("open-drawer")];
  /** @param {boolean} open */
  const set = (open) => {
    drawer.toggleAttribute("data-open", open);
    button.setAttribute("aria-expanded", String(open));
    const label = button.querySelector("[data-text]");
    label.dataset.text = open ? "page.drawer.close" : "page.drawer.open";
    label.textContent = say(label.dataset.text);
    if (!open) drawer.scrollTop = 0;
  };
  button.addEventListener("click", () => set(!drawer.hasAttribute("data-open")));
  onClick("bar", () => set(false));
  document.addEventListener("keydown", (event) => event.key === "Escape" && set(false));
  $("stage").addEventListener("pointerdown", () => drawer.hasAttribute("data-open") && set(false), true);
}

onTable("led", (message) => {
  led = message.on;
  showBanner();
});
root.dataset.mode = state.watching ? "watch" : "play";
// A room's screen is dark, whatever its machine wants; `/watch?day` is for a bright one.
root.toggleAttribute("data-night", state.watching && !new URLSearchParams(location.search).has("day"));
on("hello role wire full words network", showBanner);
let hasRengi = false;
on("view", () => {
  if (!state.view.lit || hasRengi) return;
  hasRengi = true;
  import("./rengi.js").then(() => {
    build();
    tell("view");
  }).catch(() => (hasRengi = false)); // the next view tries again
});
on("unsure", () => root.toggleAttribute("data-unsure", state.unsure));
on("view world", forgetLifted);
setUpDrawer();
/** @param {FocusOptions} [how] */
function goToBoard(how) {
  root.dataset.keys = "";
  document.querySelector('.cell[tabindex="0"]')?.focus(how);
}
onClick("skip", (event) => {
  event.preventDefault();
  goToBoard();
});
// A key that follows a dialog is for the board, not for the button that opened it.
document.addEventListener("close", () => goToBoard({ preventScroll: true }), true);
listenForKeys(openHelp);
await loadWords();
connect();
