// Whom a key or a press belongs to.

const TYPED = "select, textarea, input:not([type=checkbox], [type=radio])";

/**
 * Whether a key belongs to where it was pressed: an open dialog, or a place to type or choose.
 * What is in a dialog that was just closed keeps the focus until the next frame: no key is lost to
 * it. A switch takes none but the space bar.
 * @param {any} target
 */
export function isTheirs(target) {
  const dialog = target.closest?.("dialog");
  return dialog ? dialog.open : Boolean(target.closest?.(TYPED));
}

/**
 * Whether assistive technology pressed this: a click that no pointer made.
 * @param {any} event
 */
export const isPointerless = (event) => event.detail === 0 && event.pointerType !== "mouse";
