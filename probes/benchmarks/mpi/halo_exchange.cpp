#include "benchmarks/mpi/halo_exchange.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "comm/mpi_world.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

class Requests {
 public:
  void receive(Halo& halo, const Border& border) {
    MPI_REQUIRE(MPI_Irecv(halo.in.data() + border.offset, border.bytes, MPI_BYTE, border.neighbour,
                          border.in_tag, halo.communicator, next()));
  }
  void send(Halo& halo, const Border& border) {
    MPI_REQUIRE(MPI_Isend(halo.out.data() + border.offset, border.bytes, MPI_BYTE, border.neighbour,
                          border.out_tag, halo.communicator, next()));
  }
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
  void reserve(std::size_t requests) { requests_.reserve(requests); }
  int count() const { return static_cast<int>(requests_.size()); }
  MPI_Request* data() { return requests_.data(); }
  void wait() { MPI_REQUIRE(MPI_Waitall(count(), data(), MPI_STATUSES_IGNORE)); }
  void wait_and_forget() {
    wait();
    requests_.clear();
  }

 private:
  std::vector<MPI_Request> requests_;
};

// One dimension after the other.
class Staged : public Exchange {
 public:
  explicit Staged(Halo& halo) : halo_(halo) {
    for (const Border& border : halo.borders) {
      const auto dimension = static_cast<std::size_t>(border.dimension);
      stages_.resize(std::max(stages_.size(), dimension + 1));
      stages_[dimension].push_back(border);
    }
    requests_.reserve(2 * halo.borders.size());
  }
  void call() override {
    for (const std::vector<Border>& stage : stages_) {
      for (const Border& border : stage) requests_.receive(halo_, border);
      for (const Border& border : stage) requests_.send(halo_, border);
      requests_.wait_and_forget();
    }
  }

 private:
  Halo& halo_;
  std::vector<std::vector<Border>> stages_;
  Requests requests_;
};

class AtOnce : public Exchange {
 public:
  explicit AtOnce(Halo& halo) : halo_(halo) { requests_.reserve(2 * halo.borders.size()); }
  void call() override {
    for (const Border& border : halo_.borders) requests_.receive(halo_, border);
    for (const Border& border : halo_.borders) requests_.send(halo_, border);
    requests_.wait_and_forget();
  }

 private:
  Halo& halo_;
  Requests requests_;
};

class SendReceive : public Exchange {
 public:
  explicit SendReceive(Halo& halo) : halo_(halo) { requests_.reserve(halo.borders.size()); }
  void call() override {
    for (const Border& border : halo_.borders) requests_.send(halo_, border);
    for (const Border& border : halo_.borders) {
      MPI_REQUIRE(MPI_Recv(halo_.in.data() + border.offset, border.bytes, MPI_BYTE,
                           border.neighbour, border.in_tag, halo_.communicator, MPI_STATUS_IGNORE));
    }
    requests_.wait_and_forget();
  }

 private:
  Halo& halo_;
  Requests requests_;
};

// Where two tasks are neighbours in several directions, the n-th message that one lists for the
// other meets the n-th that the other lists from it. So both list by the direction of travel.
class Neighbourhood : public Exchange {
 public:
  explicit Neighbourhood(Halo& halo) : halo_(halo), types_(halo.borders.size(), MPI_BYTE) {
    require_real("there are no neighbourhood collectives: take another pattern");
    std::vector<int> targets;
    for (const Border& border : halo.borders) {
      targets.push_back(border.neighbour);
      out_bytes_.push_back(border.bytes);
      out_offsets_.push_back(static_cast<MPI_Aint>(border.offset));
    }
    std::vector<Border> arriving = halo.borders;
    std::ranges::sort(arriving, {}, &Border::in_tag);
    std::vector<int> sources;
    for (const Border& border : arriving) {
      sources.push_back(border.neighbour);
      in_bytes_.push_back(border.bytes);
      in_offsets_.push_back(static_cast<MPI_Aint>(border.offset));
    }
    const std::vector<int> weights(targets.size(), 1);
    const auto degree = static_cast<int>(targets.size());
    MPI_REQUIRE(MPI_Dist_graph_create_adjacent(halo.communicator, degree, sources.data(),
                                               weights.data(), degree, targets.data(),
                                               weights.data(), MPI_INFO_NULL, 0, &graph_));
    MPI_REQUIRE(MPI_Comm_set_errhandler(graph_, MPI_ERRORS_RETURN));
  }
  ~Neighbourhood() override {
    if (std::uncaught_exceptions() == 0) MPI_REQUIRE(MPI_Comm_free(&graph_));
  }
  void call() override {
    MPI_REQUIRE(MPI_Neighbor_alltoallw(halo_.out.data(), out_bytes_.data(), out_offsets_.data(),
                                       types_.data(), halo_.in.data(), in_bytes_.data(),
                                       in_offsets_.data(), types_.data(), graph_));
  }

 private:
  Halo& halo_;
  std::vector<int> out_bytes_;
  std::vector<int> in_bytes_;
  std::vector<MPI_Aint> out_offsets_;
  std::vector<MPI_Aint> in_offsets_;
  std::vector<MPI_Datatype> types_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

class Persistent : public Exchange {
 public:
  explicit Persistent(Halo& halo) {
    requests_.reserve(2 * halo.borders.size());
    for (const Border& border : halo.borders) {
      MPI_REQUIRE(MPI_Recv_init(halo.in.data() + border.offset, border.bytes, MPI_BYTE,
                                border.neighbour, border.in_tag, halo.communicator,
                                requests_.next()));
    }
    for (const Border& border : halo.borders) {
      MPI_REQUIRE(MPI_Send_init(halo.out.data() + border.offset, border.bytes, MPI_BYTE,
                                border.neighbour, border.out_tag, halo.communicator,
                                requests_.next()));
    }
  }
  ~Persistent() override {
    for (int i = 0; i < requests_.count(); ++i) MPI_REQUIRE(MPI_Request_free(requests_.data() + i));
  }
  void call() override {
    MPI_REQUIRE(MPI_Startall(requests_.count(), requests_.data()));
    requests_.wait();
  }

 private:
  Requests requests_;
};

#ifndef LEADLINE_RECORDER_MPI_H
// MPI 4.1, section 4.2.
using PartitionedInit = int(const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info,
                            MPI_Request*);
using ReadyRange = int(int, int, MPI_Request);

// As if so many threads produced a message together.
constexpr int kPartitions = 4;

class Partitioned : public Exchange {
 public:
  explicit Partitioned(Halo& halo) {
    if (receive_init_ == nullptr || send_init_ == nullptr || ready_range_ == nullptr) {
      throw Unavailable("the library has no MPI_Psend_init");
    }
    // open-mpi/ompi issue 12969
    if (library_release("Open MPI v")) {
      throw Unavailable("partitions with more than one neighbour hang in Open MPI");
    }
    requests_.reserve(2 * halo.borders.size());
    for (const Border& border : halo.borders) {
      MPI_REQUIRE(receive_init_(halo.in.data() + border.offset, partitions(border),
                                border.bytes / partitions(border), MPI_BYTE, border.neighbour,
                                border.in_tag, halo.communicator, MPI_INFO_NULL, requests_.next()));
    }
    for (const Border& border : halo.borders) {
      sends_.push_back({partitions(border), requests_.count()});
      MPI_REQUIRE(send_init_(halo.out.data() + border.offset, partitions(border),
                             border.bytes / partitions(border), MPI_BYTE, border.neighbour,
                             border.out_tag, halo.communicator, MPI_INFO_NULL, requests_.next()));
    }
  }
  ~Partitioned() override {
    for (int i = 0; i < requests_.count(); ++i) MPI_REQUIRE(MPI_Request_free(requests_.data() + i));
  }
  void call() override {
    MPI_REQUIRE(MPI_Startall(requests_.count(), requests_.data()));
    for (const auto& [partitions, request] : sends_) {
      MPI_REQUIRE(ready_range_(0, partitions - 1, requests_.data()[request]));
    }
    requests_.wait();
  }

 private:
  static int partitions(const Border& border) {
    return border.bytes > 0 && border.bytes % kPartitions == 0 ? kPartitions : 1;
  }

  PartitionedInit* receive_init_ = newer_function<PartitionedInit>("MPI_Precv_init");
  PartitionedInit* send_init_ = newer_function<PartitionedInit>("MPI_Psend_init");
  ReadyRange* ready_range_ = newer_function<ReadyRange>("MPI_Pready_range");
  Requests requests_;
  std::vector<std::pair<int, int>> sends_;  // partitions, and which request
};
#endif

// Each task puts into its neighbours' halos, between post, start, complete and wait.
class OneSided : public Exchange {
 public:
  explicit OneSided(Halo& halo) : halo_(halo) {
    MPI_REQUIRE(MPI_Win_create(halo.in.data(), static_cast<MPI_Aint>(halo.in.bytes()), 1,
                               MPI_INFO_NULL, halo.communicator, &window_));
    MPI_REQUIRE(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
    std::vector<int> ranks;
    for (const Border& border : halo.borders) ranks.push_back(border.neighbour);
    std::ranges::sort(ranks);
    const auto repeated = std::ranges::unique(ranks);
    ranks.erase(repeated.begin(), repeated.end());
    MPI_Group all = MPI_GROUP_NULL;
    MPI_REQUIRE(MPI_Win_get_group(window_, &all));
    MPI_REQUIRE(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &neighbours_));
    MPI_REQUIRE(MPI_Group_free(&all));
  }
  ~OneSided() override {
    if (std::uncaught_exceptions() > 0) return;
    if (neighbours_ != MPI_GROUP_EMPTY) MPI_REQUIRE(MPI_Group_free(&neighbours_));
    MPI_REQUIRE(MPI_Win_free(&window_));
  }
  void call() override {
    MPI_REQUIRE(MPI_Win_post(neighbours_, 0, window_));
    MPI_REQUIRE(MPI_Win_start(neighbours_, 0, window_));
    for (const Border& border : halo_.borders) {
      MPI_REQUIRE(MPI_Put(halo_.out.data() + border.offset, border.bytes, MPI_BYTE,
                          border.neighbour, static_cast<MPI_Aint>(border.landing), border.bytes,
                          MPI_BYTE, window_));
    }
    MPI_REQUIRE(MPI_Win_complete(window_));
    MPI_REQUIRE(MPI_Win_wait(window_));
  }

 private:
  Halo& halo_;
  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Group neighbours_ = MPI_GROUP_EMPTY;
};

template <typename Kind>
ExchangePattern pattern(std::string name, std::string summary, bool fixed_buffers = false) {
  return {std::move(name), std::move(summary), fixed_buffers,
          [](Halo& halo) { return std::make_unique<Kind>(halo); }};
}

}  // namespace

const std::vector<ExchangePattern>& exchange_patterns() {
  static const std::vector<ExchangePattern> patterns{
      pattern<Staged>("staged",
                      "MPI_Irecv, MPI_Isend and MPI_Waitall in one dimension after the other"),
      pattern<AtOnce>("at_once", "all MPI_Irecv, all MPI_Isend, one MPI_Waitall"),
      pattern<SendReceive>("send_recv", "all MPI_Isend, all MPI_Recv, MPI_Waitall"),
      pattern<SendReceive>("bunched",
                           "send_recv with the tasks of a node on a compact part of the grid"),
      pattern<Neighbourhood>("neighbourhood", "MPI_Neighbor_alltoallw on a graph of the grid"),
      pattern<Persistent>("persistent", "MPI_Startall and MPI_Waitall of persistent requests",
                          true),
#ifndef LEADLINE_RECORDER_MPI_H
      pattern<Partitioned>("partitioned",
                           "MPI_Psend_init and MPI_Precv_init, all partitions ready at once", true),
#endif
      pattern<OneSided>("one_sided", "MPI_Put between MPI_Win_post, start, complete and wait",
                        true),
  };
  return patterns;
}

}  // namespace leadline::probe
