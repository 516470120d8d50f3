// What tells a host from others.
#pragma once

#include <cstdint>

namespace leadline::node {

// Alike in processes of one running kernel with the same host name and numbers of processes, so
// that they can share memory; 0: unknown.
std::uint64_t host_of_this_process();

}  // namespace leadline::node
