// What is heard and felt of play: wood and a few notes, made here, a phone that shakes briefly, and
// the live regions' sentences spoken by the browser where that is wanted. A browser that forbids
// any of it until somebody has touched the page is simply silent.

import { keep, kept, mySide, on, onlyMe, state } from "./state.js";
import { $ } from "./svg.js";
import { say } from "./words.js";

/** @typedef {"placed" | "taken" | "refused" | "turn" | "time" | "end"} Sound */
/** @typedef {{ moves: number; pieces: number; turn: string; over: boolean; refusal: string }} Known */

/** Notes of each sound: Hz, seconds after its begin, seconds that it rings; 0 Hz is wood. */
/** @type {Record<Sound, [number, number, number][]>} */
const NOTES = {
  placed: [[0, 0, 0.09]],
  taken: [[0, 0, 0.06], [0, 0.09, 0.06]],
  refused: [[196, 0, 0.16], [156, 0.13, 0.24]],
  turn: [[523, 0, 0.18], [659, 0.11, 0.3]],
  time: [[880, 0, 0.08], [880, 0.16, 0.08]],
  end: [[392, 0, 0.6], [494, 0.12, 0.6], [587, 0.24, 0.9]],
};
/** ms that a phone shakes, rests, shakes … */
/** @type {Partial<Record<Sound, number[]>>} */
const SHAKES = { placed: [12], taken: [10, 40, 10], refused: [30, 50, 30], turn: [40], time: [20, 60, 20] };
/** An engine that sounds nothing for so long is stopped: a running one costs a processor's time. */
const RESTS_MS = 3000;
const LOUDNESS = 0.22;

let isOn = kept("sound", "on") === "on";
let speaks = kept("speech", "off") === "on";
/** @type {AudioContext | null} */
let engine = null;
/** @type {AudioBuffer | null} */
let wood = null;
let resting = 0;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The engine, once somebody has touched the page; null where a browser has none. */
function started() {
  if (!isOn || !navigator.userActivation?.hasBeenActive) return null;
  try {
    engine ??= new AudioContext();
    void engine.resume().catch(() => {});
  } catch {
    return null; // forbidden, or no device: play is silent
  }
  clearTimeout(resting);
  resting = setTimeout(() => void engine?.suspend().catch(() => {}), RESTS_MS);
  return engine;
}

/**
 * A knock: noise that dies away, through a narrow band.
 * @param {AudioContext} audio
 */
function knock(audio) {
  if (!wood) {
    wood = audio.createBuffer(1, Math.round(audio.sampleRate * 0.1), audio.sampleRate);
    const samples = wood.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * Math.exp(-i / (audio.sampleRate * 0.012));
  }
  const source = audio.createBufferSource();
  source.buffer = wood;
  const band = audio.createBiquadFilter();
  Object.assign(band, { type: "bandpass" });
  band.frequency.value = 820 + 120 * Math.random();
  band.Q.value = 3;
  source.connect(band);
  return { source, out: band, loud: 3.2 };
}

/**
 * @param {AudioContext} audio
 * @param {number} hz
 */
function tone(audio, hz) {
  const source = audio.createOscillator();
  source.type = "triangle";
  source.frequency.value = hz;
  return { source, out: source, loud: 0.5 };
}

/** @param {Sound} name */
function play(name) {
  const audio = started();
  if (!audio) return;
  for (const [hz, after, lasts] of NOTES[name]) {
    const { source, out, loud } = hz ? tone(audio, hz) : knock(audio);
    const gain = audio.createGain();
    const at = audio.currentTime + after;
    gain.gain.setValueAtTime(LOUDNESS * loud, at);
    gain.gain.exponentialRampToValueAtTime(0.0005, at + lasts);
    out.connect(gain).connect(audio.destination);
    source.start(at);
    source.stop(at + lasts);
  }
  if (!still.matches) navigator.vibrate?.(SHAKES[name] ?? []);
}

/** @type {Known | null} */
let before = null;

/**
 * What is heard of a view, after what was known before it.
 * @param {Known} was
 * @param {Known} now
 * @returns {Sound[]}
 */
function news(was, now) {
  if (now.over) return was.over ? [] : ["end"];
  if (now.refusal && now.refusal !== was.refusal) return ["refused"];
  const out = /** @type {Sound[]} */ ([]);
  if (now.moves > was.moves) out.push(now.pieces < was.pieces ? "taken" : "placed");
  if (now.turn && now.turn !== was.turn) out.push("turn");
  return out;
}

/** @returns {Known} */
function known() {
  const { moves, outcome, pieces, verdict } = state.view;
  const mine = mySide();
  return {
    moves: moves.length,
    pieces: pieces.filter(Boolean).length,
    // Where the others at this page are heard to move, nobody is called.
    turn: mine !== null && mine === onlyMe() ? `${moves.length}` : "",
    over: Boolean(outcome),
    refusal: verdict.kind === "refuse" ? JSON.stringify([verdict.text, verdict.cells]) : state.fault ? JSON.stringify(state.fault) : "",
  };
}

function listen() {
  if (!state.view) return;
  const now = known();
  if (before) for (const sound of news(before, now)) play(sound);
  before = now;
}

/** @param {string} text */
function speak(text) {
  if (!speaks || !text || !window.speechSynthesis) return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = state.language;
  speechSynthesis.speak(words);
}

for (const place of /** @type {const} */ (["said", "refused", "clock-said"])) {
  new MutationObserver(() => {
    const text = $(place).textContent ?? "";
    if (place === "clock-said" && text) play("time");
    if (place === "refused") window.speechSynthesis?.cancel(); // a refusal waits for nothing
    speak(text);
  }).observe($(place), { childList: true });
}

function show() {
  $("sound").checked = isOn;
  $("speech").checked = speaks;
  $("speech-switch").hidden = !window.speechSynthesis;
}

/** @param {boolean} wanted */
function setSound(wanted) {
  isOn = wanted;
  keep("sound", isOn ? "on" : "off");
  if (!isOn) void engine?.suspend().catch(() => {});
  show();
}

/** Sound on or off, by its key. */
export function switchSound() {
  setSound(!isOn);
  $("said").textContent = say(isOn ? "page.said.sound-on" : "page.said.sound-off");
  if (isOn) play("placed");
}

$("sound").addEventListener("change", () => setSound($("sound").checked));
$("speech").addEventListener("change", () => {
  speaks = $("speech").checked;
  keep("speech", speaks ? "on" : "off");
  if (speaks) speak(say("page.said.speech-on"));
  else window.speechSynthesis?.cancel();
});
show();
on("view fault", listen);
