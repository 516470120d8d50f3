#include "congestors/congestor.hpp"

#include <stdexcept>
#include <utility>

#include "comm/mpi_world.hpp"
#include "harness/neighbour.hpp"

namespace leadline::probe {
namespace {

// Rounds between two looks at the data: filling and comparing would slow the traffic down.
constexpr std::uint64_t kRoundsToVerify = 64;

std::map<std::string, Congestor>& registry() {
  static std::map<std::string, Congestor> all;
  return all;
}

void verified_round(const Congestor& congestor, const Traffic& traffic, MPI_Comm communicator,
                    std::uint64_t seed) {
  traffic.fill(seed);
  traffic.round();
  std::uint64_t wrong = traffic.wrong_bytes(seed);
  MPI_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, communicator));
  if (wrong > 0) {
    throw std::runtime_error("congestor " + congestor.name + " found " + std::to_string(wrong) +
                             " wrong bytes in what it moved");
  }
}

}  // namespace

const std::map<std::string, Congestor>& congestors() { return registry(); }

CongestorRegistration::CongestorRegistration(Congestor congestor) {
  declare_congestor({congestor.name, congestor.summary, congestor.minimum});
  const std::string name = congestor.name;
  registry().emplace(name, std::move(congestor));
}

Activity congest(const Congestor& congestor, MPI_Comm communicator, std::size_t bytes,
                 std::uint64_t seed, const std::function<void()>& started,
                 const std::function<bool(const Activity&)>& go_on) {
  Party party{communicator, 0, 0};
  MPI_REQUIRE(MPI_Comm_rank(communicator, &party.rank));
  MPI_REQUIRE(MPI_Comm_size(communicator, &party.size));
  if (party.size < congestor.minimum) {
    throw std::invalid_argument("congestor " + congestor.name + " needs " +
                                std::to_string(congestor.minimum) + " processes and has " +
                                std::to_string(party.size));
  }
  const Traffic traffic = congestor.prepare(party, bytes > 0 ? bytes : congestor.usual_bytes);
  double bytes_of_round = 0.0;
  MPI_REQUIRE(
      MPI_Reduce(&traffic.moved_bytes, &bytes_of_round, 1, MPI_DOUBLE, MPI_SUM, 0, communicator));
  verified_round(congestor, traffic, communicator, seed);

  Activity activity;
  activity.processes = party.size;
  const double begin = MPI_Wtime();
  if (party.rank == 0) started();
  for (std::uint64_t round = 1;; ++round) {
    int more = 0;
    if (party.rank == 0) {
      activity.seconds = MPI_Wtime() - begin;
      more = go_on(activity) ? 1 : 0;
    }
    MPI_REQUIRE(MPI_Bcast(&more, 1, MPI_INT, 0, communicator));
    if (more == 0) return activity;
    if (round % kRoundsToVerify == 0) {
      verified_round(congestor, traffic, communicator, seed + round);
    } else {
      traffic.round();
    }
    activity.rounds += 1.0;
    activity.moved_bytes += bytes_of_round;
  }
}

}  // namespace leadline::probe
