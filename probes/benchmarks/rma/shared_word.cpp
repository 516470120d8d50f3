#include "benchmarks/rma/shared_word.hpp"

#include <vector>

#include "comm/mpi_world.hpp"
#include "harness/content.hpp"

namespace leadline::probe {

SharedWord::SharedWord(const Point& point)
    : rank_(point.world().rank()),
      size_(point.world().size()),
      all_(point.choice("origins") == "all"),
      window_(window_kind(point), rank_ == kHost ? sizeof(Value) : 0, benchmark_communicator()),
      synchronisation_(synchronisation_of(
          point, window_.handle(),
          {.rank = rank_, .origin = kOnlyOrigin, .target = kHost, .lock_type = MPI_LOCK_SHARED})) {
  synchronisation_->begin_access();
  if (rank_ == kHost) *word() = base_;
  synchronisation_->end_access();
}

void SharedWord::call() {
  if (!is_origin()) return;
  synchronisation_->open();
  issue();
  synchronisation_->close();
  ++calls_;
  if (changed()) ++changes_;
}

void SharedWord::fill(std::uint64_t seed) {
  check_total();
  base_ = content_word(seed, static_cast<std::uint64_t>(size_));
  share_ = content_word(seed, static_cast<std::uint64_t>(rank_));
  calls_ = changes_ = 0;
  seen_ = base_;
  refilled();
  synchronisation_->begin_access();
  if (rank_ == kHost) *word() = base_;
  synchronisation_->end_access();
}

// Every rank learns whether any origin can have seen what it saw, so each would count the same
// wrong bytes: rank 0 does.
std::size_t SharedWord::wrong_bytes() {
  const Sight own{seen_, share_};
  std::vector<Sight> sights(static_cast<std::size_t>(size_));
  MPI_REQUIRE(MPI_Allgather(&own, sizeof own, MPI_BYTE, sights.data(), sizeof own, MPI_BYTE,
                            benchmark_communicator()));
  const Value after = word_everywhere();
  const std::span<Sight> of_origins =
      all_ ? std::span(sights) : std::span(sights).subspan(kOnlyOrigin, 1);
  const bool right = !total_wrong_ && possible(of_origins, base_, after);
  return right || rank_ != kHost ? 0 : sizeof(Value);
}

double SharedWord::changed_fraction() const {
  return all_calls_ > 0.0 ? all_changes_ / all_calls_ : 0.0;
}

// Collective: nobody reads the word before all ranks' calls are over.
SharedWord::Value SharedWord::word_everywhere() {
  MPI_REQUIRE(MPI_Barrier(benchmark_communicator()));
  Value value = 0;
  synchronisation_->begin_access();
  if (rank_ == kHost) value = *word();
  synchronisation_->end_access();
  MPI_REQUIRE(MPI_Bcast(&value, 1, MPI_UINT64_T, kHost, benchmark_communicator()));
  return value;
}

// What all calls since the last fill must have left in the word.
void SharedWord::check_total() {
  const Value own[3] = {changes_ * share_, changes_, calls_};
  Value all[3] = {};
  MPI_REQUIRE(MPI_Allreduce(own, all, 3, MPI_UINT64_T, MPI_SUM, benchmark_communicator()));
  total_wrong_ = total_wrong_ || word_everywhere() != base_ + all[0];
  all_changes_ += static_cast<double>(all[1]);
  all_calls_ += static_cast<double>(all[2]);
}

Axis origins_axis() {
  return task_axis("origins",
                   "who changes the word of rank 0: one (rank 1), or all ranks at once, rank 0 "
                   "among them",
                   {"one", "all"});
}

Operation shared_word_operation(const std::shared_ptr<SharedWord>& word) {
  Operation operation = operation_of(word);
  operation.series = word->is_origin() ? 0 : kNotTimed;
  operation.messages = word->origins();
  return operation;
}

}  // namespace leadline::probe
