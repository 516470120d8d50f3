// Rank 0 puts bytes into rank 1's memory: time by size, by the way in which the two synchronise,
// and by the kind of window.
#include <mpi.h>

#include <climits>
#include <memory>
#include <stdexcept>
#include <string>

#include "benchmarks/rma/window.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "worlds/mpi_world.hpp"

namespace leadline {
namespace {

constexpr int kOrigin = 0;
constexpr int kTarget = 1;
enum Series { kOriginTime = 0, kTargetTime = 1 };

struct Message {
  const void* data;
  int bytes;
  MPI_Aint displacement;

  void put(MPI_Win window) const {
    MPI_REQUIRE(MPI_Put(data, bytes, MPI_BYTE, kTarget, displacement, bytes, MPI_BYTE, window));
  }
};

// What the two ranks do around a put. It is prepared and ended outside the timed region.
class Synchronisation {
 public:
  explicit Synchronisation(MPI_Win window) : window_(window) {}
  virtual ~Synchronisation() = default;
  // Timed, on the one rank and the other.
  virtual void origin(const Message& message) = 0;
  virtual void target() {}
  virtual bool target_takes_part() const { return false; }
  // Untimed, on both ranks, around what the target reads and writes in its own window.
  virtual void begin_access() {}
  virtual void end_access() {}

 protected:
  MPI_Win window_;
};

class Flush : public Synchronisation {
 public:
  explicit Flush(MPI_Win window) : Synchronisation(window) {
    MPI_REQUIRE(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  }
  ~Flush() override { MPI_REQUIRE(MPI_Win_unlock_all(window_)); }
  void origin(const Message& message) override {
    message.put(window_);
    MPI_REQUIRE(MPI_Win_flush(kTarget, window_));
  }
  void begin_access() override { MPI_REQUIRE(MPI_Win_sync(window_)); }
  void end_access() override { MPI_REQUIRE(MPI_Win_sync(window_)); }
};

// Each fence ends one epoch and begins the next, so there is one for each put.
class Fence : public Synchronisation {
 public:
  explicit Fence(MPI_Win window) : Synchronisation(window) { fence(); }
  void origin(const Message& message) override {
    message.put(window_);
    fence();
  }
  void target() override { fence(); }
  bool target_takes_part() const override { return true; }
  void end_access() override { fence(); }

 private:
  void fence() { MPI_REQUIRE(MPI_Win_fence(0, window_)); }
};

// Post, start, complete, wait.
class Pscw : public Synchronisation {
 public:
  Pscw(MPI_Win window, int peer) : Synchronisation(window) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_REQUIRE(MPI_Win_get_group(window_, &all));
    MPI_REQUIRE(MPI_Group_incl(all, 1, &peer, &peer_));
    MPI_REQUIRE(MPI_Group_free(&all));
  }
  ~Pscw() override { MPI_REQUIRE(MPI_Group_free(&peer_)); }
  void origin(const Message& message) override {
    MPI_REQUIRE(MPI_Win_start(peer_, 0, window_));
    message.put(window_);
    MPI_REQUIRE(MPI_Win_complete(window_));
  }
  void target() override {
    MPI_REQUIRE(MPI_Win_post(peer_, 0, window_));
    MPI_REQUIRE(MPI_Win_wait(window_));
  }
  bool target_takes_part() const override { return true; }

 private:
  MPI_Group peer_ = MPI_GROUP_NULL;
};

class Lock : public Synchronisation {
 public:
  Lock(MPI_Win window, int rank) : Synchronisation(window), rank_(rank) {}
  void origin(const Message& message) override {
    MPI_REQUIRE(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, kTarget, 0, window_));
    message.put(window_);
    MPI_REQUIRE(MPI_Win_unlock(kTarget, window_));
  }
  void begin_access() override { MPI_REQUIRE(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_, 0, window_)); }
  void end_access() override { MPI_REQUIRE(MPI_Win_unlock(rank_, window_)); }

 private:
  int rank_;
};

std::unique_ptr<Synchronisation> synchronisation_of(const Point& point, MPI_Win window) {
  const std::string& name = point.choice("synchronisation");
  const int rank = point.world().rank();
  if (name == "flush") return std::make_unique<Flush>(window);
  if (name == "fence") return std::make_unique<Fence>(window);
  if (name == "pscw") return std::make_unique<Pscw>(window, rank == kOrigin ? kTarget : kOrigin);
  if (name == "lock") return std::make_unique<Lock>(window, rank);
  throw std::invalid_argument("synchronisation=" + name + " is none of rma/put");
}

Window::Kind window_kind(const Point& point) {
  const std::string& name = point.choice("window");
  if (name == "allocate") return Window::Kind::kAllocate;
  if (name == "create") return Window::Kind::kCreate;
  if (name != "shared") throw std::invalid_argument("window=" + name + " is none of rma/put");
  if (point.world().nodes() > 1) {
    throw std::invalid_argument(
        "window=shared needs both ranks on one node: place them 1x2, or use window=allocate");
  }
  return Window::Kind::kShared;
}

// One rank's side. The source's bytes matter on the origin, the window's on the target; both ranks
// step alike, so the origin knows where in the window the target looks.
class Delivery {
 public:
  Delivery(const Point& point, std::size_t bytes)
      : rank_(point.world().rank()),
        bytes_(bytes),
        source_(point.buffer(rank_ == kOrigin ? bytes : 0)),
        slots_(bytes, point.cold()),
        window_(window_kind(point), rank_ == kTarget ? slots_.area_bytes() : 0,
                benchmark_communicator()),
        synchronisation_(synchronisation_of(point, window_.handle())) {}

  bool timed() const { return rank_ == kOrigin || synchronisation_->target_takes_part(); }

  void call() {
    last_ = slots_.offset();
    if (rank_ == kOrigin) {
      synchronisation_->origin({.data = source_.data(),
                                .bytes = static_cast<int>(bytes_),
                                .displacement = static_cast<MPI_Aint>(last_)});
      source_.step();
    } else {
      synchronisation_->target();
    }
    slots_.step();
  }
  void fill(std::uint64_t seed) {
    if (rank_ == kOrigin) fill_content(source_.data(), bytes_, seed);
    synchronisation_->begin_access();
    if (rank_ == kTarget) fill_content(window_.memory() + slots_.offset(), bytes_, ~seed);
    synchronisation_->end_access();
  }
  std::size_t wrong_bytes(std::uint64_t seed) {
    synchronisation_->begin_access();
    const std::size_t wrong =
        rank_ == kTarget ? wrong_content(window_.memory() + last_, bytes_, seed) : 0;
    synchronisation_->end_access();
    return wrong;
  }

 private:
  int rank_;
  std::size_t bytes_;
  Buffer source_;
  Slots slots_;
  Window window_;
  std::unique_ptr<Synchronisation> synchronisation_;  // ends before its window is freed
  std::size_t last_ = 0;
};

Operation prepare(const Point& point) {
  const std::size_t bytes = point.bytes();
  if (bytes > INT_MAX) {
    throw std::invalid_argument("bytes=" + std::to_string(bytes) +
                                " is too much for one MPI_Put: give less than 2G");
  }
  const auto delivery = std::make_shared<Delivery>(point, bytes);
  const int rank = point.world().rank();
  Operation operation;
  operation.call = [delivery] { delivery->call(); };
  operation.fill = [delivery](std::uint64_t seed) { delivery->fill(seed); };
  operation.wrong_bytes = [delivery](std::uint64_t seed) { return delivery->wrong_bytes(seed); };
  operation.series = !delivery->timed() ? kNotTimed : rank == kOrigin ? kOriginTime : kTargetTime;
  operation.peer = 1 - rank;
  operation.bytes = bytes;
  operation.moved_bytes = static_cast<double>(bytes);
  return operation;
}

const Registration put{{
    .name = "rma/put",
    .summary = "time of an MPI_Put from rank 0 into rank 1's window with its synchronisation",
    .axes = {bytes_axis("1:4M:x2"),
             choice_axis("synchronisation",
                         "flush: MPI_Put and MPI_Win_flush in an epoch that stays open; fence: "
                         "MPI_Put and MPI_Win_fence; pscw: MPI_Win_start, MPI_Put, "
                         "MPI_Win_complete against MPI_Win_post, MPI_Win_wait; lock: "
                         "MPI_Win_lock, MPI_Put, MPI_Win_unlock",
                         {"flush", "fence", "pscw", "lock"}),
             choice_axis("window",
                         "who provides the target's memory: MPI_Win_allocate, the program "
                         "(MPI_Win_create), or MPI_Win_allocate_shared",
                         {"allocate", "create", "shared"})},
    .processes = {.minimum = 2, .maximum = 2},
    .series =
        {{"origin",
          "from before the first of these calls to after the last on rank 0, which stops the "
          "clock; by then the data are in the target's memory (flush, lock), the epoch is over "
          "(fence), or the origin may reuse its buffer (pscw)"},
         {"target",
          "fence and pscw only: from before the first of the target's calls to after the last on "
          "rank 1, which stops the clock; by then the data are in its memory and may be read"}},
    .start = Start::kBackToBack,
    .prepare = prepare,
}};

}  // namespace
}  // namespace leadline
