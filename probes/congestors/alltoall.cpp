// Every process sends to every other at once: all links and the bisection are busy.
#include <memory>

#include "comm/mpi_world.hpp"
#include "congestors/congestor.hpp"
#include "congestors/messages.hpp"

namespace leadline::probe {
namespace {

Traffic prepare(const Party& party, std::size_t bytes) {
  const auto out = std::make_shared<PartyMessages>(bytes, party.size);
  const auto in = std::make_shared<PartyMessages>(bytes, party.size);
  Traffic traffic;
  traffic.moved_bytes = static_cast<double>(bytes) * (party.size - 1);
  traffic.fill = [=](std::uint64_t seed) {
    for (int to = 0; to < party.size; ++to) out->fill(to, seed, party.rank, to);
  };
  traffic.round = [=] {
    MPI_REQUIRE(MPI_Alltoall(out->at(0), out->bytes(), MPI_BYTE, in->at(0), in->bytes(), MPI_BYTE,
                             party.communicator));
  };
  traffic.wrong_bytes = [=](std::uint64_t seed) {
    std::size_t wrong = 0;
    for (int from = 0; from < party.size; ++from) wrong += in->wrong(from, seed, from, party.rank);
    return wrong;
  };
  return traffic;
}

const CongestorRegistration alltoall({
    .name = "alltoall",
    .summary = "every process sends to every other",
    .minimum = 2,
    .usual_bytes = std::size_t{64} << 10U,
    .prepare = prepare,
});

}  // namespace
}  // namespace leadline::probe
