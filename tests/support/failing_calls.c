/* Fails the n-th durable call below a folder, once, in whichever process it comes; preloaded.
 *
 * SWEEP_ROOT    the folder
 * SWEEP_COUNT   a file of 8 bytes, shared by all processes: calls so far
 * SWEEP_AT      the call that fails; 0: none
 * SWEEP_ERRNO   its error
 * SWEEP_LIKE    words of the calls that count, such as "fsync /home/records"; without it all
 * SWEEP_LOG     gets a line for each call: its number, process, function and path
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *root, *like;
static size_t root_length;
static long *count;
static long fails_at;
static int error_number, log_file = -1;

__attribute__((constructor)) static void begin(void)
{
    const char *file = getenv("SWEEP_COUNT"), *at = getenv("SWEEP_AT"), *log = getenv("SWEEP_LOG");
    const char *number = getenv("SWEEP_ERRNO");
    root = getenv("SWEEP_ROOT");
    like = getenv("SWEEP_LIKE");
    if (!root || !file)
        return;
    root_length = strlen(root);
    fails_at = at ? atol(at) : 0;
    error_number = number ? atoi(number) : EIO;
    int shared = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
    if (shared < 0)
        return;
    long *mapped = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    syscall(SYS_close, shared);
    if (mapped != MAP_FAILED)
        count = mapped;
    if (log) {
        int opened = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        log_file = syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900);
        syscall(SYS_close, opened);
    }
}

static int is_below(const char *path)
{
    return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

/* 1 if this call is to fail; errno is set then. */
static int fails(const char *name, const char *path)
{
    char call[PATH_MAX + 40];
    snprintf(call, sizeof call, "%s %s", name, path + root_length);
    if (like && *like && !strstr(call, like))
        return 0;
    long number = __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    if (log_file >= 0) {
        char line[PATH_MAX + 100];
        int length = snprintf(line, sizeof line, "%ld %d %s%s\n", number, (int)getpid(), call,
                              number == fails_at ? " FAILED" : "");
        if (length < (int)sizeof line)
            syscall(SYS_write, log_file, line, length);
    }
    if (number != fails_at)
        return 0;
    errno = error_number;
    return 1;
}

static int at_path(const char *name, int folder, const char *path)
{
    char whole[PATH_MAX * 2], link[40];
    if (!count || !path)
        return 0;
    if (path[0] == '/')
        return is_below(path) && fails(name, path);
    if (folder == AT_FDCWD) {
        if (syscall(SYS_getcwd, whole, PATH_MAX) < 0)
            return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, whole, PATH_MAX - 1);
        if (length < 0)
            return 0;
        whole[length] = 0;
    }
    size_t length = strlen(whole);
    snprintf(whole + length, sizeof whole - length, "/%s", path);
    return is_below(whole) && fails(name, whole);
}

static int at_file(const char *name, int file)
{
    char path[PATH_MAX], link[40];
    struct stat about;
    int before = errno;
    if (!count)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length > 0)
        path[length] = 0;
    int ours = length > 0 && is_below(path) && !fstat(file, &about) &&
               (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
    errno = before;
    return ours && fails(name, path);
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real)                                                                                     \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define MODE                                                                                       \
    int mode = 0;                                                                                  \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                           \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode = va_arg(more, int);                                                                  \
        va_end(more);                                                                              \
    }
#define WRITES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT))

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        MODE REAL(int, #name, const char *, int, ...);                                             \
        if (WRITES(flags) && at_path("open", AT_FDCWD, path))                                      \
            return -1;                                                                             \
        return real(path, flags, mode);                                                            \
    }
#define OPENAT(name)                                                                               \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        MODE REAL(int, #name, int, const char *, int, ...);                                        \
        if (WRITES(flags) && at_path("open", folder, path))                                        \
            return -1;                                                                             \
        return real(folder, path, flags, mode);                                                    \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define BY_PATH(name, told, folder, path, parameters, ...)                                         \
    int name parameters                                                                            \
    {                                                                                              \
        static int(*real) parameters;                                                              \
        if (!real)                                                                                 \
            real = (int(*) parameters)dlsym(RTLD_NEXT, #name);                                     \
        if (at_path(told, folder, path))                                                           \
            return -1;                                                                             \
        return real(__VA_ARGS__);                                                                  \
    }
BY_PATH(mkdir, "mkdir", AT_FDCWD, path, (const char *path, mode_t mode), path, mode)
BY_PATH(mkdirat, "mkdir", at, path, (int at, const char *path, mode_t mode), at, path, mode)
BY_PATH(unlink, "unlink", AT_FDCWD, path, (const char *path), path)
BY_PATH(unlinkat, "unlink", at, path, (int at, const char *path, int flags), at, path, flags)
BY_PATH(rename, "rename", AT_FDCWD, to, (const char *from, const char *to), from, to)
BY_PATH(renameat, "rename", there, to, (int at, const char *from, int there, const char *to), at,
        from, there, to)
BY_PATH(link, "link", AT_FDCWD, to, (const char *from, const char *to), from, to)
BY_PATH(linkat, "link", there, to, (int at, const char *from, int there, const char *to, int flags),
        at, from, there, to, flags)
BY_PATH(symlink, "link", AT_FDCWD, to, (const char *from, const char *to), from, to)

#define BY_FILE(type, name, told, parameters, ...)                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (!real)                                                                                 \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                    \
        if (at_file(told, file))                                                                   \
            return -1;                                                                             \
        return real(__VA_ARGS__);                                                                  \
    }
BY_FILE(ssize_t, write, "write", (int file, const void *data, size_t size), file, data, size)
BY_FILE(ssize_t, writev, "write", (int file, const struct iovec *parts, int n), file, parts, n)
BY_FILE(ssize_t, pwrite, "write", (int file, const void *data, size_t size, off_t at), file, data,
        size, at)
BY_FILE(ssize_t, pwrite64, "write", (int file, const void *data, size_t size, off64_t at), file,
        data, size, at)
BY_FILE(int, fsync, "fsync", (int file), file)
BY_FILE(int, fdatasync, "fsync", (int file), file)
BY_FILE(int, ftruncate, "truncate", (int file, off_t length), file, length)
BY_FILE(int, ftruncate64, "truncate", (int file, off64_t length), file, length)
BY_FILE(int, flock, "lock", (int file, int what), file, what)

#define FCNTL(name)                                                                                \
    int name(int file, int what, ...)                                                              \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, what);                                                                      \
        void *with = va_arg(more, void *);                                                         \
        va_end(more);                                                                              \
        REAL(int, #name, int, int, ...);                                                           \
        int locks = what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK;                    \
        if (locks && ((struct flock *)with)->l_type != F_UNLCK && at_file("lock", file))           \
            return -1;                                                                             \
        return real(file, what, with);                                                             \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
