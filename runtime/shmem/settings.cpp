#include "runtime/shmem/settings.hpp"

#include <shmem.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "runtime/engine/settings.hpp"
#include "runtime/shared/warn.hpp"
#include "runtime/shmem/aside.hpp"

namespace leadline::runtime {
namespace {

// Of the library's own reduction.
struct Objects {
  int own[2];
  int sum[2];
  int work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2];
  long sync[SHMEM_REDUCE_SYNC_SIZE];
};

bool have_all(const char* variable, int having, int pes, const char* what_follows) {
  if (having != 0 && having != pes) {
    leadline_warn((std::string(variable) + " is set for " + std::to_string(having) + " of " +
                   std::to_string(pes) + " PEs only: " + what_follows)
                      .c_str());
  }
  return having == pes;
}

}  // namespace

Wanted agree_on_settings() {
  const Aside aside;
  auto* const objects = static_cast<Objects*>(shmem_malloc(sizeof(Objects)));
  if (objects == nullptr) return {};
  const int pes = shmem_n_pes();
  objects->own[0] = *runtime_settings().profile != '\0' ? 1 : 0;
  objects->own[1] = *runtime_settings().report != '\0' ? 1 : 0;
  std::fill(std::begin(objects->sync), std::end(objects->sync), SHMEM_SYNC_VALUE);
  shmem_barrier_all();
  shmem_int_sum_to_all(objects->sum, objects->own, 2, 0, 0, pes, objects->work, objects->sync);
  const Wanted wanted{
      .profile = have_all("LEADLINE_PROFILE", objects->sum[0], pes, "nothing is replaced"),
      .report = have_all("LEADLINE_REPORT", objects->sum[1], pes, "the report is PE 0's at most")};
  shmem_free(objects);
  return wanted;
}

}  // namespace leadline::runtime
