#include "algorithms/node_mpi/host.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "algorithms/node_mpi/handing_over.hpp"

namespace leadline::node {
namespace {

std::uint64_t find_host() {
  // Made anew at each start of a kernel.
  char start[40];
  const Descriptor file(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  const ssize_t length = file.open() ? read(file.number(), start, sizeof start) : 0;
  struct stat numbers{};
  utsname names{};
  if (length <= 0 || stat("/proc/self/ns/pid", &numbers) != 0 || uname(&names) != 0) return 0;
  // FNV-1a.
  std::uint64_t digest = 1469598103934665603U;
  const auto add = [&](std::uint64_t value) { digest = (digest ^ value) * 1099511628211U; };
  for (const char c : std::string_view(start, static_cast<std::size_t>(length))) {
    add(static_cast<unsigned char>(c));
  }
  for (const char* c = names.nodename; *c != '\0'; ++c) add(static_cast<unsigned char>(*c));
  add(numbers.st_dev);
  add(numbers.st_ino);
  return digest;
}

}  // namespace

std::uint64_t host_of_this_process() {
  static const std::uint64_t host = find_host();
  return host;
}

}  // namespace leadline::node
