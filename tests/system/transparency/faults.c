/* Preloaded behind leadline: what FAULT names fails for leadline's memory, as on a full or
   forbidden /dev/shm; the rank is killed at what FAULT_KILLS names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static int is_named(const char* variable, const char* function) {
  const char* const names = getenv(variable);
  return names != NULL && strstr(names, function) != NULL;
}

static int fails(const char* function, void* caller) {
  Dl_info object;
  const int kills = is_named("FAULT_KILLS", function);
  if (!kills && !is_named("FAULT", function)) return 0;
  if (dladdr(caller, &object) == 0 || strstr(object.dli_fname, "libleadline-engine") == NULL) {
    return 0;
  }
  if (kills) raise(SIGKILL);
  errno = ENOSPC;
  return 1;
}

#define FAILS(function) fails(function, __builtin_return_address(0))
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int memfd_create(const char* name, unsigned flags) {
  return FAILS("memfd_create") ? -1 : NEXT(memfd_create)(name, flags);
}

/* Of a file without a name, and of another process's descriptors. */
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if ((flags & O_TMPFILE) == O_TMPFILE && FAILS("tmpfile")) return -1;
  if (strncmp(path, "/proc/", 6) == 0 && FAILS("descriptor")) return -1;
  return NEXT(open)(path, flags, mode);
}

int connect(int file, const struct sockaddr* address, socklen_t length) {
  return FAILS("connect") ? -1 : NEXT(connect)(file, address, length);
}

ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
  return FAILS("sendmsg") ? -1 : NEXT(sendmsg)(file, message, flags);
}

/* The first device that leadline looks for is there. */
int access(const char* path, int mode) {
  return strncmp(path, "/dev/", 5) == 0 && FAILS("gpu") ? 0 : NEXT(access)(path, mode);
}

int ftruncate(int file, off_t bytes) {
  return FAILS("ftruncate") ? -1 : NEXT(ftruncate)(file, bytes);
}

int posix_fallocate(int file, off_t offset, off_t bytes) {
  return FAILS("posix_fallocate") ? ENOSPC : NEXT(posix_fallocate)(file, offset, bytes);
}

/* All of it as with a kernel before Linux 5.14, or what is asked for later, as where memory has
   become full meanwhile. */
int madvise(void* memory, size_t bytes, int advice) {
  const int later = bytes > (size_t)sysconf(_SC_PAGESIZE);
  if (FAILS("madvise") || (later && FAILS("growth"))) return -1;
  return NEXT(madvise)(memory, bytes, advice);
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return FAILS("PMPI_Comm_split") ? MPI_ERR_NO_MEM : NEXT(PMPI_Comm_split)(comm, color, key, made);
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  static __typeof__(&mmap) next;
  if (next == NULL) next = NEXT(mmap);
  if (file >= 0 && FAILS("mmap")) return MAP_FAILED;
  return next(address, bytes, protection, flags, file, offset);
}
