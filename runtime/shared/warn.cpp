// One line for the whole job, not one from each of its processes.
#include "runtime/shared/warn.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The inner launcher first: Slurm's rank stands in the environment of a batch job's whole script.
extern "C" __attribute__((visibility("default"))) const char* const leadline_rank_variables[] = {
    "OMPI_COMM_WORLD_RANK", "PMI_RANK",     "PMIX_RANK", "PALS_RANKID",
    "FLUX_TASK_RANK",       "SLURM_PROCID", nullptr};

namespace {

bool speaks_for_the_job() {
  for (const char* const* variable = leadline_rank_variables; *variable != nullptr; ++variable) {
    if (const char* const rank = getenv(*variable)) return strcmp(rank, "0") == 0;
  }
  return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void leadline_warn(const char* line) {
  if (speaks_for_the_job()) fprintf(stderr, "leadline: %s\n", line);
}
