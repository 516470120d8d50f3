// Pairs of processes that pass messages with pauses: what a well-mannered program sends. Such a
// neighbour was enough to be seen on the Cray T3E (ARSC T3E Users' Newsletter 117, April 1997).
#include <time.h>

#include <memory>

#include "comm/mpi_world.hpp"
#include "congestors/congestor.hpp"
#include "congestors/messages.hpp"

namespace leadline::probe {
namespace {

constexpr int kTag = 1;
constexpr timespec kPause{0, 1'000'000};

Traffic prepare(const Party& party, std::size_t bytes) {
  const int other = (party.rank ^ 1) < party.size ? party.rank ^ 1 : MPI_PROC_NULL;
  const auto out = std::make_shared<PartyMessages>(bytes, 1);
  const auto in = std::make_shared<PartyMessages>(bytes, 1);
  Traffic traffic;
  traffic.moved_bytes = other == MPI_PROC_NULL ? 0.0 : static_cast<double>(bytes);
  traffic.fill = [=](std::uint64_t seed) { out->fill(0, seed, party.rank, other); };
  traffic.round = [=] {
    MPI_REQUIRE(MPI_Sendrecv(out->at(0), out->bytes(), MPI_BYTE, other, kTag, in->at(0),
                             in->bytes(), MPI_BYTE, other, kTag, party.communicator,
                             MPI_STATUS_IGNORE));
    nanosleep(&kPause, nullptr);
  };
  traffic.wrong_bytes = [=](std::uint64_t seed) {
    return other == MPI_PROC_NULL ? 0 : in->wrong(0, seed, other, party.rank);
  };
  return traffic;
}

const CongestorRegistration route({
    .name = "route",
    .summary = "pairs of processes pass messages with pauses",
    .minimum = 2,
    .usual_bytes = std::size_t{1} << 10U,
    .prepare = prepare,
});

}  // namespace
}  // namespace leadline::probe
