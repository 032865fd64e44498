// Runs beside the page in the browser, on the table's own machine: keeps what the page is made of,
// so that it starts, and says what to do, while no lumiban runs. Nothing of a game is kept.

const KEPT = "lumiban-page";
const worker = /** @type {any} */ (self);
const STATIC = /^\/static\/(\w{16})\/[\w.+]+$/;
const TEXTS = ["/api/texts?lang=en&for=table", "/api/texts?lang=ja&for=table"];

/** Keep the page with all that it links, in both languages. */
async function keepAll() {
  const page = await fetch("/");
  if (!page.ok) throw new Error(String(page.status));
  const linked = new Set((await page.clone().text()).match(/\/static\/\w{16}\/[\w.+]+/g) ?? []);
  const cache = await caches.open(KEPT);
  await cache.addAll([...linked, ...TEXTS]);
  await cache.put("/", page);
  for (const old of await cache.keys()) {
    const { pathname } = new URL(old.url);
    if (STATIC.test(pathname) && !linked.has(pathname)) await cache.delete(old);
  }
}

/**
 * What the host answers, or else what was kept.
 * @param {Request} request
 * @param {string} kept
 */
async function freshly(request, kept) {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await caches.match(kept);
    if (!found) throw error;
    return found;
  }
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keepAll().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
// A page tells which script it has: one that is not kept is of another version of lumiban.
worker.addEventListener("message", (/** @type {any} */ event) => {
  event.waitUntil(caches.match(event.data).then((found) => (found ? undefined : keepAll())).catch(() => {}));
});
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (pathname === "/" || pathname === "/watch") event.respondWith(freshly(request, "/"));
  } else if (STATIC.test(pathname) || pathname === "/api/texts") event.respondWith(freshly(request, pathname + search));
});
