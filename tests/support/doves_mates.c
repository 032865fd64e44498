/* Tokyo Doves a third time, from the rules' text alone: does one action win within so many?
 *
 *     cc -O2 -o doves_mates doves_mates.c; ./doves_mates BOARD SIDE ACTIONS strong|off
 *
 * BOARD is rows from above with '/' between, capitals are Red's; SIDE is 0 for Red. Prints every
 * first action after which the side wins with at most ACTIONS of its own. With `off` nothing that came before
 * counts, and what was found is remembered by position; with `strong` each line knows its past.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE 64
#define HAND (-1)
static const char NAMES[] = "BAYMTHbaymth";
static const int EDGE[4] = {-WIDE, WIDE, -1, 1};
static const int CORNER[4] = {-WIDE - 1, -WIDE + 1, WIDE - 1, WIDE + 1};
static const int LEAP[8] = {-2 * WIDE - 1, -2 * WIDE + 1, 2 * WIDE - 1, 2 * WIDE + 1,
                            -WIDE - 2, -WIDE + 2, WIDE - 2, WIDE + 2};

static int at[12];            /* cell of each dove, or HAND */
static char on[WIDE * WIDE];  /* 1 where a dove stands */
static int remembers;         /* repetition strong */
static uint64_t faced[2][32]; /* by side: what it faced at the start of its turns */
static int faces[2];

typedef struct { int dove, from, to; } Action;

static void span(int *r0, int *r1, int *c0, int *c1) {
    *r0 = *c0 = WIDE; *r1 = *c1 = -1;
    for (int d = 0; d < 12; d++) if (at[d] != HAND) {
        int r = at[d] / WIDE, c = at[d] % WIDE;
        if (r < *r0) *r0 = r;
        if (r > *r1) *r1 = r;
        if (c < *c0) *c0 = c;
        if (c > *c1) *c1 = c;
    }
}

static int near_any(int cell) {
    for (int i = 0; i < 4; i++) if (on[cell + EDGE[i]] || on[cell + CORNER[i]]) return 1;
    return 0;
}

static int fits(void) {
    int r0, r1, c0, c1;
    span(&r0, &r1, &c0, &c1);
    return r1 - r0 < 4 && c1 - c0 < 4;
}

static int nobody_alone(void) {
    for (int d = 0; d < 12; d++) if (at[d] != HAND && !near_any(at[d])) return 0;
    return 1;
}

static int surrounded(int boss) {
    int r0, r1, c0, c1, r = at[boss] / WIDE, c = at[boss] % WIDE;
    span(&r0, &r1, &c0, &c1);
    int tall = r1 - r0 == 3, wide = c1 - c0 == 3;
    return (on[at[boss] - WIDE] || (tall && r == r0)) && (on[at[boss] + WIDE] || (tall && r == r1)) &&
           (on[at[boss] - 1] || (wide && c == c0)) && (on[at[boss] + 1] || (wide && c == c1));
}

/* The position wherever it lies and however it is turned. */
static uint64_t form(int turns) {
    int r0, r1, c0, c1;
    span(&r0, &r1, &c0, &c1);
    uint64_t least = ~0ull;
    for (int t = 0; t < turns; t++) {
        uint64_t code = 0;
        for (int d = 0; d < 12; d++) {
            int cell = 16;
            if (at[d] != HAND) {
                int r = at[d] / WIDE, c = at[d] % WIDE;
                r = t & 1 ? r1 - r : r - r0;
                c = t & 2 ? c1 - c : c - c0;
                cell = t & 4 ? c * 4 + r : r * 4 + c;
            }
            code = code * 17 + cell;
        }
        if (code < least) least = code;
    }
    return least;
}

static void put(Action a) {
    if (a.from != HAND) on[a.from] = 0;
    if (a.to != HAND) on[a.to] = 1;
    at[a.dove] = a.to;
}

static void undo(Action a) {
    if (a.to != HAND) on[a.to] = 0;
    if (a.from != HAND) on[a.from] = 1;
    at[a.dove] = a.from;
}

static int only_bosses_side_by_side(void) {
    for (int d = 0; d < 12; d++) if (d % 6 && at[d] != HAND) return 0;
    for (int i = 0; i < 4; i++) if (at[0] + EDGE[i] == at[6]) return 1;
    return 0;
}

/* An action that keeps the rules, by trying it. */
static int legal(Action a, int side) {
    put(a);
    int fine = fits() && nobody_alone() && !only_bosses_side_by_side();
    if (fine && remembers) {
        uint64_t now = form(8);
        for (int i = 0; i < faces[1 - side]; i++) if (faced[1 - side][i] == now) fine = 0;
    }
    undo(a);
    return fine;
}

static int actions(int side, Action *out) {
    int n = 0;
    for (int d = side * 6; d < side * 6 + 6; d++) {
        if (at[d] == HAND) {
            for (int o = side * 6; o < side * 6 + 6; o++) {
                if (at[o] == HAND) continue;
                for (int i = 0; i < 8; i++) {
                    int to = at[o] + (i < 4 ? EDGE[i] : CORNER[i - 4]), known = on[to];
                    for (int e = 0; e < 4; e++) known |= to + EDGE[e] == at[6 - side * 6];
                    for (int k = n - 1; k >= 0 && out[k].dove == d; k--) known |= out[k].to == to;
                    Action a = {d, HAND, to};
                    if (!known && legal(a, side)) out[n++] = a;
                }
            }
            continue;
        }
        int kind = d % 6, from = at[d];
        Action back = {d, from, HAND};
        if (kind && legal(back, side)) out[n++] = back;
        for (int i = 0; i < 8; i++) {
            int step = i < 4 ? EDGE[i] : CORNER[i - 4];
            if (kind == 5) step = LEAP[i];
            if ((kind == 2 || kind == 4) && i >= 4) continue;
            if (kind == 3 && i < 4) continue;
            for (int far = 1; far <= (kind == 4 ? 6 : 1); far++) {
                Action a = {d, from, from + step * far};
                if (on[a.to]) break;
                if (legal(a, side)) out[n++] = a;
            }
        }
    }
    return n;
}

enum { GOES_ON, WON, LOST };

static int after(Action a, int side) {
    put(a);
    int own = surrounded(side * 6), other = surrounded(6 - side * 6);
    undo(a);
    return own ? LOST : other ? WON : GOES_ON;
}

#define SLOTS (1 << 22)
static struct { uint64_t key; int8_t side, most, answer; } known[SLOTS];

static int loses(int side, int most);

static int wins(int side, int most) {
    Action out[400];
    uint64_t key = 0;
    uint32_t slot = 0;
    if (!remembers) {
        key = form(8);
        slot = (uint32_t)((key * 0x9E3779B97F4A7C15ull + (uint64_t)(side * 16 + most) * 0xD1B54A32D192ED03ull) >> 42);
        if (known[slot].key == key + 1 && known[slot].side == side && known[slot].most == most)
            return known[slot].answer;
    }
    int n = actions(side, out), answer = 0;
    for (int i = 0; i < n && !answer; i++) answer = after(out[i], side) == WON;
    for (int i = 0; i < n && !answer && most > 1; i++) {
        if (after(out[i], side) != GOES_ON) continue;
        put(out[i]);
        answer = loses(1 - side, most);
        undo(out[i]);
    }
    if (!remembers) {
        known[slot].key = key + 1;
        known[slot].side = (int8_t)side;
        known[slot].most = (int8_t)most;
        known[slot].answer = (int8_t)answer;
    }
    return answer;
}

/* Whatever this side does, the other wins with the actions that it has left after one. */
static int loses(int side, int most) {
    Action out[400];
    if (remembers) faced[side][faces[side]++] = form(8);
    int n = actions(side, out), answer = 1;
    /* A reply that even leaves time is the quickest refutation. */
    for (int deep = 1; deep < most && answer; deep += most - 1 > deep ? most - 1 - deep : 1)
        for (int i = 0; i < n && answer; i++) {
            int then = after(out[i], side);
            if (then == LOST) continue;
            if (then == WON) { answer = 0; break; }
            if (deep < most - 1) continue;
            put(out[i]);
            if (remembers) faced[1 - side][faces[1 - side]++] = form(8);
            answer = wins(1 - side, most - 1);
            if (remembers) faces[1 - side]--;
            undo(out[i]);
        }
    if (remembers) faces[side]--;
    return answer;
}

/* As records note it: seen from the red boss, rows before columns. */
static void say(Action a) {
    if (a.to == HAND) { printf("-%c\n", NAMES[a.dove]); return; }
    int down = a.to / WIDE - at[0] / WIDE, right = a.to % WIDE - at[0] % WIDE;
    printf("%s%c", a.from == HAND ? "+" : "", NAMES[a.dove]);
    if (down) printf("%c%d", down < 0 ? 'N' : 'S', abs(down));
    if (right) printf("%c%d", right < 0 ? 'W' : 'E', abs(right));
    printf("\n");
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    for (int d = 0; d < 12; d++) at[d] = HAND;
    int r = 30, c = 30;
    for (char *p = argv[1]; *p; p++) {
        if (*p == '/') { r++; c = 30; continue; }
        char *who = strchr(NAMES, *p);
        if (who) { at[who - NAMES] = r * WIDE + c; on[r * WIDE + c] = 1; }
        c++;
    }
    int side = atoi(argv[2]), most = atoi(argv[3]);
    remembers = strcmp(argv[4], "strong") == 0;
    if (remembers) faced[side][faces[side]++] = form(8);
    Action out[400];
    int n = actions(side, out);
    for (int i = 0; i < n; i++) {
        int then = after(out[i], side), won = then == WON;
        if (then == GOES_ON && most > 1) {
            put(out[i]);
            won = loses(1 - side, most);
            undo(out[i]);
        }
        if (!won) continue;
        say(out[i]);
    }
    return 0;
}
