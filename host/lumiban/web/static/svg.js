// Finding and making elements.

/**
 * The element with this id, which one of the pages has in its HTML.
 * @template {keyof PageIds} Id
 * @param {Id} id
 */
export const $ = (id) => /** @type {PageIds[Id]} */ (document.getElementById(id));

/**
 * The control with this id, which a script made; null before it has.
 * @param {string} id
 */
export const made = (id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id));

/**
 * The element at which something happened.
 * @param {Event} event
 */
export const target = (event) => /** @type {HTMLInputElement} */ (event.target);

/**
 * What a click on an element of the page's HTML does.
 * @param {keyof PageIds} id
 * @param {(event: any) => unknown} act
 */
export const onClick = (id, act) => $(id).addEventListener("click", act);

const SVG = "http://www.w3.org/2000/svg";

/**
 * An SVG element with attributes, as a child of `parent` when one is given.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Element | null} [parent]
 */
export function draw(name, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent?.append(element);
  return element;
}

/**
 * The same for HTML.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {(Node | string)[]} children
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * A button that does something.
 * @param {() => unknown} act
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
export function makeButton(act, attributes, ...children) {
  const element = make("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", act);
  return element;
}

/**
 * QR code of `size` modules a side, with its light zone cut by a number of modules.
 * @param {{ size: number; path: string }} code
 * @param {string} label
 */
export function drawCode({ size, path }, label, without = 0) {
  const side = size - 2 * without;
  const svg = draw("svg", { viewBox: `${without} ${without} ${side} ${side}`, role: "img", "aria-label": label, class: "code" });
  draw("rect", { width: size, height: size, fill: "#fff" }, svg);
  draw("path", { d: path, fill: "#000", "shape-rendering": "crispEdges" }, svg);
  return svg;
}
