// Types that the page's scripts share, beside those made from the host's declarations
// (.ci/page_types.py). Nothing of it is served.

/** A place in mm from the board's middle, y down. */
type Place = { x: number; y: number };
type Point = [number, number];

/** The board's profile; `turn`: as it is seen, by so many degrees clockwise, `apart`:
    mm between its middle column and the fields beside it. */
type Profile = Omit<ProfileHello, "cells"> & { cells: CellHello[]; turn?: number; apart?: number };

/** What decides how bowls are laid out: see `layOut`. */
type Bowls = { count: number; small?: boolean; empty?: boolean; changed?: boolean };
type Room = { width: number; height: number };

/** Where everything around the cells lies; `unit` is the length of a px in mm. */
type Plan = Arranged & { ownX: number; ownY: number };
type Arranged = {
  profile: Profile;
  shape: Point[];
  margin: number;
  halfX: number;
  halfY: number;
  right: number;
  radius: number;
  spots: Place[];
  unit: number;
  tall: boolean;
  box: number[];
};

/** The tab's own greeting: what the host says to all, and what this tab is. */
type TabHello = Hello & {
  role: string;
  side?: number | null;
  network?: boolean;
  may_lead?: boolean;
  owner?: boolean;
  version?: string;
};

/** What the host alone hears of the network. */
type NetworkShown = {
  url: string;
  by_name: string | null;
  pin: string;
  private: boolean;
  watch: boolean;
  guesses: number;
  asks_back: boolean;
  here: number[];
  links: { key: string; url: string; size: number; path: string }[];
  phones: PhoneShown[];
};
type PhoneShown = { phone: number; side: number | null; name: string; open: boolean };

/** A phone that asks to lead the table. */
type ClaimShown = { claim: number; phone: number; side: number | null; name: string };

/** A position of the past. */
type Past = Pick<TableView, "pieces" | "labels" | "numbers" | "hands" | "marks" | "counts"> & {
  n: number;
  moves: number;
  line?: MayTry[];
};

/** A move that may be tried after a game, with the cells on which it acts. */
type MayTry = { side: number; text: string; said: string; cells: number[] };

/** What other moves lead to: the position itself at the table, a picture of it elsewhere. */
type Attempt = Partial<Past> & {
  n: number;
  line: MayTry[];
  to_move: number[];
  may: MayTry[];
  ends: SaidText | null;
  board?: string;
  places?: Point[];
};
type Tried = [number, string];

/** Other moves tried after `n` moves of a game; the cells that were tapped for the next one; who is
    asked for what they lead to, and what ends it. */
type Trial = {
  n: number;
  slug: string;
  sides: string[];
  shown: Attempt | null;
  picked: number[];
  ask: (line: Tried[]) => unknown;
  end: () => unknown;
};

/** A position that is being set up: what a tap sets (a kind or a letter, 0 for nothing), and who is
    to move. */
type Draft = Past & { chosen: number | string; toMove: number };

/** A simulated hand: its place in mm, `h` above the board. */
type HandShown = Place & { hand: string; h: number; kind: number };

type Attributes = Record<string, string | number | boolean>;


/** What a tab wants of simulated hands: docs/page.md, `/hands`. */
type HandRequest = {
  do: "place" | "lift" | "grab" | "carry" | "drop" | "field" | "button";
  hand?: string;
  cell?: number;
  kind?: number;
  x?: number;
  y?: number;
  h?: number;
  on?: boolean;
};

/** Rengi's figures of the view, `lit` of docs/page.md. */
type RengiShown = Record<string, any>;

// What a selector finds is not known to the types; attributes become text.
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface Element {
  setAttribute(name: string, value: number | boolean): void;
  closest(selector: string): any;
  readonly firstElementChild: any;
}
