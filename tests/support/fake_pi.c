/* A Raspberry Pi below a program's calls: loaded before it (LD_PRELOAD), it answers for the devices
   of the header and for what the firmware tells of the machine. Structures, numbers and flags are
   the kernel's own headers'; parts behave as their data sheets say. Nothing here knows lumiban.

   FAKE_PI names a folder: proc/device-tree, boot/firmware and dev stand for those of the machine.
     switches   lines "A B D": a closed switch between GPIO A (or, from 1000 on, input A - 1000 of the
                expanders, sixteen a chip) and GPIO B (-1: ground); D: 1 a diode that lets A draw B low,
                -1 the other way round, 0 none
     silent     addresses of expanders that do not answer;  kernel  those that a driver holds
     dipped     addresses whose supply has just dipped: the file is taken away when it is read
     lights     out: what each WS2812B has taken, "r g b" a line
     odd        out: what no data sheet allows, one event a line
   IDLE: clocks between two bytes of SPI, in which the line keeps its level.  BUFFER: of spidev. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/spi/spidev.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { PINS = 58, FILES = 1024, SWITCHES = 256, CHIPS = 8, INPUT_0 = 1000, REGISTERS = 22 };
enum kind { NOT_OURS, CHIP, LINES, SPI, I2C };
static enum kind kind[FILES];
static struct gpio_v2_line_request held[FILES];
static struct pin { int is_taken, is_output, is_drain, level, pull, was_low; double low_us; } pins[PINS];
static struct expander { unsigned char registers[REGISTERS], at; } expanders[CHIPS];
static int address[FILES];

static const char *in(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("FAKE_PI"), name);
    return path;
}
static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }
static int real_open(const char *path, int flags, int mode)
{
    return ((int (*)(const char *, int, ...))next("open64"))(path, flags, mode);
}
static FILE *file(const char *name, const char *mode)
{
    return ((FILE * (*)(const char *, const char *))next("fopen64"))(in(name), mode);
}
static void odd(const char *what, int a, int b)
{
    FILE *out = file("odd", "a");
    fprintf(out, "%s %d %d\n", what, a, b);
    fclose(out);
}
static int lists(const char *name, int number)
{
    FILE *list = file(name, "r");
    int one, found = 0;
    while (list && fscanf(list, "%i", &one) == 1) found |= one == number;
    if (list) fclose(list);
    return found;
}
static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Files. */

static int device(const char *path, enum kind what, const char *real)
{
    int fd = real_open(in(real), O_RDWR | O_CLOEXEC, 0);
    if (fd >= 0) kind[fd] = what;
    return fd;
}
static int ours(const char *path, int *fd)
{
    if (!getenv("FAKE_PI")) return 0;
    if (!strncmp(path, "/proc/device-tree/", 18) || !strncmp(path, "/boot/", 6) || !strcmp(path, "/proc/cpuinfo"))
        *fd = real_open(in(path + 1), O_RDONLY, 0);
    else if (!strcmp(path, "/dev/gpiochip0")) *fd = device(path, CHIP, "dev/gpiochip0");
    else if (!strcmp(path, "/dev/spidev0.0")) *fd = device(path, SPI, "dev/spidev0.0");
    else if (!strcmp(path, "/dev/i2c-1")) *fd = device(path, I2C, "dev/i2c-1");
    else return 0;
    return 1;
}
#define OPENS(name)                                                             \
    int name(const char *path, int flags, ...)                                  \
    {                                                                           \
        va_list more;                                                           \
        int fd, mode;                                                           \
        va_start(more, flags), mode = va_arg(more, int), va_end(more);          \
        return ours(path, &fd) ? fd : real_open(path, flags, mode);             \
    }
OPENS(open)
OPENS(open64)
DIR *opendir(const char *path)
{
    int is_dev = getenv("FAKE_PI") && !strcmp(path, "/dev");
    return ((DIR * (*)(const char *))next("opendir"))(is_dev ? in("dev") : path);
}
/* libgpiod asks whether a path is a chip: a character device whose subsystem is gpio. */
int __lxstat(int version, const char *path, struct stat *told)
{
    int done = ((int (*)(int, const char *, struct stat *))next("__lxstat"))(version, path, told);
    if (!getenv("FAKE_PI") || strcmp(path, "/dev/gpiochip0")) return done;
    memset(told, 0, sizeof *told);
    told->st_mode = S_IFCHR | 0660, told->st_rdev = makedev(254, 0);
    return 0;
}
int __xstat(int version, const char *path, struct stat *told)
{
    if (getenv("FAKE_PI") && !strcmp(path, "/dev/gpiochip0")) return __lxstat(version, path, told);
    return ((int (*)(int, const char *, struct stat *))next("__xstat"))(version, path, told);
}
char *realpath(const char *path, char *resolved)
{
    if (getenv("FAKE_PI") && !strcmp(path, "/sys/dev/char/254:0/subsystem"))
        return resolved ? strcpy(resolved, "/sys/bus/gpio") : strdup("/sys/bus/gpio");
    return ((char *(*)(const char *, char *))next("realpath"))(path, resolved);
}
int close(int fd)
{
    if (fd >= 0 && fd < FILES && kind[fd] == LINES)
        for (unsigned n = 0; n < held[fd].num_lines; n++)
            memset(&pins[held[fd].offsets[n]], 0, sizeof *pins);
    if (fd >= 0 && fd < FILES) kind[fd] = NOT_OURS;
    return ((int (*)(int))next("close"))(fd);
}

/* Wires. */

static struct { int a, b, diode; } switches[SWITCHES];
static int closed;

static void look(void)
{
    FILE *list = file("switches", "r");
    closed = 0;
    while (list && closed < SWITCHES && fscanf(list, "%d %d %d", &switches[closed].a, &switches[closed].b,
                                              &switches[closed].diode) == 3)
        closed++;
    if (list) fclose(list);
}
static int drives(int pin, int level)
{
    struct pin *p = &pins[pin];
    return p->is_output && p->level == level && !(level && p->is_drain);
}
/* Pins that are drawn low, by outputs or through closed switches; two outputs that fight are odd. */
static void settle(int is_low[PINS])
{
    int changed = 1;
    look();
    for (int n = 0; n < PINS; n++) is_low[n] = drives(n, 0);
    while (changed) {
        changed = 0;
        for (int n = 0; n < closed; n++) {
            int a = switches[n].a, b = switches[n].b, diode = switches[n].diode;
            if (a >= INPUT_0) continue;
            if (b < 0 && !is_low[a]) is_low[a] = changed = 1;
            if (b < 0) continue;
            if (diode >= 0 && is_low[a] && !is_low[b]) is_low[b] = changed = 1;
            if (diode <= 0 && is_low[b] && !is_low[a]) is_low[a] = changed = 1;
        }
    }
    for (int n = 0; n < PINS; n++)
        if (is_low[n] && drives(n, 1)) odd("fight", n, 0);
}
/* Before outputs change: what is low now will rise by its pull-up, 60 kohm against 200 pF. */
static void before(void)
{
    int is_low[PINS];
    settle(is_low);
    for (int n = 0; n < PINS; n++)
        if (is_low[n] && !pins[n].is_output) pins[n].low_us = now_us();
}
static int read_pin(int pin, const int is_low[PINS])
{
    if (is_low[pin]) return 0;
    if (pins[pin].is_output && !pins[pin].is_drain) return pins[pin].level;
    return pins[pin].pull && now_us() - pins[pin].low_us > 12;
}

/* Pins: linux/gpio.h. */

static unsigned long long flags_of(const struct gpio_v2_line_config *config, unsigned n)
{
    for (unsigned k = 0; k < config->num_attrs; k++)
        if (config->attrs[k].attr.id == GPIO_V2_LINE_ATTR_ID_FLAGS && config->attrs[k].mask >> n & 1)
            return config->attrs[k].attr.flags;
    return config->flags;
}
static void configure(const struct gpio_v2_line_request *request)
{
    const struct gpio_v2_line_config *config = &request->config;
    before();
    for (unsigned n = 0; n < request->num_lines; n++) {
        struct pin *pin = &pins[request->offsets[n]];
        unsigned long long flags = flags_of(config, n);
        pin->is_taken = 1;
        pin->is_output = !!(flags & GPIO_V2_LINE_FLAG_OUTPUT);
        pin->is_drain = !!(flags & GPIO_V2_LINE_FLAG_OPEN_DRAIN);
        pin->pull = !!(flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP);
        for (unsigned k = 0; k < config->num_attrs; k++)
            if (config->attrs[k].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES && config->attrs[k].mask >> n & 1)
                pin->level = config->attrs[k].attr.values >> n & 1;
    }
}
static int refuse(int number) { return errno = number, -1; }
static int claim(struct gpio_v2_line_request *request)
{
    for (int n = 0; n < 5; n++)
        if (request->padding[n] || request->config.padding[n]) return refuse(EINVAL);
    for (unsigned n = 0; n < request->num_lines; n++) {
        unsigned long long flags = flags_of(&request->config, n);
        int is_input = !!(flags & GPIO_V2_LINE_FLAG_INPUT), is_output = !!(flags & GPIO_V2_LINE_FLAG_OUTPUT);
        if (request->offsets[n] >= PINS || (is_input && is_output)) return refuse(EINVAL);
        if (!is_output && flags & GPIO_V2_LINE_FLAG_OPEN_DRAIN) return refuse(EINVAL);
        if (!is_output && !is_input && flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP) return refuse(EINVAL);
        if (pins[request->offsets[n]].is_taken || lists("taken", request->offsets[n])) return refuse(EBUSY);
    }
    request->fd = real_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
    kind[request->fd] = LINES;
    held[request->fd] = *request;
    configure(request);
    return 0;
}
static int ask_chip(unsigned long code, void *told)
{
    if (code == GPIO_GET_CHIPINFO_IOCTL) {
        struct gpiochip_info *info = told;
        if (lists("taken", -1)) return refuse(EIO);
        strcpy(info->name, "gpiochip0"), strcpy(info->label, "pinctrl-bcm2711"), info->lines = PINS;
        return 0;
    }
    if (code == GPIO_V2_GET_LINEINFO_IOCTL) {
        struct gpio_v2_line_info *info = told;
        if (pins[info->offset].is_taken || lists("taken", info->offset))
            info->flags = GPIO_V2_LINE_FLAG_USED, strcpy(info->consumer, "spi0 CS0");
        return 0;
    }
    return code == GPIO_V2_GET_LINE_IOCTL ? claim(told) : refuse(ENOTTY);
}
static int ask_lines(int fd, unsigned long code, struct gpio_v2_line_values *values)
{
    struct gpio_v2_line_request *request = &held[fd];
    int is_low[PINS];
    if (code == GPIO_V2_LINE_SET_CONFIG_IOCTL) {
        memcpy(&request->config, values, sizeof request->config);
        configure(request);
        return 0;
    }
    if (code == GPIO_V2_LINE_SET_VALUES_IOCTL) {
        before();
        for (unsigned n = 0; n < request->num_lines; n++) {
            if (!(values->mask >> n & 1)) continue;
            if (!pins[request->offsets[n]].is_output) return refuse(EPERM);
            pins[request->offsets[n]].level = values->bits >> n & 1;
        }
        return 0;
    }
    if (code != GPIO_V2_LINE_GET_VALUES_IOCTL) return refuse(ENOTTY);
    settle(is_low);
    values->bits = 0;
    for (unsigned n = 0; n < request->num_lines; n++)
        if (values->mask >> n & 1) values->bits |= (unsigned long long)read_pin(request->offsets[n], is_low) << n;
    return 0;
}

/* Lights: the pulses of SPI's data line, as a chain of WS2812B-V5 takes them. */

static int ask_spi(unsigned long code, struct spi_ioc_transfer *transfer)
{
    const unsigned char *bytes = (void *)(unsigned long)transfer->tx_buf;
    double tick = 1e9 / transfer->speed_hz, idle = getenv("IDLE") ? atof(getenv("IDLE")) : 0, high = 0, low = 1e9;
    unsigned char taken[3] = {0};
    int bits = 0;
    FILE *out;
    if (code == SPI_IOC_WR_MODE || code == SPI_IOC_WR_MODE32) return 0;
    if (code != SPI_IOC_MESSAGE(1)) return refuse(ENOTTY);
    if (transfer->len > (unsigned)(getenv("BUFFER") ? atoi(getenv("BUFFER")) : 4096)) return refuse(EMSGSIZE);
    out = file("lights.new", "w");
    for (unsigned n = 0; n < transfer->len; n++)
        for (int k = 7; k >= 0; k--) {
            double span = tick * (1 + (k ? 0 : idle));
            if (bytes[n] >> k & 1) {
                if (!high && low > 50000 && bits) odd("dark within a picture", n, bits), bits = 0;
                high += span, low = 0;
                continue;
            }
            if (high) { /* a pulse has ended */
                int is_long = high > 480;
                if (high < 220 || high > 1000 || (high > 380 && high < 580)) odd("pulse", (int)high, n);
                taken[bits / 8 % 3] = taken[bits / 8 % 3] << 1 | is_long;
                if (++bits % 24 == 0) fprintf(out, "%d %d %d\n", taken[1], taken[0], taken[2]);
                high = 0;
            }
            low += span;
        }
    if (bits && low < 280000) odd("no silence", (int)low, bits);
    fclose(out);
    char from[4096];
    strcpy(from, in("lights.new"));
    if (bits) rename(from, in("lights"));
    return transfer->len;
}

/* Expanders: MCP23017, data sheet DS20001952, IOCON.BANK = 0. */

static struct expander *chip(int fd)
{
    if (address[fd] < 0x20 || address[fd] >= 0x20 + CHIPS || lists("silent", address[fd])) return NULL;
    struct expander *one = &expanders[address[fd] - 0x20];
    if (lists("dipped", address[fd])) memset(one, 0, sizeof *one), unlink(in("dipped"));
    return one;
}
ssize_t write(int fd, const void *data, size_t count)
{
    if (fd < 0 || fd >= FILES || kind[fd] != I2C) return ((ssize_t (*)(int, const void *, size_t))next("write"))(fd, data, count);
    struct expander *one = chip(fd);
    const unsigned char *bytes = data;
    if (!one) return refuse(EREMOTEIO);
    one->at = bytes[0];
    for (size_t n = 1; n < count; n++) one->registers[one->at++ % REGISTERS] = bytes[n];
    return count;
}
ssize_t read(int fd, void *data, size_t count)
{
    if (fd < 0 || fd >= FILES || kind[fd] != I2C) return ((ssize_t (*)(int, void *, size_t))next("read"))(fd, data, count);
    struct expander *one = chip(fd);
    unsigned char *bytes = data;
    if (!one) return refuse(EREMOTEIO);
    look();
    one->registers[0x12] = one->registers[0x0C], one->registers[0x13] = one->registers[0x0D];
    for (int n = 0; n < closed; n++) {
        int input = switches[n].a - INPUT_0 - 16 * (address[fd] - 0x20);
        if (input >= 0 && input < 16) one->registers[0x12 + input / 8] &= ~(1 << input % 8);
    }
    for (size_t n = 0; n < count; n++) bytes[n] = one->registers[one->at++ % REGISTERS];
    return count;
}

int ioctl(int fd, unsigned long code, ...)
{
    va_list more;
    void *told;
    va_start(more, code), told = va_arg(more, void *), va_end(more);
    code = (unsigned)code; /* as the kernel takes it: some programs extend its sign */
    switch (fd >= 0 && fd < FILES ? kind[fd] : NOT_OURS) {
    case CHIP: return ask_chip(code, told);
    case LINES: return ask_lines(fd, code, told);
    case SPI: return ask_spi(code, told);
    case I2C:
        if (code != I2C_SLAVE) return refuse(ENOTTY);
        address[fd] = (int)(long)told;
        return lists("kernel", address[fd]) ? refuse(EBUSY) : 0;
    default: return ((int (*)(int, unsigned long, ...))next("ioctl"))(fd, code, told);
    }
}
