#include "comm/parties.hpp"

#include <time.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "comm/mpi_world.hpp"
#include "congestors/congestor.hpp"
#include "harness/probe.hpp"

namespace leadline::probe {
namespace {

constexpr int kStarted = 1;
constexpr int kStop = 2;
constexpr int kDid = 3;
constexpr int kEnd = -1;

// Waits for the request without keeping a core from those who measure. A simulator has a core for
// everybody, and time does not pass there while a request is only tested.
void wait_idly(MPI_Request& request) {
#ifdef SMPI_H
  MPI_REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE));
#else
  constexpr long kFirst = 50'000;
  constexpr long kLongest = 5'000'000;
  int done = 0;
  for (timespec pause{0, kFirst};; pause.tv_nsec = std::min(2 * pause.tv_nsec, kLongest)) {
    MPI_REQUIRE(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return;
    nanosleep(&pause, nullptr);
  }
#endif
}

int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_REQUIRE(MPI_Comm_rank(communicator, &rank));
  return rank;
}

MPI_Comm part_of(MPI_Comm communicator, bool member) {
  MPI_Comm part = MPI_COMM_NULL;
  const int rank = rank_in(communicator);
  MPI_REQUIRE(MPI_Comm_split(communicator, member ? 0 : MPI_UNDEFINED, rank, &part));
  if (part != MPI_COMM_NULL) MPI_REQUIRE(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN));
  return part;
}

void release(MPI_Comm& communicator) {
  if (communicator != MPI_COMM_NULL && communicator != MPI_COMM_WORLD) {
    MPI_Comm_free(&communicator);
  }
}

}  // namespace

// What a point wants of the ranks that do not measure: the congestor by its place in the list.
struct Parties::Order {
  int congestor = kEnd;
  int spacer = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seed = 0;
};

Parties::Parties(int victims, int neighbours) : victims_(victims), neighbours_(neighbours) {
  if (victims == 0) return;
  MPI_REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  {
    const MpiWorld all(MPI_COMM_WORLD);
    unit_ = all.nodes() > 1 ? all.node() : all.rank();
    units_ = all.nodes() > 1 ? all.nodes() : all.size();
  }
  if (victims + neighbours > units_ || neighbours < 1) {
    if (rank_in(MPI_COMM_WORLD) == 0) {
      report_failure(std::to_string(victims) + " nodes that measure and " +
                         std::to_string(neighbours) + " beside them are not in a job of " +
                         std::to_string(units_),
                     0);
      MPI_Abort(MPI_COMM_WORLD, kBadInput);
    }
    MPI_Barrier(MPI_COMM_WORLD);  // the first rank ends all
  }
  const bool measures = unit_ < victims;
  measuring_ = part_of(MPI_COMM_WORLD, measures);
  others_ = part_of(MPI_COMM_WORLD, !measures);
  rank_ = measures ? rank_in(measuring_) : -1;
  orders_ = part_of(MPI_COMM_WORLD, !measures || rank_ == 0);
}

Parties::~Parties() {
  for (MPI_Comm* each : {&measuring_, &others_, &orders_}) release(*each);
}

void Parties::issue(Order order) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_REQUIRE(MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, orders_, &request));
  MPI_REQUIRE(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

Parties::Order Parties::await_order() {
  Order order;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_REQUIRE(MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, orders_, &request));
  wait_idly(request);
  return order;
}

void Parties::start(const Point& point) {
  if (victims_ == 0) check_no_neighbour(point);
  asked_ = point.has("neighbour") && point.choice("neighbour") != kNoNeighbour;
  if (!asked_) return;
  const auto found = congestors().find(point.choice("neighbour"));
  if (found == congestors().end()) {
    throw std::invalid_argument("this probe has no congestor " + point.choice("neighbour"));
  }
  Order order;
  order.congestor = static_cast<int>(std::distance(congestors().begin(), found));
  order.spacer = point.has("spacer") ? static_cast<int>(point.integer("spacer")) : 0;
  order.bytes = point.has("neighbour_bytes") ? point.bytes("neighbour_bytes") : 0;
  order.seed = point.seed();
  if (victims_ + order.spacer + neighbours_ > units_) {
    throw std::invalid_argument("spacer=" + std::to_string(order.spacer) + " leaves less than " +
                                std::to_string(neighbours_) + " nodes for the neighbour");
  }
  if (rank_ == 0) {
    issue(order);
    MPI_Status status;
    MPI_REQUIRE(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, kStarted, orders_, &status));
    running_ = status.MPI_SOURCE;
  }
  MPI_REQUIRE(MPI_Barrier(measuring_));
}

std::map<std::string, double> Parties::stop() {
  if (!asked_ || rank_ != 0) return {};
  MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, running_, kStop, orders_));
  Activity did;
  MPI_REQUIRE(MPI_Recv(&did, sizeof did, MPI_BYTE, running_, kDid, orders_, MPI_STATUS_IGNORE));
  return {
      {"neighbour_processes", did.processes},
      {"neighbour_bytes", did.moved_bytes},
      {"neighbour_bytes_per_s", did.seconds > 0.0 ? did.moved_bytes / did.seconds : 0.0},
      {"neighbour_seconds", did.seconds},
  };
}

void Parties::end() {
  if (victims_ > 0 && rank_ == 0) issue(Order{});
}

void Parties::carry_out(const Order& order) {
  const int first = victims_ + order.spacer;
  MPI_Comm party = part_of(others_, unit_ >= first && unit_ < first + neighbours_);
  if (party == MPI_COMM_NULL) return;
  const Congestor& congestor = std::next(congestors().begin(), order.congestor)->second;
  current_point() = "neighbour=" + congestor.name;
  MPI_Request stop = MPI_REQUEST_NULL;
  const auto started = [&] {
    MPI_REQUIRE(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, kStop, orders_, &stop));
    MPI_REQUIRE(MPI_Send(nullptr, 0, MPI_BYTE, 0, kStarted, orders_));
  };
  const auto go_on = [&](const Activity&) {
    int stopped = 0;
    MPI_REQUIRE(MPI_Test(&stop, &stopped, MPI_STATUS_IGNORE));
    return stopped == 0;
  };
  const Activity did = congest(congestor, party, order.bytes, order.seed, started, go_on);
  if (rank_in(party) == 0) {
    MPI_REQUIRE(MPI_Send(&did, sizeof did, MPI_BYTE, 0, kDid, orders_));
  }
  release(party);
  current_point().clear();
}

int Parties::serve() {
  return guarded(
      rank_in(MPI_COMM_WORLD),
      [&] {
        for (Order order = await_order(); order.congestor != kEnd; order = await_order()) {
          carry_out(order);
        }
      },
      [](int status) { MPI_Abort(MPI_COMM_WORLD, status); });
}

}  // namespace leadline::probe
