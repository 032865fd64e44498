/* Evening with turns: which groups that have room can an equal group enclose?
 *
 *     cc -O2 -o enclosure tests/support/evening_enclosure.c
 *     ./enclosure 3 even          all positions of side 3
 *     ./enclosure 4 even 24 500   on side 4 all that can follow 500 random games of 24 stones
 *
 * Cells are numbered row by row as in lumiban. A group has room while an empty cell lies beside it.
 * An enemy group of its size encloses it if each of those cells lies beside that group too and the
 * owner may place on none of them.
 *
 * Printed by size: how many groups that have room are enclosed so; of those with an equal enemy
 * group, how many still can be when both help, and how many when the encloser must force it; then
 * the shortest game to the largest enclosed group, and one to a group with an equal enemy that
 * nothing can enclose any more, though the game may go on for as long as it does nowhere else.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t set;
enum { MOST = 64, SLOTS = 1 << 22 };

struct position {
    set white, black;
    set helped, forced; /* stones whose group can be enclosed */
    int left;           /* the most plies that follow */
};
struct view {           /* a position's groups, and where each side may place */
    set group[2][MOST], open[2], empty;
    int count[2], mover;
};

static int cells, by_parity;
static set beside[MOST], board;
static struct position *table;
static long known, enclosed[MOST], faced[MOST], helped[MOST], forced[MOST];
static int game[MOST], largest[MOST], largest_plies, largest_size, free_[MOST], free_plies, free_left;

static int size(set s) { return __builtin_popcountll(s); }
static int first(set s) { return __builtin_ctzll(s); }

static set around(set s)
{
    set all = 0;
    for (set left = s; left; left &= left - 1) all |= beside[first(left)];
    return all & ~s;
}

static int groups_of(set stones, set *groups) /* largest first */
{
    int count = 0;
    while (stones) {
        set group = stones & -stones, more;
        while ((more = around(group) & stones)) group |= more;
        stones &= ~group;
        int at = count++;
        for (; at && size(groups[at - 1]) < size(group); at--) groups[at] = groups[at - 1];
        groups[at] = group;
    }
    return count;
}

static int sum_at(int cell, const set *groups, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        if (groups[i] & beside[cell]) sum += size(groups[i]);
    return sum;
}

static void see(set white, set black, struct view *v)
{
    v->count[0] = groups_of(white, v->group[0]);
    v->count[1] = groups_of(black, v->group[1]);
    int ahead = by_parity && size(white) % 2 ? 0 : 1; /* where the cascade is tied */
    for (int i = 0; i < v->count[0] || i < v->count[1]; i++) {
        int w = i < v->count[0] ? size(v->group[0][i]) : 0;
        int b = i < v->count[1] ? size(v->group[1][i]) : 0;
        if (w != b) { ahead = w < b; break; }
    }
    v->mover = !ahead;
    v->empty = board & ~(white | black);
    v->open[0] = v->open[1] = 0;
    for (set left = v->empty; left; left &= left - 1) {
        int w = sum_at(first(left), v->group[0], v->count[0]);
        int b = sum_at(first(left), v->group[1], v->count[1]);
        if (w != b) v->open[w > b] |= left & -left;
    }
}

static int is_enclosed(const struct view *v, int side, set group)
{
    set room = around(group) & v->empty;
    for (int j = 0; room && !(room & v->open[side]) && j < v->count[!side]; j++)
        if (size(v->group[!side][j]) == size(group) && !(room & ~around(v->group[!side][j]))) return 1;
    return 0;
}

static int has_equal(const struct view *v, int side, set group)
{
    for (int j = 0; j < v->count[!side]; j++)
        if (size(v->group[!side][j]) == size(group)) return (around(group) & v->empty) != 0;
    return 0;
}

static struct position *look(set white, set black, int plies)
{
    struct position *here = &table[((white * 0x9E3779B97F4A7C15u ^ black * 0xC2B2AE3D27D4EB4Fu) >> 20) % SLOTS];
    while (here->white && (here->white != white || here->black != black))
        if (++here == table + SLOTS) here = table;
    if (here->white) return here;
    if (++known > SLOTS / 4 * 3) { fputs("too many positions\n", stderr); exit(1); }
    here->white = white, here->black = black;

    struct view v;
    see(white, black, &v);
    set now = 0, any = 0, all = 0;
    int left = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < v.count[side]; i++) {
            set group = v.group[side][i];
            if (!is_enclosed(&v, side, group)) continue;
            now |= group;
            enclosed[size(group)]++;
            if (size(group) > largest_size || (size(group) == largest_size && plies < largest_plies)) {
                largest_size = size(group), largest_plies = plies;
                memcpy(largest, game, sizeof game);
            }
        }
    for (set open = v.open[v.mover]; open; open &= open - 1) {
        set stone = open & -open;
        game[plies] = v.mover ? -1 - first(open) : first(open);
        struct position *next = v.mover ? look(white, black | stone, plies + 1) : look(white | stone, black, plies + 1);
        if (!left) all = ~(set)0;
        if (next->left + 1 > left) left = next->left + 1;
        any |= next->helped;
        all &= next->forced;
        now |= next->forced & (v.mover ? white : black); /* who encloses them chooses */
    }
    here->left = left;
    here->helped = (any | now) & (white | black);
    here->forced = (now | all) & (white | black);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < v.count[side]; i++) {
            set group = v.group[side][i];
            if (!has_equal(&v, side, group)) continue;
            faced[size(group)]++;
            helped[size(group)] += !!(here->helped & group);
            forced[size(group)] += !!(here->forced & group);
            if (!(here->helped & group)
                && (left > free_left || (left == free_left && plies < free_plies))) {
                free_plies = plies, free_left = left;
                memcpy(free_, game, sizeof game);
            }
        }
    return here;
}

static void print_game(const int *moves, int plies, int side)
{
    for (int ply = 0; ply < plies; ply++) {
        int cell = moves[ply] < 0 ? -1 - moves[ply] : moves[ply], row = 0, width = side;
        while (cell >= width) cell -= width, width += ++row < side ? 1 : -1;
        printf("%s%c%c%d", ply ? ", " : " ", moves[ply] < 0 ? 'b' : 'w', 'a' + row, cell + 1);
    }
    puts("");
}

int main(int argc, char **argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 3, q[MOST], r[MOST];
    by_parity = argc > 2 && !strcmp(argv[2], "odd-even");
    int stones = argc > 3 ? atoi(argv[3]) : 1, openings = argc > 4 ? atoi(argv[4]) : 0;
    for (int row = 1 - side; row < side; row++)
        for (int along = 1 - side; along < side; along++)
            if (abs(row + along) < side) q[cells] = row, r[cells++] = along;
    for (int a = 0; a < cells; a++)
        for (int b = 0; b < cells; b++) {
            int dq = q[a] - q[b], dr = r[a] - r[b];
            if (a != b && abs(dq) < 2 && abs(dr) < 2 && abs(dq + dr) < 2) beside[a] |= (set)1 << b;
        }
    board = ((set)1 << cells) - 1;
    table = calloc(SLOTS, sizeof *table);
    for (int cell = 0; !openings && cell < cells; cell++) game[0] = cell, look((set)1 << cell, 0, 1);
    srand(1);
    for (int number = 0; number < openings; number++) {
        game[0] = rand() % cells;
        set white = (set)1 << game[0], black = 0;
        int plies = 1;
        for (struct view v; see(white, black, &v), v.open[v.mover] && plies < stones; plies++) {
            set open = v.open[v.mover];
            for (int skip = rand() % size(open); skip; skip--) open &= open - 1;
            game[plies] = v.mover ? -1 - first(open) : first(open);
            *(v.mover ? &black : &white) |= open & -open;
        }
        if (plies == stones) look(white, black, plies);
    }
    printf("side %d, %s: %ld positions\n", side, by_parity ? "odd-even" : "even", known);
    puts("size  enclosed  with an equal one  can be, both helping  can be forced");
    for (int n = 1; n < MOST; n++)
        if (faced[n]) printf("%4d %9ld %18ld %21ld %14ld\n", n, enclosed[n], faced[n], helped[n], forced[n]);
    printf("enclosed, of size %d:", largest_size), print_game(largest, largest_plies, side);
    printf("never enclosed, in up to %d plies more:", free_left), print_game(free_, free_plies, side);
    return 0;
}
