/* A stranger's host: written from docs/wire.md alone, in another language than everything else here.
 *
 *   host LINE [CLAIM ...]      all claims, or these, about the board at LINE:
 *                              a serial port, HOST:PORT, or - (below)
 *
 * Each claim is told as a line, "ok NAME" or "broken NAME: why"; the exit code is how many broke.
 *
 * Over "-" somebody else keeps the time and moves the pieces, by stdin and stdout: requests are a
 * letter, u16 length and so many bytes; answers u64 time in us, u16 length and so many bytes.
 *   W bytes to the board   R u64 until: what the board sent   H u8 cell u8 kind: set a piece, 0 lifts
 *   L u8 light: its r g b as it shines
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

enum { HELLO = 1, CLOCK = 2, BEAT = 3, ACK = 4, LAYER = 0x10, PALETTE = 0x11, MASK = 0x12,
       COMMIT = 0x13, CFG = 0x20, GET_STATE = 0x21, GET_FIELD = 0x22, INJECT = 0x23,
       IDENTIFY = 0x24, FILE_READ = 0x33, BOOT = 0x3F };
enum { B_HELLO = 0x81, B_CLOCK = 0x82, B_BEAT = 0x83, B_NAK = 0x85, B_EVENTS = 0x90,
       B_STATE = 0x91, B_FIELD = 0x92, B_FAULT = 0x94, B_IDENTITY = 0x95, B_CELLS = 0x96,
       B_FILE_PART = 0xA1 };
#define MS 1000u
#define FRAMES 65536

/* ---- little-endian numbers ---- */

static u16 get16(const u8 *p) { return (u16)(p[0] | p[1] << 8); }
static u32 get32(const u8 *p) { return (u32)get16(p) | (u32)get16(p + 2) << 16; }
static u64 get64(const u8 *p) { return (u64)get32(p) | (u64)get32(p + 4) << 32; }
static void put16(u8 *p, u16 v) { p[0] = (u8)v; p[1] = (u8)(v >> 8); }
static void put32(u8 *p, u32 v) { put16(p, (u16)v); put16(p + 2, (u16)(v >> 16)); }
static void put64(u8 *p, u64 v) { put32(p, (u32)v); put32(p + 4, (u32)(v >> 32)); }

/* ---- the line, and time ---- */

static int line_fd = -1; /* -1: over stdin and stdout */
static u64 time_us;

static void die(const char *what) { fprintf(stderr, "host: %s\n", what); exit(99); }

static void all_read(int fd, u8 *to, size_t n) {
    while (n) {
        ssize_t got = read(fd, to, n);
        if (got <= 0) die("the line has ended");
        to += got;
        n -= (size_t)got;
    }
}

static void all_write(int fd, const u8 *from, size_t n) {
    while (n) {
        ssize_t put = write(fd, from, n);
        if (put < 0 && errno == EAGAIN) { struct pollfd p = {fd, POLLOUT, 0}; poll(&p, 1, 1000); continue; }
        if (put <= 0) die("the line has ended");
        from += put;
        n -= (size_t)put;
    }
}

static size_t request(char letter, const u8 *body, u16 size, u8 *answer) {
    u8 head[10] = {(u8)letter};
    put16(head + 1, size);
    all_write(1, head, 3);
    all_write(1, body, size);
    all_read(0, head, 10);
    time_us = get64(head);
    size_t n = get16(head + 8);
    all_read(0, answer, n);
    return n;
}

static u64 now(void) {
    if (line_fd < 0) return time_us;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000u + (u64)t.tv_nsec / 1000u;
}

static void line_write(const u8 *data, size_t n) {
    static u8 none[65536];
    if (line_fd < 0) request('W', data, (u16)n, none);
    else all_write(line_fd, data, n);
}

static size_t line_read(u64 until, u8 *to, size_t most) {
    if (line_fd < 0) {
        u8 body[8];
        put64(body, until);
        return request('R', body, 8, to);
    }
    u64 present = now();
    struct pollfd p = {line_fd, POLLIN, 0};
    int wait = until > present ? (int)((until - present) / 1000u + 1) : 0;
    if (poll(&p, 1, wait) <= 0) return 0;
    ssize_t got = read(line_fd, to, most);
    if (got < 0 && errno == EAGAIN) return 0;
    if (got <= 0) die("the line has ended");
    return (size_t)got;
}

static void open_line(const char *name) {
    const char *colon = strrchr(name, ':');
    if (strcmp(name, "-") == 0) return;
    if (colon && name[0] != '/') {
        char host[256];
        struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
        snprintf(host, sizeof host, "%.*s", (int)(colon - name), name);
        if (getaddrinfo(host, colon + 1, &hints, &found)) die("no such host");
        line_fd = socket(found->ai_family, found->ai_socktype, 0);
        if (connect(line_fd, found->ai_addr, found->ai_addrlen)) die("nobody answers there");
        freeaddrinfo(found);
    } else {
        struct termios t;
        line_fd = open(name, O_RDWR | O_NOCTTY);
        if (line_fd < 0 || tcgetattr(line_fd, &t)) die("no such port");
        t.c_iflag = t.c_oflag = t.c_lflag = 0;
        t.c_cflag = CS8 | CREAD | CLOCAL; /* 8 data bits, no parity, 1 stop bit, no flow control */
        cfsetispeed(&t, B115200);
        cfsetospeed(&t, B115200);
        tcsetattr(line_fd, TCSANOW, &t);
    }
    fcntl(line_fd, F_SETFL, O_NONBLOCK);
}

/* ---- frames ---- */

typedef struct { u64 at; u8 type, flags, seq, ack, size, data[64]; } Frame;
static Frame heard[FRAMES];
static int count;
static int damaged;
static u8 next_seq;
static u64 beat_at;
static int beating = 1;

static u16 crc16(const u8 *data, size_t n) {
    u16 crc = 0xFFFF;
    while (n--) {
        crc ^= (u16)(*data++ << 8);
        for (int bit = 0; bit < 8; bit++) crc = (u16)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

/* Every zero becomes the distance to the next one; the first byte is the distance to the first. */
static size_t stuff(const u8 *in, size_t n, u8 *out) {
    size_t code = 0, at = 1;
    for (size_t i = 0; i < n; i++) {
        if (in[i]) { out[at++] = in[i]; continue; }
        out[code] = (u8)(at - code);
        code = at++;
    }
    out[code] = (u8)(at - code);
    return at;
}

static int unstuff(const u8 *in, size_t n, u8 *out) {
    size_t i = 0;
    int at = 0;
    while (i < n) {
        size_t code = in[i++];
        if (code == 0 || i + code - 1 > n) return -1;
        for (size_t k = 1; k < code; k++) out[at++] = in[i++];
        if (i < n) out[at++] = 0;
    }
    return at;
}

static size_t framed(u8 type, u8 flags, u8 seq, u8 ack, const u8 *data, size_t n, u8 *out) {
    u8 body[64] = {type, flags, seq, ack};
    if (n) memcpy(body + 4, data, n);
    put16(body + 4 + n, crc16(body, 4 + n));
    size_t size = stuff(body, 6 + n, out);
    out[size++] = 0;
    return size;
}

static void say_as(u8 type, u8 flags, u8 seq, const u8 *data, size_t n) {
    u8 out[80];
    line_write(out, framed(type, flags, seq, 0, data, n, out));
}

static void say(u8 type, const u8 *data, size_t n) { say_as(type, 0x10, 0, data, n); }

static u8 order(u8 type, const u8 *data, size_t n) {
    u8 seq = next_seq++;
    say_as(type, 0x11, seq, data, n);
    return seq;
}

static void hear(const u8 *data, size_t n) {
    static u8 held[128];
    static size_t size;
    for (size_t i = 0; i < n; i++) {
        if (data[i]) {
            if (size < sizeof held) held[size++] = data[i];
            continue;
        }
        u8 body[128];
        int got = size ? unstuff(held, size, body) : 0;
        if (size > 62) got = -1;
        if (size && (got < 6 || crc16(body, (size_t)got - 2) != get16(body + got - 2))) damaged++;
        else if (size && count < FRAMES) {
            Frame *f = &heard[count++];
            *f = (Frame){now(), body[0], body[1], body[2], body[3], (u8)(got - 6), {0}};
            memcpy(f->data, body + 4, f->size);
        }
        size = 0;
    }
}

static void turn(u64 until) {
    static u8 data[65536];
    u64 present = now();
    if (beating && present >= beat_at) {
        u8 period[4];
        put32(period, 500 * MS);
        say(BEAT, period, 4);
        beat_at = present + 450 * MS;
    }
    if (beating && beat_at < until) until = beat_at;
    hear(data, line_read(until, data, sizeof data));
}

static void go(u32 us) {
    u64 end = now() + us;
    while (now() < end) turn(end);
}

/* The first frame of a type from number `from` on, or NULL when none comes in time. */
static Frame *wait_for(u8 type, int from, u32 us) {
    u64 end = now() + us;
    for (;;) {
        for (int i = from; i < count; i++)
            if (heard[i].type == type) return &heard[i];
        if (now() >= end) return NULL;
        turn(now() + 10 * MS < end ? now() + 10 * MS : end);
    }
}

static int acked(u8 number, u32 us) {
    u64 end = now() + us;
    for (int i = count;; turn(now() + 10 * MS)) {
        for (; i < count; i++)
            if (heard[i].ack == number) return 1;
        if (now() >= end) return 0;
    }
}

/* ---- claims ---- */

static char why[256];
static int fail(const char *text, ...) {
    va_list args;
    va_start(args, text);
    vsnprintf(why, sizeof why, text, args);
    va_end(args);
    return 0;
}
#define SEE(held, ...) do { if (!(held)) return fail(__VA_ARGS__); } while (0)

static u32 session = 1000;
static u8 cells, lights;
static u32 boot_id;
static u16 can;

static Frame *greet(void) {
    u8 data[6] = {1, 3};
    put32(data + 2, ++session);
    next_seq = 0;
    for (int tries = 0; tries < 12; tries++) {
        int from = count;
        line_write((const u8 *)"", 1);
        say(HELLO, data, 6);
        for (Frame *f; (f = wait_for(B_HELLO, from, 250 * MS)); from = (int)(f - heard) + 1)
            if (f->size >= 46 && get32(f->data + 29) == session) {
                cells = f->data[11];
                lights = f->data[12];
                boot_id = get32(f->data + 25);
                can = get16(f->data + 43);
                beat_at = 0;
                return f;
            }
    }
    return NULL;
}

static int frames_of_the_document(void) {
    static const u8 event[] = {0x29, 0, 0, 0, 0x80, 0x96, 0x98, 0, 0, 0x9a, 0x98, 0,
                               0x1e, 1, 0, 0, 0x0d};
    static const u8 line[] = {3, 0x90, 0x10, 3, 3, 0x29, 1, 1, 4, 0x80, 0x96, 0x98, 1, 3, 0x9a,
                              0x98, 3, 0x1e, 1, 1, 4, 0x0d, 0xd2, 0x20, 0};
    static const u8 reply[] = {3, 4, 0x10, 1, 2, 0x2a, 1, 1, 3, 0xcd, 0x56, 0};
    u8 out[80], next[4] = {42};
    SEE(crc16((const u8 *)"123456789", 9) == 0x29B1, "the crc is another");
    SEE(framed(B_EVENTS, 0x10, 0, 3, event, sizeof event, out) == sizeof line, "its length");
    SEE(!memcmp(out, line, sizeof line), "the example's event");
    SEE(framed(ACK, 0x10, 0, 0, next, 4, out) == sizeof reply, "its length");
    SEE(!memcmp(out, reply, sizeof reply), "the example's answer");
    return 1;
}

static int hello(void) {
    Frame *f = greet();
    SEE(f, "no answer");
    SEE(f->data[0] == 1 && f->flags >> 4 == 1, "major version %d", f->data[0]);
    SEE(cells && lights >= cells, "%d cells, %d lights", cells, lights);
    SEE(f->data[2] && boot_id, "no model or no boot_id");
    return 1;
}

static struct { int q, r, light, x, y; char name[5]; } cell[256];
static int is_hex;
static u16 pitch_um;

static int identity(void) {
    SEE(greet(), "no answer");
    u8 first = 255;
    int from = count;
    say(IDENTIFY, &first, 1);
    Frame *f = wait_for(B_IDENTITY, from, 1000 * MS);
    SEE(f && f->size >= 25, "no IDENTITY");
    SEE(f->data[3] == cells && f->data[4] == lights, "other cells or lights than HELLO");
    is_hex = f->data[0] == 1;
    pitch_um = get16(f->data + 1);
    SEE(f->data[0] == 1 || f->data[0] == 2, "no kind of grid");
    for (int c = 0; c < cells; c += 4) {
        first = (u8)c;
        from = count;
        say(IDENTIFY, &first, 1);
        SEE((f = wait_for(B_CELLS, from, 1000 * MS)), "no CELLS from %d", c);
        int told = (f->size - 1) / 11;
        SEE(f->data[0] == c && told == (cells - c < 4 ? cells - c : 4), "%d cells from %d", told, c);
        for (int k = 0; k < told; k++) {
            const u8 *p = f->data + 1 + 11 * k;
            cell[c + k].q = (int8_t)p[0];
            cell[c + k].r = (int8_t)p[1];
            cell[c + k].light = p[2];
            cell[c + k].x = (int16_t)get16(p + 3) * 20;
            cell[c + k].y = (int16_t)get16(p + 5) * 20;
            memcpy(cell[c + k].name, p + 7, 4);
        }
    }
    for (int a = 0; a < cells; a++)
        for (int b = 0; b < a; b++) {
            double x = cell[a].x - cell[b].x, y = cell[a].y - cell[b].y, apart = sqrt(x * x + y * y);
            int q = cell[a].q - cell[b].q, r = cell[a].r - cell[b].r;
            double right = is_hex ? q + r / 2.0 : q, down = is_hex ? r * sqrt(3) / 2 : r;
            SEE(apart > pitch_um - 60, "%s and %s are %.0f um apart", cell[a].name, cell[b].name, apart);
            SEE(fabs(x - right * pitch_um) < 60 && fabs(y - down * pitch_um) < 60,
                "%s is not where its q and r say", cell[a].name);
            SEE(strcmp(cell[a].name, cell[b].name), "two cells are called %s", cell[a].name);
            SEE(cell[a].light != cell[b].light, "light %d twice", cell[a].light);
        }
    return 1;
}

static u8 file[16384];
static u32 file_size;
static double gain; /* uT a count */
static int strong_counts;

static int board_bin(void) {
    SEE(greet(), "no answer");
    u32 at = 0;
    do {
        u8 ask[5] = {1};
        put32(ask + 1, at);
        int from = count;
        say(FILE_READ, ask, 5);
        Frame *f = wait_for(B_FILE_PART, from, 1000 * MS);
        SEE(f && f->data[0] == 1, "no FILE_PART");
        SEE(get16(f->data + 1) == at && f->size > 5, "another part than that from %u", at);
        file_size = get16(f->data + 3);
        SEE(file_size <= sizeof file, "%u bytes", file_size);
        memcpy(file + at, f->data + 5, f->size - 5u);
        at += f->size - 5u;
    } while (at < file_size);
    SEE(!memcmp(file, "LMBN", 4) && file[4] == 2, "not what the document says");
    SEE(crc16(file, file_size - 2) == get16(file + file_size - 2), "a wrong sum");
    SEE(file[14] == cells && file[15] == lights, "of another board");
    gain = get32(file + 41) / 65536.0;
    strong_counts = (int)(1.4 * get16(file + 27) / gain);
    for (int c = 0; c < cells; c++)
        SEE(cell[c].name[0] == 0 || file[47 + 5 * c] == cell[c].light, "another light under %d", c);
    return 1;
}

static u8 kinds[512];
static u32 next_event;

/* A whole STATE heard from number `from` on: into `kinds` and `next_event`. */
static int whole_state(int from, u32 us) {
    u64 end = now() + us;
    int parts = (cells + 79) / 80;
    while (now() < end) {
        for (int i = from; i < count; i++) {
            if (heard[i].type != B_STATE || heard[i].data[13] != 0) continue;
            int got = 0;
            for (int k = i; k < count; k++) {
                const Frame *f = &heard[k];
                if (f->type != B_STATE || memcmp(f->data, heard[i].data, 8)) continue;
                for (int b = 15; b < f->size; b++) {
                    kinds[80 * f->data[13] + 2 * (b - 15)] = f->data[b] & 15;
                    kinds[80 * f->data[13] + 2 * (b - 15) + 1] = f->data[b] >> 4;
                }
                got++;
            }
            if (got >= parts) { next_event = get32(heard[i].data + 4); return 1; }
        }
        turn(now() + 10 * MS);
    }
    return 0;
}

static int state(void) {
    SEE(greet(), "no answer");
    SEE(whole_state(0, 2000 * MS), "no whole STATE");
    for (int c = 0; c < cells; c++) SEE(kinds[c] == 0, "cell %d holds %d", c, kinds[c]);
    int from = count;
    say(GET_STATE, NULL, 0);
    SEE(wait_for(B_STATE, from, 400 * MS), "GET_STATE is not answered");
    return 1;
}

static int beats(void) {
    SEE(greet(), "no answer");
    int from = count, n = 0;
    go(3200 * MS);
    for (int i = from; i < count; i++) n += heard[i].type == B_BEAT;
    SEE(n >= 5 && n <= 8, "%d BEATs in 3.2 s", n);
    return 1;
}

static u64 board_us(void) {
    u8 token[4];
    static u32 number;
    put32(token, ++number);
    int from = count;
    say(CLOCK, token, 4);
    Frame *f = wait_for(B_CLOCK, from, 1000 * MS);
    return f && get32(f->data) == number ? get64(f->data + 4) : 0;
}

static int clocks(void) {
    SEE(greet(), "no answer");
    u64 host = now(), one = board_us();
    go(1000 * MS);
    u64 two = board_us(), passed = now() - host;
    SEE(one && two > one, "the clock is not told, or stands");
    SEE(two - one > passed / 2 && two - one < 2 * passed, "it runs another way than ours");
    return 1;
}

static int reliable(void) {
    u8 bright[5] = {1, 64};
    SEE(greet(), "no answer");
    for (int i = 0; i < 8; i++) order(CFG, bright, 5);
    SEE(acked(8, 1000 * MS), "a window of 8 is not acknowledged");
    say_as(CFG, 0x11, 9, bright, 5); /* 8 was lost */
    SEE(!acked(10, 300 * MS), "a frame out of order is taken");
    say_as(CFG, 0x13, 8, bright, 5);
    say_as(CFG, 0x13, 9, bright, 5);
    SEE(acked(10, 1000 * MS), "what is sent again is not taken");
    return 1;
}

static int refusals(void) {
    SEE(greet(), "no answer");
    int from = count;
    u8 seq = order(0x7E, NULL, 0);
    Frame *f = wait_for(B_NAK, from, 1000 * MS);
    SEE(f && f->data[0] == 0x7E && f->data[1] == seq && f->data[2] == 2, "no NAK UNKNOWN");
    from = count;
    order(CFG, (const u8 *)"\1", 1);
    f = wait_for(B_NAK, from, 1000 * MS);
    SEE(f && f->data[2] == 1, "no NAK SHORT");
    return 1;
}

static int other_major(void) {
    SEE(greet(), "no answer");
    u8 data[6] = {2, 0, 7, 7, 7, 7};
    int from = count;
    beating = 0;
    say_as(HELLO, 0x20, 0, data, 6);
    Frame *f = wait_for(B_FAULT, from, 1000 * MS);
    beating = 1;
    SEE(f && f->data[0] == 3 && f->data[1] == 1, "no FAULT VERSION");
    f = wait_for(B_HELLO, from, 1000 * MS);
    SEE(f && get32(f->data + 29) == 0x07070707, "no HELLO that echoes");
    return 1;
}

/* The event of this number as told from `from` on; its time as u32. */
static int event(u32 number, int from, u32 us, u8 *where, u8 *kind, u32 *t_us, u32 *half_us) {
    u64 end = now() + us;
    for (int i = from;; turn(now() + 10 * MS)) {
        for (; i < count; i++) {
            const Frame *f = &heard[i];
            if (f->type != B_EVENTS) continue;
            u32 first = get32(f->data), n = (f->size - 12u) / 5u;
            if (number < first || number >= first + n) continue;
            const u8 *p = f->data + 12 + 5 * (number - first);
            u64 base = (u64)get32(f->data + 4) * (f->flags & 8 ? 4096u : 1u);
            *where = p[0];
            *kind = p[1];
            *t_us = (u32)base + get16(p + 2) * 10u;
            *half_us = p[4] * 50u;
            return 1;
        }
        if (now() >= end) return 0;
    }
}

static void acknowledge(u32 next) {
    u8 data[4];
    put32(data, next);
    say(ACK, data, 4);
    go(60 * MS);
}

static void setting(u8 key, u32 value) {
    u8 data[5] = {key};
    put32(data + 1, value);
    order(CFG, data, 5);
    acked(next_seq, 1000 * MS);
}

static int injected(void) {
    u8 where, kind;
    u32 t_us, half_us;
    SEE(greet(), "no answer");
    if (!(can & 2)) return 1;
    if (!strong_counts) SEE(board_bin(), "no thresholds");
    SEE(greet(), "no answer");
    setting(2, 1);
    go(1500 * MS);
    SEE(whole_state(count, 1500 * MS), "no STATE");
    acknowledge(next_event);
    u32 number = next_event;
    for (int k = 0; k < 2; k++) {
        u8 data[9], c = (u8)(k ? cells - 1 : 0);
        u32 at = (u32)board_us() + 300 * MS;
        int from = count;
        put32(data, at);
        put16(data + 4, 0);
        data[6] = c;
        int baseline = (int16_t)get16(file + 48 + 5 * c);
        put16(data + 7, (u16)(2048 + baseline + (k ? -strong_counts : strong_counts)));
        order(INJECT, data, 9);
        SEE(event(number, from, 2000 * MS, &where, &kind, &t_us, &half_us), "no event");
        SEE(where == c && (kind & 15) == (k ? 2 : 1), "cell %d holds %d", where, kind);
        int off = (int)(t_us - at);
        SEE(off > -30000 && off < 30000 + (int)half_us, "%d us off", off);
        if (k == 0) { /* it is told again until it is acknowledged */
            from = count;
            SEE(event(number, from, 600 * MS, &where, &kind, &t_us, &half_us), "told once only");
        }
        acknowledge(++number);
        from = count;
        SEE(!event(number - 1, from, 700 * MS, &where, &kind, &t_us, &half_us), "told after its ACK");
    }
    int from = count;
    say(GET_STATE, NULL, 0);
    SEE(whole_state(from, 1000 * MS), "no STATE");
    SEE(next_event == number && kinds[0] == 1 && kinds[cells - 1] == 2, "STATE believes otherwise");
    from = count;
    setting(3, 0);
    SEE(event(number, from, 1000 * MS, &where, &kind, &t_us, &half_us) && (kind & 15) == 7, "MASK");
    setting(4, 0);
    SEE(event(number + 1, from, 1500 * MS, &where, &kind, &t_us, &half_us) && (kind & 15) == 1, "UNMASK");
    SEE(greet(), "no answer");
    SEE(can & 8, "HELLO does not say INJECTING");
    from = count; /* a new session is told what was not acknowledged */
    SEE(event(number, from - 1, 1500 * MS, &where, &kind, &t_us, &half_us), "a new session forgets");
    setting(2, 0);
    go(1500 * MS);
    SEE(whole_state(count, 1500 * MS), "no STATE");
    acknowledge(next_event);
    return 1;
}

static int field(void) {
    SEE(greet(), "no answer");
    if (!(can & 256)) return 1;
    u8 ask[4] = {0, cells, 0, 0};
    int from = count, got = 0, references = 0;
    say(GET_FIELD, ask, 4);
    go(400 * MS);
    for (int i = from; i < count; i++)
        if (heard[i].type == B_FIELD) {
            if (heard[i].data[4] < 240) got += (heard[i].size - 5) / 2;
            else references += (heard[i].size - 5) / 2;
        }
    SEE(got == cells, "%d readings of %d cells", got, cells);
    SEE(!file_size || references == file[16], "%d references", references);
    return 1;
}

/* Somebody sets a stone, and we light the cell that it stands on. */
static int stone_and_light(void) {
    if (line_fd >= 0) return 1; /* nobody is there */
    u8 where, kind, answer[64], ask[2], c = (u8)(cells / 2);
    u32 t_us, half_us;
    SEE(greet(), "no answer");
    SEE(whole_state(count, 2000 * MS), "no STATE");
    u32 number = next_event;
    int from = count;
    ask[0] = c;
    ask[1] = 2;
    request('H', ask, 2, answer);
    SEE(event(number, from, 8000 * MS, &where, &kind, &t_us, &half_us), "the stone is not told");
    SEE(where == c && (kind & 15) == 2, "cell %d holds %d", where, kind);
    acknowledge(number + 1);
    u8 white[4] = {1, 255, 255, 255}, steady[4] = {0, (u8)cell[c].light, 1, 0}, at[4] = {0};
    u8 dark[33] = {0, 0, 0};
    memset(dark + 3, 255, 30);
    order(PALETTE, white, 4);
    order(MASK, dark, 33);
    order(LAYER, steady, 4);
    order(COMMIT, at, 4);
    SEE(acked(next_seq, 1000 * MS), "the light is not acknowledged");
    go(200 * MS);
    for (int i = 0; i < lights; i++) {
        ask[0] = (u8)i;
        SEE(request('L', ask, 1, answer) == 3, "no light %d", i);
        int shines = answer[0] || answer[1] || answer[2];
        SEE(shines == (i == cell[c].light), "light %d %s", i, shines ? "shines" : "is dark");
    }
    ask[0] = c;
    ask[1] = 0;
    request('H', ask, 2, answer);
    SEE(event(number + 1, from, 8000 * MS, &where, &kind, &t_us, &half_us), "lifting is not told");
    SEE(where == c && (kind & 15) == 0, "cell %d holds %d", where, kind);
    acknowledge(number + 2);
    return 1;
}

static int silence(void) {
    SEE(greet(), "no answer");
    go(300 * MS);
    beating = 0;
    go(2300 * MS);
    int from = count;
    go(1500 * MS);
    int talked = count - from;
    beating = 1;
    beat_at = 0;
    SEE(!talked, "it talks to a host that is lost");
    SEE(wait_for(B_STATE, from, 1500 * MS), "it does not resume");
    return 1;
}

static int boot(void) {
    SEE(greet(), "no answer");
    u32 before = boot_id;
    u8 data[5] = {0};
    put32(data, 0x544F4F42);
    order(BOOT, data, 5);
    beating = 0;
    go(2000 * MS);
    beating = 1;
    for (int tries = 0; tries < 5 && boot_id == before; tries++) greet();
    SEE(boot_id != before, "it was not started anew");
    return 1;
}

static const struct { const char *name; int (*check)(void); } claims[] = {
    {"frames-of-the-document", frames_of_the_document}, {"hello", hello},
    {"identity", identity}, {"board-bin", board_bin}, {"state", state}, {"beats", beats},
    {"clock", clocks}, {"reliable", reliable}, {"refusals", refusals},
    {"other-major", other_major}, {"injected", injected}, {"field", field},
    {"stone-and-light", stone_and_light}, {"silence", silence}, {"boot", boot},
};

int main(int argc, char **argv) {
    int broken = 0;
    if (argc < 2) die("usage: host LINE [CLAIM ...]");
    open_line(argv[1]);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        int wanted = argc == 2;
        for (int k = 2; k < argc; k++) wanted |= !strcmp(argv[k], claims[i].name);
        if (!wanted) continue;
        count = 0;
        if (claims[i].check()) fprintf(stderr, "ok %s\n", claims[i].name);
        else { broken++; fprintf(stderr, "broken %s: %s\n", claims[i].name, why); }
    }
    if (damaged) { broken++; fprintf(stderr, "broken frames: %d came damaged\n", damaged); }
    return broken;
}
