#include "runtime/nonblocking/start.hpp"

namespace leadline::runtime {
namespace {

// What a rank reads of all: more is left to the library, which does not have each rank read
// everything.
constexpr std::size_t kMostRead = std::size_t{64} << 10;

}  // namespace

const char* doubt_about_start(Adopted& adopted, const Blocking& blocking, std::size_t bytes,
                              std::size_t given) {
  if (adopted.shared() == nullptr || adopted.nodes() > 1) return "several nodes";
  // Where one rank may have memory of a GPU, the others would have to ask it.
  if (adopted.may_have_devices()) return "device memory";
  const auto ranks = static_cast<std::size_t>(adopted.size());
  if (given > node::Outstanding::kMostBytes || given * ranks > kMostRead) return "too much data";
  if (!blocking.takes_shared(adopted, bytes)) return "the blocking one is the library's";
  return nullptr;
}

}  // namespace leadline::runtime
