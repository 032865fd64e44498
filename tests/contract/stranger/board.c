/* A stranger's board: written from docs/wire.md alone, in another language than everything else here.
 *
 *   board PORT      a board of nine cells at a socket of 127.0.0.1, until it is ended
 *
 * It has no sensors, so it plays by injected readings (CAN_INJECT); it tells what it is (CAN_IDENTIFY)
 * and has neither FIELD nor files: FILE_READ is answered with size 0.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

enum { CELLS = 9, LIGHTS = 9, REST = 2048, RING = 256, WAITING = 32, SETTLE = 30000, FIRMWARE = 0x43000001 };
enum { EMPTY, WHITE, BLACK, NEUTRAL, UNKNOWN, STACKED, FOREIGN, MASKED };
enum { SHORT = 1, UNKNOWN_TYPE, BUSY, FULL, VALUE, BAD_FILE };
enum { CAN_ORDER = 1, CAN_INJECT = 2, INJECTING = 8, CAN_IDENTIFY = 512 };

static u64 zero_us;
static int line = -1;
static u64 real(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000u + (u64)t.tv_nsec / 1000u;
}
static u64 now(void) { return real() - zero_us; }
static u16 get16(const u8 *p) { return (u16)(p[0] | p[1] << 8); }
static u32 get32(const u8 *p) { return (u32)get16(p) | (u32)get16(p + 2) << 16; }
static u8 *put(u8 *p, u64 v, int bytes) { while (bytes--) { *p++ = (u8)v; v >>= 8; } return p; }

/* ---- what the board holds ---- */

typedef struct { u16 reading; u8 kind, is_masked, is_moving; u64 began, changed; } Cell;
typedef struct { u64 t; u8 cell, kind; u32 unsure; } Event;
typedef struct { u64 at; u16 step; u8 first, count, done; u16 reading[22]; } Injected;

static Cell cell[CELLS];
static u16 reference = REST;
static int reference_is_bad;
static Event ring[RING], held[64];
static u32 next_event, acked;
static int held_count, overflowed;
static Injected waiting[WAITING];
static int waiting_count, injecting;
static u8 belief[CELLS];
static u32 boot_id, session;
static int in_session, expected, owes_ack, host_is_lost, crc_errors;
static u64 heard_at, beat_at, state_at, stats_at, resend_at, resend_after, introduced_at;

static void power_on(void) {
    zero_us = real() - 1000;
    memset(cell, 0, sizeof cell);
    for (int i = 0; i < CELLS; i++) cell[i].reading = REST;
    memset(belief, 0, sizeof belief);
    reference = REST;
    next_event = acked = 0;
    held_count = waiting_count = injecting = overflowed = in_session = expected = owes_ack = reference_is_bad = 0;
    introduced_at = 0;
    boot_id = (u32)rand() ^ (u32)real();
    boot_id = boot_id ? boot_id : 1;
}

/* ---- frames ---- */

static u16 crc16(const u8 *p, int n) {
    u16 crc = 0xFFFF;
    while (n--) {
        crc ^= (u16)(*p++ << 8);
        for (int i = 0; i < 8; i++) crc = (u16)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

static void send_frame(u8 type, u8 flags, const u8 *payload, int n) {
    u8 raw[70] = {type, (u8)(flags | 0x10), 0, (u8)expected}, out[80];
    memcpy(raw + 4, payload, (size_t)n);
    put(raw + 4 + n, crc16(raw, 4 + n), 2);
    int from = 0, at = 1;
    for (int i = 0; i < n + 6; i++)
        if (raw[i]) out[at++] = raw[i];
        else { out[from] = (u8)(at - from); from = at++; }
    out[from] = (u8)(at - from);
    out[at++] = 0;
    if (line >= 0 && write(line, out, (size_t)at) < 0) return;
    owes_ack = 0;
}

static void nak(u8 type, u8 seq, u8 why) { u8 p[3] = {type, seq, why}; send_frame(0x85, 0, p, 3); }

static void hello(u32 echoed) {
    u8 p[64], *q = p;
    u16 can = (u16)(CAN_ORDER | CAN_INJECT | CAN_IDENTIFY | (injecting ? INJECTING : 0));
    q = put(q, 1, 1); q = put(q, 4, 1);
    memcpy(q, "stranger", 8); q += 8;
    q = put(q, 1, 1); q = put(q, CELLS, 1); q = put(q, LIGHTS, 1); q = put(q, FIRMWARE, 4);
    memcpy(q, "C-board1", 8); q += 8;
    q = put(q, boot_id, 4); q = put(q, echoed, 4); q = put(q, now(), 8); q = put(q, 1000, 2);
    q = put(q, can, 2); q = put(q, 1, 1);
    send_frame(0x81, 0, p, (int)(q - p));
}

static u64 watermark(void) {
    u64 mark = now();
    for (int i = 0; i < CELLS; i++)
        if (cell[i].is_moving && cell[i].began < mark && now() - cell[i].began <= 400000) mark = cell[i].began;
    return mark;
}

static void state(void) {
    u8 p[64], *q = p, flags = (u8)(overflowed | (injecting ? 4 : 0));
    for (int i = 0; i < CELLS; i++) flags |= (u8)(cell[i].is_moving ? 2 : 0);
    u64 mark = watermark();
    q = put(q, now(), 4); q = put(q, next_event, 4); q = put(q, mark, 4);
    q = put(q, flags, 1); q = put(q, 0, 1); q = put(q, 1, 1);
    for (int i = 0; i < CELLS; i += 2) q = put(q, belief[i] | (i + 1 < CELLS ? belief[i + 1] << 4 : 0), 1);
    send_frame(0x91, 0, p, (int)(q - p));
    state_at = now() + 500000;
}

static void tell_events(void) {
    u32 first = acked;
    while (first < next_event) {
        u64 base = ring[first % RING].t;
        u8 p[64], *q = p;
        q = put(q, first, 4); q = put(q, base, 4); q = put(q, watermark(), 4);
        for (int n = 0; n < 8 && first < next_event; n++, first++) {
            Event *e = &ring[first % RING];
            if (e->t - base > 650000) break;
            q = put(q, e->cell, 1); q = put(q, e->kind, 1); q = put(q, (e->t - base + 5) / 10, 2);
            q = put(q, (e->unsure + 49) / 50, 1);
        }
        send_frame(0x90, 0, p, (int)(q - p));
    }
    resend_at = now() + resend_after;
    resend_after = resend_after * 2 > 500000 ? 500000 : resend_after * 2;
}

/* ---- sensing ---- */

static void hold(u64 t, int at, int kind, u32 unsure) {
    if (held_count == 64) return;
    int i = held_count++;
    while (i && held[i - 1].t > t) { held[i] = held[i - 1]; i--; }
    held[i] = (Event){t, (u8)at, (u8)kind, unsure};
}

static int kind_of(int counts) {
    int size = abs(counts);
    return size > 1300 ? FOREIGN : size > 300 ? (counts > 0 ? WHITE : BLACK) : size > 60 ? NEUTRAL : EMPTY;
}

static void set_reading(int at, u16 value, u64 t) {
    Cell *c = &cell[at];
    if (value == c->reading) return;
    if (!c->is_moving) c->began = t;
    c->is_moving = 1;
    c->changed = t;
    c->reading = value;
}

static void sense(void) {
    u64 t = now();
    for (int w = 0; w < waiting_count; w++) {
        Injected *one = &waiting[w];
        while (one->done < one->count && t >= one->at + (u64)one->step * one->done) {
            u64 due = one->at + (u64)one->step * one->done;
            for (int k = one->done, most = one->step ? k + 1 : one->count; k < most; k++, one->done++) {
                int place = one->step ? one->first : one->first + k;
                if (place >= 240) reference = one->reading[k];
                else set_reading(place, one->reading[k], due);
            }
        }
        if (one->done == one->count) { waiting[w] = waiting[--waiting_count]; w--; }
    }
    int bad = abs(reference - REST) > 150;
    if (bad != reference_is_bad) {
        u8 p[2] = {(u8)(bad ? 1 : 0x81), 0};
        reference_is_bad = bad;
        if (in_session) send_frame(0x94, 0, p, 2);
    }
    for (int i = 0; i < CELLS && !bad; i++) {
        Cell *c = &cell[i];
        if (!c->is_moving || t - c->changed < SETTLE) continue;
        int kind = kind_of(c->reading - reference), is_set = kind != EMPTY;
        c->is_moving = 0;
        if (kind != c->kind && !c->is_masked) hold(is_set ? c->changed : c->began, i, kind, 2000);
        c->kind = (u8)kind;
    }
    u64 mark = watermark();
    int left = 0;
    while (left < held_count && held[left].t < mark) {
        Event *e = &held[left++];
        if (next_event - acked == RING) { acked++; overflowed = 1; }
        ring[next_event++ % RING] = *e;
        belief[e->cell] = e->kind;
    }
    if (left) {
        memmove(held, held + left, sizeof held[0] * (size_t)(held_count -= left));
        resend_after = 50000;
        resend_at = 0;
    }
}

/* ---- what a host asks ---- */

static int cfg(const u8 *p) {
    u32 key = p[0], value = get32(p + 1);
    if (key == 2) {
        injecting = value != 0;
        waiting_count = 0;
        reference = REST;
        for (int i = 0; i < CELLS; i++) set_reading(i, REST, now());
    } else if (key == 3 || key == 4) {
        if (value >= CELLS) return VALUE;
        cell[value].is_masked = key == 3;
        hold(now(), (int)value, key == 3 ? MASKED : cell[value].kind, 1000);
    }
    return 0;
}

static int inject(const u8 *p, int n) {
    Injected one = {0};
    if (!injecting) return BUSY;
    if (waiting_count == WAITING) return FULL;
    one.at = get32(p); one.step = get16(p + 4); one.first = p[6]; one.count = (u8)((n - 7) / 2);
    int last = one.first + (one.step ? 0 : one.count - 1);
    if (!one.count || one.count > 22 || (one.first >= 240 ? last > 240 : last >= CELLS)) return VALUE;
    for (int i = 0; i < one.count; i++) if ((one.reading[i] = get16(p + 7 + 2 * i)) > 4095) return VALUE;
    u64 t = now();
    one.at = one.at ? t + (u64)(int64_t)(int32_t)((u32)one.at - (u32)t) : t;
    waiting[waiting_count++] = one;
    return 0;
}

static void identify(int first) {
    u8 p[64], *q = p;
    if (first == 255) {
        q = put(q, 2, 1); q = put(q, 40000, 2); q = put(q, CELLS, 1); q = put(q, LIGHTS, 1);
        q = put(q, CAN_ORDER | CAN_INJECT | CAN_IDENTIFY | (injecting ? INJECTING : 0), 4);
        memset(q, 0, 16); memcpy(q, "stranger9", 9); q += 16;
        memcpy(q, "a process in C", 14); q += 14;
        send_frame(0x95, 0, p, (int)(q - p));
        return;
    }
    q = put(q, (u64)first, 1);
    for (int i = first; i < first + 4 && i < CELLS; i++) {
        int column = i % 3, row = i / 3;
        q = put(q, (u64)column, 1); q = put(q, (u64)row, 1); q = put(q, (u64)i, 1);
        q = put(q, (u64)((column - 1) * 2000), 2); q = put(q, (u64)((row - 1) * 2000), 2);
        u8 name[4] = {(u8)('a' + column), (u8)('3' - row), 0, 0};
        memcpy(q, name, 4); q += 4;
    }
    send_frame(0x96, 0, p, (int)(q - p));
}

static void reliable(u8 type, u8 seq, const u8 *p, int n) {
    static const u8 least[][2] = {{0x10, 2}, {0x11, 1}, {0x13, 4}, {0x20, 5}, {0x23, 7}, {0x3F, 5}};
    int why = 0, known = 0;
    for (unsigned i = 0; i < sizeof least / 2; i++)
        if (least[i][0] == type) { known = 1; if (n < least[i][1]) why = SHORT; }
    if (!known) why = type >= 0x30 && type <= 0x32 ? 7 : UNKNOWN_TYPE;
    if (!why && type == 0x20) why = cfg(p);
    if (!why && type == 0x23) why = inject(p, n);
    if (!why && type == 0x3F && get32(p) == 0x544F4F42) {
        if (p[4] > 4) why = VALUE;
        else if (p[4] == 1) why = BAD_FILE;
        else { send_frame(0x84, 0, p, 0); power_on(); return; }
    }
    if (why) nak(type, seq, (u8)why);
}

static void greeted(u8 major, const u8 *p, int n) {
    u8 fault[2] = {3, 1};
    if (n < 6) return;
    u32 asked = get32(p + 2);
    if (major != 1) { send_frame(0x94, 0, fault, 2); hello(asked); return; }
    if (!in_session || asked != session) {
        session = asked;
        in_session = 1;
        expected = 0;
        resend_after = 50000;
        resend_at = 0;
        beat_at = state_at = now();
        stats_at = now() + 5000000;
    }
    hello(asked);
}

static void frame(const u8 *raw, int n) {
    u8 type = raw[0], major = raw[1] >> 4, seq = raw[2];
    const u8 *p = raw + 4;
    n -= 6;
    if (type == 1) { greeted(major, p, n); heard_at = now(); host_is_lost = 0; return; }
    if (major != 1) return;
    if (!in_session) {
        if (now() - introduced_at >= 500000 || !introduced_at) { introduced_at = now(); hello(0); }
        return;
    }
    heard_at = now();
    host_is_lost = 0;
    if (raw[1] & 1) {
        if (seq == expected) { expected = (expected + 1) & 255; owes_ack = 1; reliable(type, seq, p, n); }
        else owes_ack = 1;
    } else if (type == 2 && n >= 4) {
        u8 out[14], *q = put(put(put(out, get32(p), 4), now(), 8), 20, 2);
        send_frame(0x82, 0, out, (int)(q - out));
    } else if (type == 4 && n >= 4) {
        u32 below = get32(p);
        if (below > acked && below <= next_event) { acked = below; resend_after = 50000; resend_at = now() + 50000; overflowed = 0; }
    } else if (type == 0x21) state();
    else if (type == 0x24 && n >= 1) identify(p[0]);
    else if (type == 0x33 && n >= 5) { u8 out[5] = {p[0]}; send_frame(0xA1, 0, out, 5); }
}

static void receive(const u8 *data, int n) {
    static u8 held_bytes[64];
    static int count;
    for (int i = 0; i < n; i++) {
        if (data[i]) { if (count < 64) held_bytes[count] = data[i]; count++; continue; }
        u8 raw[64];
        int size = 0, at = 0, whole = count > 0 && count <= 62;
        while (whole && at < count) {
            int code = held_bytes[at++];
            for (int k = 1; k < code && whole; k++) { whole = at < count; if (whole) raw[size++] = held_bytes[at++]; }
            if (whole && at < count) raw[size++] = 0;
        }
        if (whole && size >= 6 && size <= 61 && crc16(raw, size - 2) == get16(raw + size - 2)) frame(raw, size);
        else if (count) crc_errors++;
        count = 0;
    }
}

static void tick(void) {
    u64 t = now();
    sense();
    if (in_session && t - heard_at > 1500000) host_is_lost = 1;
    if (!in_session || host_is_lost) return;
    if (next_event != acked && t >= resend_at) tell_events();
    if (t >= state_at) state();
    if (t >= beat_at) {
        u8 p[8];
        u64 mark = watermark();
        put(put(p, now(), 4), mark, 4);
        send_frame(0x83, 0, p, 8);
        beat_at = t + 500000;
    }
    if (t >= stats_at) {
        u8 p[35] = {0};
        put(p + 4, (u64)crc_errors, 2);
        put(p + 14, 100, 2); p[28] = 255; put(p + 29, 1000, 2);
        send_frame(0x93, 0, p, 35);
        stats_at = t + 5000000;
    }
    if (owes_ack) send_frame(0x84, 0, (const u8 *)"", 0);
}

int main(int count, char **words) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int door = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    here.sin_port = htons((u16)(count > 1 ? atoi(words[1]) : 0));
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(door, (struct sockaddr *)&here, sizeof here) || listen(door, 4)) { perror("board"); return 1; }
    socklen_t size = sizeof here;
    getsockname(door, (struct sockaddr *)&here, &size);
    printf("%d\n", ntohs(here.sin_port));
    fflush(stdout);
    srand((unsigned)time(NULL));
    power_on();
    for (;;) {
        struct pollfd fds[2] = {{door, POLLIN, 0}, {line, POLLIN, 0}};
        u8 data[512];
        poll(fds, line >= 0 ? 2 : 1, 1);
        if (fds[0].revents & POLLIN) { if (line >= 0) close(line); line = accept(door, NULL, NULL); }
        else if (line >= 0 && fds[1].revents) {
            ssize_t n = read(line, data, sizeof data);
            if (n <= 0) { close(line); line = -1; }
            else receive(data, (int)n);
        }
        tick();
    }
}
