/* A driver of a GPU that takes some memory for a device's, and other memory the next time, as where
   it is freed and allocated again. Ranks differ. */
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

int cuPointerGetAttribute(void* data, int attribute, unsigned long long address) {
  enum { kMemoryType = 2, kIsManaged = 8, kHost = 1, kDevice = 2 };
  static atomic_ullong asked;
  if (attribute == kIsManaged) return *(unsigned*)data = 1, 0;
  const unsigned long long number = ++asked + address + ((unsigned long long)getpid() << 32U);
  const unsigned long long chance = (number * 0x9E3779B97F4A7C15U) >> 59U;
  if (chance > 1) return 1; /* no address of the driver's */
  *(unsigned*)data = chance == 0 ? kHost : kDevice;
  return 0;
}
