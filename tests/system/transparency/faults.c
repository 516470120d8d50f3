/* Preloaded behind leadline: what FAULT names fails for leadline's memory, as on a full or
   forbidden /dev/shm; with FAULT_KILLS, the rank is killed there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char* function) {
  const char* const faults = getenv("FAULT");
  if (faults == NULL || strstr(faults, function) == NULL) return 0;
  if (getenv("FAULT_KILLS") != NULL) raise(SIGKILL);
  errno = ENOSPC;
  return 1;
}

static int is_leadlines(int file) {
  char link[32], path[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  return strncmp(path, "/memfd:leadline", 15) == 0 || strncmp(path, "/dev/shm/leadline", 17) == 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int memfd_create(const char* name, unsigned flags) {
  if (strcmp(name, "leadline") == 0 && fails("memfd_create")) return -1;
  return NEXT(memfd_create)(name, flags);
}

int shm_open(const char* name, int flags, mode_t mode) {
  if (strncmp(name, "/leadline-", 10) == 0 && fails("shm_open")) return -1;
  return NEXT(shm_open)(name, flags, mode);
}

int ftruncate(int file, off_t bytes) {
  if (is_leadlines(file) && fails("ftruncate")) return -1;
  return NEXT(ftruncate)(file, bytes);
}

int posix_fallocate(int file, off_t offset, off_t bytes) {
  if (is_leadlines(file) && fails("posix_fallocate")) return ENOSPC;
  return NEXT(posix_fallocate)(file, offset, bytes);
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  static __typeof__(&mmap) next;
  if (next == NULL) next = NEXT(mmap);
  if (file >= 0 && (flags & MAP_SHARED) != 0 && is_leadlines(file) && fails("mmap")) {
    return MAP_FAILED;
  }
  return next(address, bytes, protection, flags, file, offset);
}
