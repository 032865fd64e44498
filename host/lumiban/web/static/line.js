// A line of the page to its host, which knows whether it is alive: the host speaks at least every
// ten seconds, and answers each act. A line that is silent for longer is reopened.

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 4000;
/** The host speaks at least so often … */
const SPEAKS_MS = 10_000;
/** … and a line on which it was not heard for so long is dead, open as it may seem. */
const DEAD_MS = 25_000;
/** An act that was not answered within this has not arrived … */
const ANSWERS_MS = 2000;
/** … and is in doubt from this on. */
const DOUBT_MS = 700;
const LOOK_MS = 500;
/** Close code with which a host ends those who came in by links that are no more. */
const SHUT_OUT = 4001;

/** What an act hears that has not arrived. */
const NOT_ARRIVED = { id: "page.not-arrived", params: {} };

/** @typedef {(refused: SaidText | null) => unknown} Answered */
/** @typedef {{ at: number, answered: Answered }} Act */
/**
 * @typedef {{
 *   changed: (up: boolean, code?: number) => unknown;
 *   doubt: () => unknown;
 * }} Heeds
 * `changed`: the line went up or down; `doubt`: `unsure` may be another.
 */

export class Line {
  /**
   * @param {() => string} path
   * @param {(message: any) => unknown} hear
   * @param {Heeds} heeds
   */
  constructor(path, hear, heeds) {
    this.path = path;
    this.hear = hear;
    this.heeds = heeds;
    this.up = false;
    /** Whether the host let this line not in, since too many are open. */
    this.full = false;
    this.wait = FIRST_WAIT_MS;
    this.wanted = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.heardAt = 0;
    /** @type {Act[]} Those that were not answered yet. */
    this.acts = [];
    this.unsure = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.again = undefined;
  }

  open() {
    if (this.wanted) return;
    this.wanted = true;
    this.connect();
    const timer = setInterval(() => this.look(), LOOK_MS);
    // Under Node a timer would keep a test from ending.
    /** @type {any} */ (timer).unref?.();
  }

  connect() {
    clearTimeout(this.again);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path()}`);
    this.socket = socket;
    this.heardAt = Date.now();
    socket.onopen = () => {
      this.heardAt = Date.now();
      this.up = true;
      this.full = false;
      this.wait = FIRST_WAIT_MS;
      this.heeds.changed(true);
    };
    socket.onmessage = (event) => {
      this.heardAt = Date.now();
      const message = JSON.parse(event.data);
      if (message.type === "heard") this.acts.shift()?.answered(message.text ?? null);
      else this.hear(message);
      this.weigh();
    };
    socket.onclose = (event) => this.closed(event.code);
  }

  /** @param {number} [code] */
  closed(code) {
    if (code === SHUT_OUT) {
      location.replace("/join?ended=1");
      return;
    }
    if (!this.up && code !== undefined) this.askWhy();
    this.up = false;
    const lost = this.acts;
    this.acts = [];
    this.weigh();
    this.heeds.changed(false, code);
    for (const act of lost) act.answered(NOT_ARRIVED);
    clearTimeout(this.again);
    this.again = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, MAX_WAIT_MS);
  }

  /** Give up a socket that may be dead though it is open, and open another one at once. */
  renew() {
    const { socket } = this;
    this.heardAt = Date.now();
    if (socket) socket.onopen = socket.onmessage = socket.onclose = null;
    socket?.close?.();
    this.wait = 0;
    this.closed();
    this.wait = FIRST_WAIT_MS;
  }

  /**
   * The page is looked at again, or the network is another one.
   * @param {boolean} surely Whether what was open before is dead for sure.
   */
  revive(surely) {
    if (!this.wanted) return;
    const silent = Date.now() - this.heardAt > SPEAKS_MS + 1000;
    if (surely || silent || !this.up) this.renew();
  }

  look() {
    const now = Date.now();
    // A phone's clock may be set back meanwhile: what seems to lie ahead is counted from now on.
    this.heardAt = Math.min(this.heardAt, now);
    for (const act of this.acts) act.at = Math.min(act.at, now);
    if (this.acts.length && now - this.acts[0].at >= ANSWERS_MS) this.renew();
    else if (now - this.heardAt >= DEAD_MS) this.renew();
    else this.weigh();
  }

  weigh() {
    const unsure = this.acts.length > 0 && Date.now() - this.acts[0].at >= DOUBT_MS;
    if (unsure === this.unsure) return;
    this.unsure = unsure;
    this.heeds.doubt();
  }

  /** A browser does not tell a script why a line was refused. */
  async askWhy() {
    const status = await fetch("/api/room").then((answer) => answer.status, () => 0);
    // On a network: who has no cookie, or one that is no more, begins at the door.
    if (status === 401) location.replace("/join");
    if (this.up || this.full === (status === 503)) return;
    this.full = status === 503;
    this.heeds.changed(false);
  }

  /**
   * Send it; false while the line is down.
   * @param {object} message
   * @param {Answered} [answered] Hears once how an act was answered: a refusal, or null.
   */
  send(message, answered) {
    if (!this.up) return false;
    this.socket?.send(JSON.stringify(message));
    if (answered) this.acts.push({ at: Date.now(), answered });
    return true;
  }
}
