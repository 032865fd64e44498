// Shapes of a board, from its profile: cells, outline, neighbours for the arrow keys, bowls.
// All lengths in mm from the board's middle, y down.

/** @param {Profile} profile */
export const isHex = (profile) => profile.geometry !== "rectangle";

/**
 * A place turned around the board's middle by degrees, clockwise; exact where halves and ones are.
 * @param {number} degrees
 * @param {Place} place
 */
function around(degrees, { x, y }) {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)].map((v) => Math.round(v * 1e12) / 1e12);
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

/**
 * Place of a cell on a board that is turned by a number of degrees, clockwise.
 * @param {number | undefined} turn
 * @param {Place} place
 */
export const seen = (turn, place) => (turn ? around(turn, place) : { x: place.x, y: place.y });

/**
 * A place that is seen, as the board has it.
 * @param {number | undefined} turn
 * @param {Place} place
 */
export const meant = (turn, place) => seen(turn && -turn, place);

/**
 * A seen place where fields stand `apart` mm from the column in their middle.
 * @param {Profile} profile
 * @param {Place} place
 */
export const spread = ({ apart = 0, pitch_mm }, { x, y }) => ({ x: x + Math.sign(x) * apart * Math.min(1, (2 * Math.abs(x)) / pitch_mm), y });

/**
 * The place that `spread` moved here.
 * @param {Profile} profile
 * @param {Place} place
 */
export const closed = ({ apart = 0, pitch_mm }, { x, y }) => ({ x: Math.sign(x) * Math.max(Math.abs(x) - apart, (Math.abs(x) * pitch_mm) / (pitch_mm + 2 * apart)), y });

/**
 * Profile turned by a number of degrees, as it is seen.
 * @param {Profile} profile
 * @param {number} turn
 */
const turned = (profile, turn) => ({
  ...profile,
  turn,
  cells: profile.cells.map((cell) => ({ ...cell, ...spread(profile, seen(turn, cell)) })),
});

/**
 * By how many degrees a board turns at a time, so that its cells lie where cells lay: a square one
 * by a quarter unless its picture has a top and a bottom of its own.
 * @param {Profile} profile
 * @param {boolean} hasTop
 */
export function turnStep(profile, hasTop) {
  if (isHex(profile)) return 60;
  const [wide, high] = [profile.cells.map(({ x }) => x), profile.cells.map(({ y }) => y)].map((all) => Math.max(...all) - Math.min(...all));
  return hasTop || Math.abs(wide - high) > 1 ? 180 : 90;
}

/**
 * The turn that this board can have, nearest to the one that was chosen, maybe for another.
 * @param {number} turn
 * @param {number} step
 */
export const nearestTurn = (turn, step) => (Math.round((turn % 360) / step) * step) % 360;

/**
 * Whether the lines of a hexagon stand upright as it is seen, not level.
 * @param {Profile} profile
 */
const stands = (profile) => isHex(profile) && Math.round((profile.turn ?? 0) / 30) % 2 === 1;

/**
 * Corners of a cell's shape around (0, 0), `gap` mm smaller than the pitch all around.
 * @param {Profile} profile
 * @returns {Point[]}
 */
export function cellCorners(profile, gap = 0) {
  const half = profile.pitch_mm / 2 - gap;
  if (!isHex(profile)) return [[-half, -half], [half, -half], [half, half], [-half, half]];
  const reach = half / Math.cos(Math.PI / 6);
  return [0, 1, 2, 3, 4, 5].map((k) => {
    const angle = (stands(profile) ? 0 : Math.PI / 6) + (k * Math.PI) / 3;
    return [reach * Math.cos(angle), reach * Math.sin(angle)];
  });
}

/** @param {Point[]} corners */
export const points = (corners) => corners.map((c) => c.map((v) => v.toFixed(2)).join(",")).join(" ");

/**
 * A closed path through `corners` with corners rounded by `radius`.
 * @param {Point[]} corners
 * @param {number} radius
 */
export function roundedPath(corners, radius) {
  const n = corners.length;
  /**
   * @param {Point} from
   * @param {Point} to
   * @param {number} far
   * @returns {Point}
   */
  const towards = (from, to, far) => {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const share = Math.min(far / length, 0.5);
    return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
  };
  /** @param {Point} p */
  const show = (p) => p.map((v) => v.toFixed(2)).join(" ");
  const parts = corners.map((corner, i) => {
    const enter = towards(corner, corners[(i + n - 1) % n], radius);
    const leave = towards(corner, corners[(i + 1) % n], radius);
    return `${i ? "L" : "M"}${show(enter)}Q${show(corner)} ${show(leave)}`;
  });
  return parts.join("") + "Z";
}

/**
 * Convex hull (counter-clockwise on screen) of points.
 * @param {Point[]} all
 */
export function hull(all) {
  const sorted = [...all].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  /**
   * @param {Point} o
   * @param {Point} a
   * @param {Point} b
   */
  const cross = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  /** @param {Point[]} list */
  const half = (list) => {
    /** @type {Point[]} */
    const out = [];
    for (const p of list) {
      while (out.length > 1 && cross(out[out.length - 2], out[out.length - 1], p) <= 1e-6) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/**
 * The outline of all points within `margin` of the hull of `corners`, with round corners.
 * @param {Point[]} corners
 * @param {number} margin
 */
export function outline(corners, margin) {
  const n = corners.length;
  let path = "";
  for (let i = 0; i < n; i++) {
    const [a, b] = [corners[i], corners[(i + 1) % n]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const out = [((b[1] - a[1]) / length) * margin, (-(b[0] - a[0]) / length) * margin];
    const start = `${(a[0] + out[0]).toFixed(2)} ${(a[1] + out[1]).toFixed(2)}`;
    const end = `${(b[0] + out[0]).toFixed(2)} ${(b[1] + out[1]).toFixed(2)}`;
    path += i ? `A${margin} ${margin} 0 0 1 ${start}` : `M${start}`;
    path += `L${end}`;
    if (i === n - 1) {
      const first = corners[0];
      const next = corners[1];
      const far = Math.hypot(next[0] - first[0], next[1] - first[1]);
      const x = first[0] + ((next[1] - first[1]) / far) * margin;
      const y = first[1] - ((next[0] - first[0]) / far) * margin;
      path += `A${margin} ${margin} 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)}Z`;
    }
  }
  return path;
}

/**
 * How far outside the hull a point lies (negative inside).
 * @param {Point[]} corners
 * @param {number} x
 * @param {number} y
 */
export function outside(corners, x, y) {
  let far = -Infinity;
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    far = Math.max(far, ((x - a[0]) * (b[1] - a[1]) - (y - a[1]) * (b[0] - a[0])) / length);
  });
  return far;
}

/** The ring of light around a bowl whose side is to move, in mm. */
export const RING = 4;

/** mm a px from which on a window is too small to centre names below the bowls. */
export const SMALL = 0.45;

/** @param {Room} room */
export const isTall = (room) => room.width < room.height * 1.2;

/**
 * A phone's window: its edge may cut the wood, never a cell.
 * @param {Room} room
 */
const isPhone = (room) => isTall(room) && room.width < 600;

/** A board of fewer cells is drawn large, with less wood around it. */
const FEW = 37;
/** Wood that stays beside the cells in a phone's window, in mm. */
const BLEED = 1.2;
/** A turned board is less like the one on the table: it must be larger by so much. */
const WORTH = 0.92;

/**
 * Everything that is drawn around the cells: hull, margins, bowls and the view that holds it all.
 * `room` is the window's {width, height} in px: a tall one has its bowls below the board,
 * a third one between the two, else at the right above. Where no pieces have to be told apart in
 * a bowl, bowls are `small` where they take room from the board; `empty` ones, whose pieces lie in
 * trays, always are. `changed` tells that they have changed sides. The board is turned by `turn` degrees, and in a phone's window a hexagon by a quarter more
 * where that makes it larger: its corners point up and down then. The result has the `profile` as
 * it is seen; `unit` is the length of a px in mm, `ownX` and `ownY` how far cells reach from the
 * middle of the board before it is turned.
 * @param {Profile} profile
 * @param {Room} room
 * @param {Bowls} bowls
 * @returns {Plan}
 */
export function layOut(profile, room, bowls, turn = 0) {
  const straight = place(turned(profile, turn), room, bowls);
  const corners = cellCorners({ ...profile, turn: 0 });
  /** @param {"x" | "y"} axis */
  const reach = (axis) => Math.max(...profile.cells.map((cell) => Math.abs(cell[axis]))) + Math.max(...corners.map(([x, y]) => (axis === "x" ? x : y)));
  const own = { ownX: reach("x") + (profile.apart ?? 0), ownY: reach("y") };
  if (!isPhone(room) || !isHex(profile)) return { ...straight, ...own };
  const quarter = place(turned(profile, (turn + 90) % 360), room, bowls);
  return { ...(quarter.unit < WORTH * straight.unit ? quarter : straight), ...own };
}

/**
 * The largest of the plans for a profile that lies as it is.
 * @param {Profile} profile
 * @param {Room} room
 * @param {Bowls} bowls
 */
function place(profile, room, bowls) {
  // Below a hexagon's corners a bowl takes the less height, but the more width, the further out it
  // lies: the board is largest where both are used up. A smaller bowl takes less of both.
  const { count, small } = bowls;
  const steps = count && isTall(room) && isHex(profile) ? 8 : 0;
  /** @type {Arranged | null} */
  let best = null;
  for (const { less, step } of [false, true].flatMap((less) => [...Array(steps + 1).keys()].map((step) => ({ less, step })))) {
    if (less ? !bowls.empty && (!small || !isTall(room)) : bowls.empty) continue;
    const plan = settle(profile, room, bowls, less, (step * profile.pitch_mm) / 6);
    if (!best || plan.unit < best.unit - 1e-9) best = plan;
  }
  return /** @type {Arranged} */ (best);
}

/**
 * Text keeps its size in px, so it takes more mm in a small window; and what it takes makes the
 * drawing larger and a px longer. A few rounds settle that.
 * @param {Profile} profile
 * @param {Room} room
 * @param {Bowls} bowls
 * @param {boolean} less
 * @param {number} out
 */
function settle(profile, room, bowls, less, out) {
  let plan = arrange(profile, room, bowls, less, out, 0);
  for (let round = 0; round < 3; round++) plan = arrange(profile, room, bowls, less, out, plan.unit);
  return plan;
}

/**
 * The plan with the bowls of a tall window `out` mm further out than the board's corner, if a px
 * were `guess` mm long; `unit` is how long it then is. `less`: bowls as small as a finger allows.
 * @param {Profile} profile
 * @param {Room} room
 * @param {Bowls} bowls
 * @param {boolean} less
 * @param {number} out
 * @param {number} guess
 */
function arrange(profile, room, bowls, less, out, guess) {
  const { count, empty } = bowls;
  const tall = isTall(room);
  const phone = isPhone(room);
  const pitch = profile.pitch_mm;
  const corners = cellCorners(profile);
  const all = profile.cells.flatMap((c) => corners.map(([x, y]) => /** @type {Point} */ ([c.x + x, c.y + y])));
  const shape = hull(all);
  const margin = pitch * (phone || profile.cells.length < FEW ? 0.2 : 0.3);
  const [cellsX, cellsY] = [0, 1].map((axis) => Math.max(...all.map((p) => Math.abs(p[axis]))));
  const [halfX, halfY] = [cellsX + margin, cellsY + margin];
  const usual = Math.min(22, 0.2 * halfY + 8);
  // A finger needs 44 px.
  const least = less ? Math.min(usual, Math.max(isHex(profile) || empty ? 8 : 16, (phone || !isHex(profile) ? 24 : 40) * guess)) : usual;
  // Nobody needs a bowl of more than 120 px: what a small board's bowls took, its cells get.
  const most = Math.min(60, Math.max(26, 0.1 * room.width));
  const radius = guess ? Math.min(least, most * guess) : least;
  // Beside the board the names below a bowl are wider than the bowl in a small window.
  const names = !tall && guess > SMALL ? Math.max(0, 40 * guess - radius) : 0;
  const plate = RING + 42 * guess;
  const low = halfY - radius - plate;
  const edge = phone && !Object.keys(profile.edges ?? {}).length ? cellsX + BLEED : halfX + 3;
  /**
   * @param {number} x
   * @param {number} y
   * @param {number} sign
   */
  const lies = (x, y, sign) =>
    outside(shape, x, y) >= margin + radius + 5 &&
    (!names || outside(shape, x - sign * (names + radius), y + radius + RING) >= margin + 2);
  /** @param {number} sign */
  const spotAt = (sign, start = low) => {
    let [x, y] = tall ? [sign * (phone ? edge - radius - RING : halfX - radius - 3) + sign * out, 0.5 * halfY] : [sign * halfX * 0.6, start];
    while (!lies(x, y, sign)) tall ? (y += 1) : (x += sign);
    return { x, y };
  };
  const spots = count ? [spotAt(-1), spotAt(1)] : [];
  if (bowls.changed) spots.reverse();
  if (count > 2) spots.push(tall ? spotAt(0) : spotAt(1, isHex(profile) ? radius + RING - halfY : low - 2 * radius - plate - 6));
  if (count > 2 && tall) for (const spot of spots) spot.y = Math.max(...spots.map((s) => s.y));
  // Names that are centred below a bowl may be wider than it.
  const centred = tall && guess <= SMALL ? 66 * guess : 0;
  const right = Math.max(edge, ...spots.map((s) => s.x + Math.max(radius + RING + names, centred)));
  const bottom = Math.max(halfY + 4, ...spots.map((s) => s.y + radius + plate));
  const top = -halfY - (phone ? 1 : 4);
  const box = [-right, top, 2 * right, bottom - top];
  const unit = Math.max(box[2] / room.width, box[3] / room.height);
  return { profile, shape, margin, halfX, halfY, right, radius, spots, unit, tall, box };
}

/**
 * How far along its line a cell lies, in mm.
 * @param {Profile} profile
 * @param {Place} place
 */
export const along = (profile, { x, y }) => (stands(profile) ? y : x);

/**
 * Cells in the order in which they are read: line by line from the top, or from the left where lines
 * stand upright.
 * @param {Profile} profile
 * @param {number[]} [among] The cells that count; all of them where none are told.
 */
export function linesOf(profile, among = [...profile.cells.keys()]) {
  const across = (/** @type {number} */ i) => (stands(profile) ? profile.cells[i].x : profile.cells[i].y);
  /** @type {number[][]} */
  const lines = [];
  let last = -Infinity;
  for (const i of [...among].sort((a, b) => across(a) - across(b))) {
    if (across(i) - last > profile.pitch_mm / 4) lines.push([]);
    last = across(i);
    lines[lines.length - 1].push(i);
  }
  for (const line of lines) line.sort((a, b) => along(profile, profile.cells[a]) - along(profile, profile.cells[b]));
  return lines;
}

const LEVEL = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const UPRIGHT = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/**
 * Whether an arrow key leads along a line, not across.
 * @param {Profile} profile
 * @param {string} key
 */
export const isAlong = (profile, key) => (stands(profile) ? UPRIGHT : LEVEL).indexOf(key) < 2;

/**
 * The cell to which an arrow key leads from `from` as the board is seen, or `from` at the edge.
 * `keep` is how far along the lines going across them should return to.
 * @param {Profile} profile
 * @param {number[]} among The cells that there are.
 * @param {number} from
 * @param {string} key
 * @param {number} keep
 */
export function step(profile, among, from, key, keep) {
  const lines = linesOf(profile, among);
  const n = lines.findIndex((line) => line.includes(from));
  const [less, , before] = stands(profile) ? UPRIGHT : LEVEL;
  if (isAlong(profile, key)) return lines[n][lines[n].indexOf(from) + (key === less ? -1 : 1)] ?? from;
  const line = lines[n + (key === before ? -1 : 1)];
  if (!line) return from;
  /** @param {number} i */
  const far = (i) => Math.abs(along(profile, profile.cells[i]) - keep) + (along(profile, profile.cells[i]) > keep ? 1e-3 : 0);
  return line.reduce((best, i) => (far(i) < far(best) ? i : best));
}
