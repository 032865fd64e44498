// A dove's move by two taps, where no simulated hand moves it: the dove, then the cell it goes to.

/**
 * What the tap on a game cell means after the first one was on `chosen` (null: none yet): the move
 * to tell, the dove that is chosen from now on, or a sentence.
 * @param {Pick<TableView, "labels" | "pieces"> & { game: Pick<TableView["game"], "names" | "trays"> }} view
 * @param {number} side
 * @param {number | null} chosen
 * @param {number} cell
 * @returns {{ text?: string; chosen?: number | null; fault?: string }}
 */
export function secondTap(view, side, chosen, cell) {
  const { labels, pieces, game } = view;
  const isOwn = Boolean(labels[cell]) && pieces[cell] === side + 1;
  const inTray = (/** @type {number} */ one) => Boolean(game.trays[side]?.includes(one));
  if (chosen === null) return isOwn ? { chosen: cell } : { fault: "page.dove.first" };
  if (chosen === cell) return { chosen: null };
  if (isOwn) return { chosen: cell };
  const letter = labels[chosen];
  if (!letter) return { chosen: null, fault: "page.dove.first" };
  const goal = game.names[cell];
  if (inTray(chosen)) return inTray(cell) ? { chosen: null } : { text: `+${letter}${goal}` };
  return { text: inTray(cell) ? `-${letter}` : `${letter}${game.names[chosen]}-${goal}` };
}
