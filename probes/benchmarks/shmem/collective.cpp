#include "benchmarks/shmem/collective.hpp"

#include <algorithm>

namespace leadline::probe {

std::vector<Series> completion_series() {
  return {{"completion",
           "from the common start to the return of the call on each PE; the last PE stops the "
           "clock"}};
}

Benchmark completed(Benchmark own) {
  own.sizes = kCollectiveSizes;
  own.processes = {.minimum = 2};
  own.series = completion_series();
  own.start = Start::kAgreed;
  return own;
}

Axis collective_bytes_axis(const char* summary) {
  return bytes_axis("8,64,512,4K,32K,256K,1M", summary, sizeof(std::uint64_t));
}

Axis group_axis() {
#ifdef LEADLINE_OPENSHMEM_1_5
  return choice_axis("group", "all PEs as an active set, or as the team of the world",
                     {"active_set", "team"});
#else
  return choice_axis("group", "all PEs as an active set", {"active_set"});
#endif
}

bool over_team(const Point& point) { return point.choice("group") == "team"; }

Symmetric<long> make_sync_array(std::size_t words) {
  Symmetric<long> array = make_symmetric<long>(words);
  std::fill_n(array.get(), words, SHMEM_SYNC_VALUE);
  // No PE may use another's before (section 9.8).
  shmem_barrier_all();
  return array;
}

Operation collective_operation(const Point& point, const std::shared_ptr<Collective>& collective) {
  Operation operation = operation_of(point, collective);
  // After this no PE is in the call any more: its arrays may be used again, and every target is
  // ready for the next one (section 9.8). Untimed, and so after each call.
  operation.then = {{[] { shmem_barrier_all(); }, kNotTimed}};
  operation.every_call = true;
  return operation;
}

}  // namespace leadline::probe
