#include "benchmarks/app/timestep_exchange.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <type_traits>

#include "benchmarks/rma/window.hpp"
#include "comm/mpi_world.hpp"
#include "harness/benchmark.hpp"

namespace leadline::probe::timestep {
namespace {

int tag_of(const Halo& halo, Side side) { return halo.index * 4 + static_cast<int>(side); }

// With buffers of ordinary memory.
class Buffered : public Exchange {
 public:
  explicit Buffered(const Halo& halo)
      : Exchange(halo), out_(4 * halo.stride), in_(4 * halo.stride) {}

 protected:
  double* out() override { return out_.data(); }
  const double* in() const override { return in_.data(); }
  double* from(Side side) { return in_.data() + side * halo().stride; }
  double* to(Side side) { return out_.data() + side * halo().stride; }
  int numbers(Side side) const { return static_cast<int>(count(side)); }

 private:
  std::vector<double> out_;
  std::vector<double> in_;
};

class TwoSided : public Buffered {
 public:
  using Buffered::Buffered;
  void call() override {
    std::array<MPI_Request, 8> requests{};
    int used = 0;
    for (const Side side : kSides) {
      if (!has(side)) continue;
      MPI_REQUIRE(MPI_Irecv(from(side), numbers(side), MPI_DOUBLE, halo().neighbours[side],
                            tag_of(halo(), opposite(side)), benchmark_communicator(),
                            &requests[static_cast<std::size_t>(used++)]));
    }
    for (const Side side : kSides) {
      if (!has(side)) continue;
      MPI_REQUIRE(MPI_Isend(to(side), numbers(side), MPI_DOUBLE, halo().neighbours[side],
                            tag_of(halo(), side), benchmark_communicator(),
                            &requests[static_cast<std::size_t>(used++)]));
    }
    MPI_REQUIRE(MPI_Waitall(used, requests.data(), MPI_STATUSES_IGNORE));
  }
};

class Persistent : public Buffered {
 public:
  explicit Persistent(const Halo& halo) : Buffered(halo) {
    for (const Side side : kSides) {
      if (!has(side)) continue;
      MPI_REQUIRE(MPI_Recv_init(from(side), numbers(side), MPI_DOUBLE, halo.neighbours[side],
                                tag_of(halo, opposite(side)), benchmark_communicator(),
                                &requests_.emplace_back()));
      MPI_REQUIRE(MPI_Send_init(to(side), numbers(side), MPI_DOUBLE, halo.neighbours[side],
                                tag_of(halo, side), benchmark_communicator(),
                                &requests_.emplace_back()));
    }
  }
  ~Persistent() override {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  void call() override {
    // Open MPI takes a list of none for a wrong one.
    if (requests_.empty()) return;
    MPI_REQUIRE(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()));
    MPI_REQUIRE(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  }

 private:
  std::vector<MPI_Request> requests_;
};

// On a Cartesian communicator, whose neighbours come in the order of the sides.
class Neighbourhood : public Buffered {
 public:
  explicit Neighbourhood(const Halo& halo) : Buffered(halo) {
    int size = 0;
    MPI_REQUIRE(MPI_Comm_size(benchmark_communicator(), &size));
    const ProcessGrid grid = process_grid(size);
    const std::array<int, 2> extents{grid.rows, grid.columns};
    const std::array<int, 2> periodic{0, 0};
    MPI_REQUIRE(
        MPI_Cart_create(benchmark_communicator(), 2, extents.data(), periodic.data(), 0, &grid_));
    MPI_REQUIRE(MPI_Comm_set_errhandler(grid_, MPI_ERRORS_RETURN));
    for (const Side side : kSides) {
      counts_[side] = numbers(side);
      offsets_[side] = static_cast<int>(side * halo.stride);
    }
  }
  ~Neighbourhood() override {
    if (std::uncaught_exceptions() == 0) MPI_REQUIRE(MPI_Comm_free(&grid_));
  }
  void call() override {
    MPI_REQUIRE(MPI_Neighbor_alltoallv(to(kNorth), counts_.data(), offsets_.data(), MPI_DOUBLE,
                                       from(kNorth), counts_.data(), offsets_.data(), MPI_DOUBLE,
                                       grid_));
  }

 private:
  MPI_Comm grid_ = MPI_COMM_NULL;
  std::array<int, 4> counts_{};
  std::array<int, 4> offsets_{};
};

// What is put lands in a window: of `slots` areas of four sides, and behind them a flag for each
// side, on a cache line of its own.
class OneSided : public Exchange {
 public:
  OneSided(const Halo& halo, std::size_t slots)
      : Exchange(halo),
        out_(4 * halo.stride),
        slot_bytes_(4 * halo.stride * sizeof(double)),
        window_(Window::Kind::kAllocate, slots * slot_bytes_ + 4 * kLine, benchmark_communicator()),
        flags_(slots * slot_bytes_) {}

 protected:
  static constexpr std::size_t kLine = 64;

  double* out() override { return out_.data(); }
  const double* in() const override {
    return reinterpret_cast<const double*>(window_.memory() + slot_ * slot_bytes_);
  }
  void use_slot(std::size_t slot) { slot_ = slot; }
  MPI_Win window() const { return window_.handle(); }
  std::uint64_t* flag(Side side) {
    return reinterpret_cast<std::uint64_t*>(window_.memory() + flags_ + side * kLine);
  }

  void put_values(Side side) {
    const std::size_t landing =
        slot_ * slot_bytes_ + opposite(side) * halo().stride * sizeof(double);
    put(outgoing(side).data(), outgoing(side).size_bytes(), side, landing);
  }
  void put_flag(Side side, const std::uint64_t& value) {
    put(&value, sizeof value, side, flags_ + opposite(side) * kLine);
  }

 private:
  void put(const void* data, std::size_t bytes, Side side, std::size_t landing) {
    const int count = static_cast<int>(bytes);
    MPI_REQUIRE(MPI_Put(data, count, MPI_BYTE, halo().neighbours[side],
                        static_cast<MPI_Aint>(landing), count, MPI_BYTE, window()));
  }

  std::vector<double> out_;
  std::size_t slot_bytes_;
  Window window_;
  std::size_t flags_;
  std::size_t slot_ = 0;
};

// Values, and a flag when they are there. A neighbour is at most one exchange ahead, since it waits
// for this process's own values: with two slots in turn nothing is overwritten that is still read.
class PutFlag : public OneSided {
 public:
  explicit PutFlag(const Halo& halo) : OneSided(halo, 2) {
    int* model = nullptr;
    int found = 0;
    MPI_REQUIRE(MPI_Win_get_attr(window(), MPI_WIN_MODEL, &model, &found));
    if (found == 0 || *model != MPI_WIN_UNIFIED) {
      throw Unavailable("this library's windows are not of the unified memory model");
    }
    MPI_REQUIRE(MPI_Win_lock_all(MPI_MODE_NOCHECK, window()));
    for (const Side side : kSides) *flag(side) = 0;
    MPI_REQUIRE(MPI_Win_sync(window()));
    MPI_REQUIRE(MPI_Barrier(benchmark_communicator()));
  }
  ~PutFlag() override {
    if (std::uncaught_exceptions() == 0) MPI_REQUIRE(MPI_Win_unlock_all(window()));
  }
  void call() override {
    ++turn_;
    use_slot(turn_ % 2);
    for (const Side side : kSides) {
      if (has(side)) put_values(side);
    }
    flush();
    for (const Side side : kSides) {
      if (has(side)) put_flag(side, turn_);
    }
    flush();
    for (const Side side : kSides) {
      if (has(side)) await(*flag(side));
    }
    MPI_REQUIRE(MPI_Win_sync(window()));
  }

 private:
  // A library may move data only while it is called: after so many looks in vain it is.
  static constexpr int kLooks = 100;

  void flush() {
    for (const Side side : kSides) {
      if (has(side)) MPI_REQUIRE(MPI_Win_flush(halo().neighbours[side], window()));
    }
  }
  void await(std::uint64_t& flag) const {
    const std::atomic_ref<std::uint64_t> now(flag);
    for (int looks = 1; now.load(std::memory_order_acquire) < turn_; ++looks) {
      if (looks % kLooks != 0) continue;
      int found = 0;
      MPI_REQUIRE(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, benchmark_communicator(), &found,
                             MPI_STATUS_IGNORE));
      MPI_REQUIRE(MPI_Win_sync(window()));
    }
  }

  std::uint64_t turn_ = 0;
};

// Post, start, complete, wait. A post says that what came last has been read.
class Pscw : public OneSided {
 public:
  explicit Pscw(const Halo& halo) : OneSided(halo, 1) {
    std::vector<int> ranks;
    for (const Side side : kSides) {
      if (has(side)) ranks.push_back(halo.neighbours[side]);
    }
    MPI_Group all = MPI_GROUP_NULL;
    MPI_REQUIRE(MPI_Win_get_group(window(), &all));
    MPI_REQUIRE(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &neighbours_));
    MPI_REQUIRE(MPI_Group_free(&all));
  }
  ~Pscw() override {
    if (neighbours_ != MPI_GROUP_EMPTY) MPI_Group_free(&neighbours_);
  }
  void call() override {
    MPI_REQUIRE(MPI_Win_post(neighbours_, 0, window()));
    MPI_REQUIRE(MPI_Win_start(neighbours_, 0, window()));
    for (const Side side : kSides) {
      if (has(side)) put_values(side);
    }
    MPI_REQUIRE(MPI_Win_complete(window()));
    MPI_REQUIRE(MPI_Win_wait(window()));
  }

 private:
  MPI_Group neighbours_ = MPI_GROUP_EMPTY;
};

template <typename Kind>
Pattern pattern(std::string name, std::string summary) {
  return {std::move(name), std::move(summary), std::is_base_of_v<OneSided, Kind>,
          [](const Halo& halo) { return std::make_unique<Kind>(halo); }};
}

}  // namespace

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all{
      pattern<TwoSided>("two_sided", "MPI_Irecv, MPI_Isend, MPI_Waitall"),
      pattern<Persistent>("persistent", "MPI_Startall and MPI_Waitall of persistent requests"),
      pattern<Neighbourhood>("neighbourhood", "MPI_Neighbor_alltoallv on a Cartesian communicator"),
      pattern<PutFlag>("put_flag",
                       "MPI_Put, MPI_Win_flush, MPI_Put of a flag, MPI_Win_flush, and a look at "
                       "the own flags until all have come"),
      pattern<Pscw>("pscw", "MPI_Put between MPI_Win_post, start, complete and wait"),
  };
  return all;
}

const Pattern& pattern_named(const std::string& name) {
  const auto found = std::ranges::find(patterns(), name, &Pattern::name);
  if (found == patterns().end()) throw std::invalid_argument("pattern=" + name + " is unknown");
  return *found;
}

}  // namespace leadline::probe::timestep
