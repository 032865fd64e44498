// The page of the rules: a chapter of the guide, as the host tells it in blocks.

import { on, state } from "./state.js";
import { $, make } from "./svg.js";
import { gameName, loadWords, say } from "./words.js";

/**
 * A chapter as the host tells it: spans are words, or words with their emphasis.
 * @typedef {string | [string, any[]]} Span
 * @typedef {{ do: string; spans: Span[]; cells: Span[][]; level: number; name: string; alt: string }} Block
 */

/** @type {Record<string, "strong" | "em" | "code">} */
const TAGS = { b: "strong", i: "em", k: "code" };
const FIRST = "control";

let asked = new URLSearchParams(location.search).get("game") || FIRST;
/** @type {{ games: string[]; blocks: Block[] } | null} */
let told = null;

/**
 * @param {Span[]} spans
 * @returns {(Node | string)[]}
 */
const inline = (spans) => spans.map((span) => (typeof span === "string" ? span : make(TAGS[span[0]], {}, ...inline(span[1]))));

/**
 * Whether a paragraph is nothing but emphasised words, as below a picture.
 * @param {Block} block
 */
const isCaption = ({ spans }) => spans?.length === 1 && spans[0][0] === "i";

/**
 * Elements for blocks; items of a list and rows of a table go into the one before.
 * @param {Block[]} blocks
 */
function written(blocks) {
  /** @type {HTMLElement[]} */
  const out = [];
  /** @type {Block | null} */
  let before = null;
  for (const block of blocks) {
    if (block.do === "h") out.push(make(/** @type {"h1"} */ (`h${block.level}`), block.level === 1 ? { tabindex: "-1" } : {}, ...inline(block.spans)));
    else if (block.do === "li") {
      if (before?.do !== "li") out.push(make("ul", {}));
      out[out.length - 1].append(make("li", {}, ...inline(block.spans)));
    } else if (block.do === "head") {
      out.push(make("div", { class: "wide", tabindex: "0" }, make("table", {}, make("thead", {}, row(block, "th")), make("tbody", {}))));
    } else if (block.do === "row") out[out.length - 1].querySelector("tbody").append(row(block, "td"));
    else if (block.do === "img") {
      out.push(make("figure", {}, make("img", { src: `/api/rules/${block.name}`, alt: block.alt, loading: "lazy" })));
    } else if (before?.do === "img" && isCaption(block)) out[out.length - 1].append(make("figcaption", {}, ...inline(/** @type {Span[]} */ (block.spans[0][1]))));
    else out.push(make("p", {}, ...inline(block.spans)));
    before = block;
  }
  return out;
}

/**
 * @param {Block} block
 * @param {"th" | "td"} tag
 */
const row = ({ cells }, tag) => make("tr", {}, ...cells.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, ...inline(cell))));

function links() {
  const games = told?.games ?? [FIRST];
  return (games.includes(asked) ? games : [asked, ...games]).map((slug) => {
    const link = make("a", { href: `/rules?game=${encodeURIComponent(slug)}` }, gameName(slug));
    if (slug === asked) link.setAttribute("aria-current", "page");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      history.pushState(null, "", link.href);
      follow().then(() => $("chapter").querySelector("h1")?.focus());
    });
    return link;
  });
}

async function follow() {
  asked = new URLSearchParams(location.search).get("game") || FIRST;
  const language = state.language;
  const answer = await fetch(`/api/rules?game=${encodeURIComponent(asked)}&lang=${language}`);
  told = answer.ok ? await answer.json() : null;
  $("chapter").replaceChildren(...(told ? written(told.blocks) : [make("p", {}, say("lesson.rules.none"))]));
  $("chapter").scrollTop = 0;
  scrollTo(0, 0);
  $("games").replaceChildren(...links());
  document.title = `${say("lesson.rules.title", { game: gameName(asked) })} · lumiban`;
}

addEventListener("popstate", follow);
on("words", follow);
await loadWords();
