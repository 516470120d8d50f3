#include "benchmarks/mpi/uneven.hpp"

#include <climits>
#include <string>

namespace leadline::probe {
namespace {

std::size_t bytes_of(const Point& point, int rank) {
  const std::size_t bytes = point.bytes();
  const auto size = static_cast<std::size_t>(point.world().size());
  const std::string& imbalance = point.choice("imbalance");
  if (imbalance == "linear") return bytes * (2 * static_cast<std::size_t>(rank) + 1) / size;
  if (imbalance == "one_heavy") return (bytes + (rank == 0 ? bytes * size : 0)) / 2;
  return bytes;
}

}  // namespace

Axis imbalance_axis() {
  return task_axis("imbalance",
                   "block of rank i, times the mean. even: 1; linear: (2 i + 1) / P; one_heavy: "
                   "1/2, and the other half of all data in the block of rank 0",
                   {"even", "linear", "one_heavy"});
}

UnevenLayout layout_of(const Point& point) {
  UnevenLayout layout;
  std::size_t end = 0;
  for (int rank = 0; rank < point.world().size(); ++rank) {
    const std::size_t bytes = bytes_of(point, rank);
    if (end + bytes > INT_MAX) throw Unavailable("MPI counts in int: at most 2 GiB together");
    layout.counts.push_back(static_cast<int>(bytes));
    layout.offsets.push_back(static_cast<int>(end));
    end += bytes;
  }
  return layout;
}

}  // namespace leadline::probe
