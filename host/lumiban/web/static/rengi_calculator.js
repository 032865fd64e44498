// Rengi's calculator: points and ojama of a chain, its groups counted up step by step. The tables
// are the game's own (games/rengi/field.py); a test holds the page against the paper's.

import { on, state } from "./state.js";
import { $, make, makeButton } from "./svg.js";
import { say } from "./words.js";

const MAX_STEPS = 19;
const MAX_BLOCKS = 78;
const SIZES = [4, 5, 6, 7, 8, 9, 10, 11];
const CHAIN = [0, 8, 16, ...Array.from({ length: 16 }, (_, i) => 32 * (i + 1))];
const CONNECTION = [0, 0, 0, 0, 0, 2, 3, 4, 5, 6, 7, 10];
const COLOURS = [0, 0, 3, 6, 12];

const plain = () => ({ groups: [4], colours: 0 });

/** The chain as it is told, and the step whose groups are being counted, from 0. */
const told = { steps: Array.from({ length: 5 }, plain), at: 4 };

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const blocks = () => sum(told.steps.map((step) => sum(step.groups)));
/** @param {{ groups: number[]; colours: number }} step */
const coloursOf = (step) => step.colours || Math.min(step.groups.length, 4);

/**
 * Points of each step.
 * @param {{ groups: number[]; colours: number }[]} steps
 */
export const worths = (steps) => steps.map((step, i) => {
  const connection = sum(step.groups.map((size) => CONNECTION[Math.min(size, 11)]));
  return sum(step.groups) * 10 * Math.max(1, CHAIN[i] + connection + COLOURS[coloursOf(step)]);
});

/**
 * One more group of this size: the first larger one takes the place of the group of four.
 * @param {number} size
 */
function countUp(size) {
  const step = told.steps[told.at];
  const replaces = size > 4 && step.groups.length === 1 && step.groups[0] === 4;
  if (blocks() + size - (replaces ? 4 : 0) > MAX_BLOCKS) return;
  step.groups = replaces ? [size] : [...step.groups, size].sort((a, b) => a - b);
  step.colours = 0;
  show();
}

/** @param {number} length */
function setLength(length) {
  if (length < 1 || length > MAX_STEPS) return;
  while (told.steps.length > length) told.steps.pop();
  while (told.steps.length < length) told.steps.push(plain());
  told.at = length - 1;
  while (blocks() > MAX_BLOCKS) told.steps.pop();
  told.at = Math.min(told.at, told.steps.length - 1);
  show();
}

/**
 * @param {string} id
 * @param {string | Node} text
 * @param {string} label
 * @param {() => unknown} act
 */
const button = (id, text, label, act, more = {}) => makeButton(act, { "data-calc": id, "aria-label": label, title: label, ...more }, text);

function stepButtons() {
  return told.steps.map((step, i) => {
    const groups = step.groups.join("+");
    const label = say("page.rengi.calculator.step", { n: i + 1, groups });
    return button(`step-${i + 1}`, make("span", { "data-step": i + 1 }, groups), label, () => {
      told.at = i;
      show();
    }, { "aria-pressed": String(i === told.at), ...(groups === "4" ? {} : { "data-more": "" }) });
  });
}

function groupButtons() {
  const step = told.steps[told.at];
  const room = MAX_BLOCKS - blocks();
  return SIZES.map((size) => {
    const count = step.groups.filter((one) => one === size).length;
    const freed = size > 4 && step.groups.length === 1 && step.groups[0] === 4 ? 4 : 0;
    const label = say("page.rengi.calculator.group", { size: size === 11 ? "11+" : size, count });
    const face = size === 11 ? "11+" : `${size}`;
    const made = button(`group-${size}`, face, label, () => countUp(size));
    if (count) {
      made.append(make("b", {}, `×${count}`));
      made.setAttribute("aria-label", `${face}×${count}: ${label}`); // who speaks what is seen presses it
    }
    made.disabled = size > room + freed;
    return made;
  });
}

function colourButtons() {
  const step = told.steps[told.at];
  const most = Math.min(step.groups.length, 4);
  if (most < 2) return [];
  const buttons = Array.from({ length: most }, (_, i) => {
    const n = i + 1;
    return button(`colours-${n}`, `${n}`, say("page.rengi.calculator.colours", { n }), () => {
      step.colours = n;
      show();
    }, { "aria-pressed": String(coloursOf(step) === n) });
  });
  return [make("span", {}, say("page.rengi.calculator.colour-count")), ...buttons];
}

/**
 * Which button has the focus stays, though all are redrawn.
 * @param {"calc-length" | "calc-steps" | "calc-groups" | "calc-colours"} id
 * @param {Element[]} children
 */
function fill(id, children) {
  const place = $(id);
  const focus = place.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.calc : null;
  place.replaceChildren(...children);
  if (focus) (place.querySelector(`[data-calc="${focus}"]:not(:disabled)`) ?? place.querySelector("button:not(:disabled)"))?.focus();
}

let says = "";

function show() {
  const rate = Math.max(1, Math.floor(Number($("calc-rate").value) || 0));
  const now = JSON.stringify([state.language, told, rate]);
  if (now === says) return;
  says = now;
  const points = worths(told.steps);
  const total = sum(points);
  $("calc-points").textContent = say("page.rengi.calculator.points", { n: total.toLocaleString("en") });
  $("calc-ojama").textContent = say("page.rengi.calculator.ojama", { n: Math.floor(total / rate).toLocaleString("en") });
  const length = told.steps.length;
  const [fewer, more] = [say("page.rengi.calculator.fewer"), say("page.rengi.calculator.more")];
  fill("calc-length", [
    button("fewer", "−", fewer, () => setLength(length - 1)),
    make("output", {}, say("page.rengi.calculator.length", { n: length })),
    button("more", "+", more, () => setLength(length + 1)),
  ]);
  const [less, add] = $("calc-length").querySelectorAll("button");
  less.disabled = length === 1;
  add.disabled = length === MAX_STEPS || blocks() + 4 > MAX_BLOCKS;
  fill("calc-steps", stepButtons());
  const n = told.at + 1;
  $("calc-step").textContent = say("page.rengi.calculator.counting", { n, points: points[told.at].toLocaleString("en") });
  fill("calc-groups", groupButtons());
  const clear = say("page.rengi.calculator.clear");
  fill("calc-colours", told.steps[told.at].groups.join() === "4" ? [] : [
    ...colourButtons(),
    button("clear", clear, clear, () => {
      told.steps[told.at] = plain();
      show();
    }),
  ]);
}

let given = 0;

/** The game's own rate, until somebody writes another one. */
function followGame() {
  const lit = state.view?.lit;
  if (lit?.rate && lit.rate !== given) {
    given = lit.rate;
    $("calc-rate").value = String(given);
  }
  show();
}

$("calc-rate").addEventListener("input", show);
on("view words", followGame);
