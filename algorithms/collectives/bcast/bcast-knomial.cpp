// In each step every rank that has the data sends them to three that have not, without waiting in
// between: ceil(log4(P)) steps, P-1 messages of all data. Where several messages can be sent in the
// time that one takes to arrive, that is up to half the time of a binomial tree. Largest subtrees
// first.
//
// A rank's place counts from the root's; its parent's is its own without the lowest digit, to the
// base of 4, that is not 0.
#include <array>
#include <cstddef>

#include "algorithms/collectives/bcast/bcast.hpp"
#include "algorithms/collectives/elements.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {
namespace {

constexpr long kRadix = 4;

// The places below `place` and its own are those before `place` + this.
long subtree(long place, long size) {
  long step = 1;
  while (step < size && place / step % kRadix == 0) step *= kRadix;
  return step;
}

int bcast_knomial(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  Shape shape;
  RETURN_IF_FAILED(shape.describe(count, type, comm));
  const auto& [rank, size, elements] = shape;
  if (elements.data == 0) return MPI_SUCCESS;
  const auto rank_at = [&](long place) { return static_cast<int>((place + root) % size); };
  const long place = rank < root ? long{rank} - root + size : rank - root;
  const long below = subtree(place, size);
  if (place != 0) {
    const long parent = place - place / below % kRadix * below;
    RETURN_IF_FAILED(
        PMPI_Recv(data, count, type, rank_at(parent), kAlgorithmTag, comm, MPI_STATUS_IGNORE));
  }
  constexpr int kMostSteps = 16;  // of an int
  std::array<MPI_Request, (kRadix - 1) * kMostSteps> sent;
  int messages = 0;
  for (long step = below / kRadix; step > 0; step /= kRadix) {
    for (long child = place + step; child < place + kRadix * step && child < size; child += step) {
      RETURN_IF_FAILED(PMPI_Isend(data, count, type, rank_at(child), kAlgorithmTag, comm,
                                  &sent[static_cast<std::size_t>(messages++)]));
    }
  }
  return PMPI_Waitall(messages, sent.data(), MPI_STATUSES_IGNORE);
}

const BcastAlgorithm knomial{
    "knomial", "all data down a tree in which ranks send to three at once, ceil(log4(P)) steps",
    "Karp, Sahay, Santos, Schauser: Optimal Broadcast and Summation in the LogP Model, SPAA 1993",
    bcast_knomial};

}  // namespace
}  // namespace leadline::coll
