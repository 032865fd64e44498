// The table on a network: what the host sees of phones, and what a phone sees beside the table.

import { onTable, wish } from "./link.js";
import { isHost, isSeat, keep, on, state, tell } from "./state.js";
import { $, drawCode, make, makeButton, onClick } from "./svg.js";
import { say, sideName } from "./words.js";

/** Who asks to lead the table: {claim, phone, side}, null for nobody. */
/** @type {ClaimShown | null} */
let asking = null;
/** Whether this phone has asked. */
let asked = false;

/**
 * @param {string} id
 * @param {() => unknown} act
 */
const button = (id, act) => makeButton(act, {}, say(id));

/** @param {{ phone: number; side: number | null; name?: string }} one */
function phoneName({ phone, side, name }) {
  const called = name ? say("page.seat.phone", { name }) : say("network.phone", { n: phone });
  return side === null ? called : say("network.phone.seat", { phone: called, side: sideName(side) });
}

/** @param {boolean} yes */
function answerClaim(yes) {
  if (asking) wish({ do: "admit", claim: asking.claim, yes });
  asking = null;
  tell("network");
}

/** What the network has to say above the table, null for nothing. */
export function banner() {
  if (isHost() && asking) {
    return [
      say("network.asks", { phone: phoneName(asking) }),
      button("network.asks.yes", () => answerClaim(true)),
      button("network.asks.no", () => answerClaim(false)),
    ];
  }
  if (asked) return [say("network.claim.asked")];
  if (isSeat() && !state.hello.network) {
    return [say("network.handed-over", { side: sideName(state.side ?? 0) }), button("network.lead-again", claim)];
  }
  if (!state.hello?.network || state.role !== "viewer" || state.watching) return null;
  const join = make("a", { class: "button", href: "/join" }, say("network.join"));
  return [say("network.watching"), join, ...(state.hello.may_lead ? [button("network.claim", claim)] : [])];
}

/** Ask to lead the table; its leader, or a button of the board, answers. */
function claim() {
  asked = wish({ do: "claim" });
  tell("network");
}

// The host's dialog.

/** @param {string} key */
function linkName(key) {
  const side = Number(/^seat (\d)$/.exec(key)?.[1] ?? NaN);
  return Number.isNaN(side) ? say(`network.link.${key}`) : say("network.link.seat", { side: sideName(side) });
}

/**
 * A link whose code shows when it is opened.
 * @param {NetworkShown["links"][number]} one
 */
function link(one) {
  const made = make("details", { "data-key": one.key }, make("summary", {}, linkName(one.key)));
  made.append(drawCode(one, linkName(one.key)), make("code", {}, one.url));
  return made;
}

/** @param {PhoneShown} one */
function phone(one) {
  const name = one.open ? phoneName(one) : say("network.phone.away", { phone: phoneName(one) });
  const row = make("li", { "data-phone": one.phone }, make("span", {}, name));
  const { side } = one;
  if (side !== null) row.append(button("network.free", () => wish({ do: "free-seat", side })));
  return row;
}

/** Final, so the first press asks. */
function renewButton() {
  const made = button("network.renew", () => {
    if (made.classList.contains("sure")) {
      wish({ do: "new-links" });
      return;
    }
    made.classList.add("sure");
    made.textContent = say("network.renew.sure");
  });
  made.id = "network-renew";
  return made;
}

/** @param {NetworkShown} network */
function switches(network) {
  const made = (/** @type {"watch-freely" | "ask-back"} */ does, /** @type {string} */ id, /** @type {boolean} */ on) => {
    const input = make("input", { type: "checkbox", role: "switch", id: does });
    input.checked = on;
    input.addEventListener("change", () => wish({ do: does, on: input.checked }));
    return make("label", { class: "switch" }, make("span", {}, say(id)), input);
  };
  const freely = made("watch-freely", "network.watch-freely", network.watch);
  return make("div", { class: "fields" }, freely, made("ask-back", "network.asks-back", network.asks_back));
}

/** @param {NetworkShown} network */
function fill(network) {
  const opened = new Set([...$("network-body").querySelectorAll("details[open]")].map((one) => one.dataset.key));
  const [guest, ...others] = network.links;
  const way = make("div", { class: "way" }, drawCode(guest, say("network.scan")), make("p", {}, say("network.scan")));
  const pin = make("p", { class: "pin" }, say("network.or", { url: `${network.url}join` }), make("strong", {}, network.pin));
  /** @type {HTMLElement[]} */
  const body = [way, pin];
  if (network.by_name) body.push(make("p", {}, say("network.named", { url: `${network.by_name}join` })));
  if (!network.private) body.push(make("p", { class: "warn" }, say("network.readable")));
  if (network.guesses) body.push(make("p", { class: "warn" }, say("network.guesses", { n: network.guesses })));
  body.push(make("h3", {}, say("network.phones")));
  if (network.phones.length) body.push(make("ul", { class: "phones" }, ...network.phones.map(phone)));
  else body.push(make("p", {}, say("network.nobody")));
  body.push(switches(network), make("h3", {}, say("network.links")), ...others.map(link), renewButton());
  $("network-body").replaceChildren(...body);
  for (const one of $("network-body").querySelectorAll("details")) one.open = opened.has(one.dataset.key);
}

// A phone's own settings.

/** @type {WakeLockSentinel | null} */
let lock = null;
const mayStayAwake = () => isSecureContext && "wakeLock" in navigator;

async function stayAwake() {
  try {
    if ($("awake").checked) lock = await navigator.wakeLock.request("screen");
    else await lock?.release();
  } catch {
    $("awake").checked = false; // the phone saves its battery
  }
}

function show() {
  const { hello, network } = state;
  const onNetwork = Boolean(hello?.network);
  $("open-network").hidden = !network;
  if ($("network").open) {
    if (network) fill(network);
    else $("network").close();
  }
  $("phone").hidden = !onNetwork && !(mayStayAwake() && matchMedia("(pointer: coarse)").matches);
  $("touch-switch").hidden = $("touch-how").hidden = !isSeat();
  $("touch").checked = state.byTouch;
  $("awake-switch").hidden = !mayStayAwake();
  $("awake-how").hidden = mayStayAwake();
  $("to-door").hidden = !onNetwork;
  $("open-library").hidden = onNetwork; // finished games are this machine's own
  $("open-service").hidden = !hello?.service || (onNetwork && !hello.may_lead);
  $("ask-to-lead").hidden = !isSeat();
  document.documentElement.toggleAttribute("data-confirms", isSeat() && !state.byTouch);
}

onTable("network", (message) => {
  state.network = message;
  tell("network");
});
onTable("phones", ({ names }) => {
  state.phones = names;
  tell("network");
});
onTable("asks", (message) => {
  asking = message;
  tell("network");
});

onClick("open-network", () => {
  if (!state.network) return;
  fill(state.network);
  $("network").showModal();
});
$("touch").addEventListener("change", () => {
  state.byTouch = $("touch").checked;
  keep("touch", state.byTouch ? "on" : "off");
  tell("prefs");
});
$("awake").addEventListener("change", stayAwake);
document.addEventListener("visibilitychange", () => {
  // A lock ends when the page is left.
  if (document.visibilityState === "visible" && $("awake").checked) stayAwake();
});
onClick("ask-to-lead", claim);
on("role fault", () => (asked = false));
on("hello network role wire words prefs", show);
