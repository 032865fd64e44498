// The owner's token: it comes with the printed link, behind its #, which no browser sends anywhere.
// It is kept with this address and port, where no other program's page can read it.

import { keep, kept } from "./state.js";

function take() {
  const found = /^#owner=([\w-]{16,64})$/.exec(location.hash);
  if (!found) return false;
  keep("owner", found[1]);
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

take();
// The link was opened in a tab that shows this page already.
addEventListener("hashchange", () => take() && location.reload());

const token = () => kept("owner", "");

/** What a WebSocket's address says of the owner. */
export const ownerQuery = () => (token() ? `&owner=${encodeURIComponent(token())}` : "");
/** What a request says of the owner.
 @returns {Record<string, string>} */
export const asOwner = () => (token() ? { authorization: `Bearer ${token()}` } : {});
