// Starting without its table: on the table's own machine the page is kept in the browser, so that
// who opens it while no lumiban runs reads what to do, and the page goes on once one does.

import { on, state } from "./state.js";
import { $ } from "./svg.js";

let isKept = false;

on("hello", () => {
  const isHere = !state.hello?.network;
  $("offline-how").hidden = isHere;
  if (isKept || !isHere || !isSecureContext || !("serviceWorker" in navigator)) return;
  isKept = true;
  // A browser that keeps nothing, as in a private window, starts with its table alone.
  const { src } = document.querySelector("script[src]");
  navigator.serviceWorker.register("/worker.js").then((kept) => kept?.active?.postMessage(src)).catch(() => {});
});
