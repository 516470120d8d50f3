// Traffic that is there to disturb others: it runs beside a benchmark, in the same job or as a job
// of its own, until it is told to stop. It counts what it moves and looks at it every so often, so
// that the record shows that the disturbance was there.
//
// One congestor is one file in probes/congestors/ with one `const CongestorRegistration`.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace leadline::probe {

// The processes that disturb, and this one among them.
struct Party {
  MPI_Comm communicator;
  int rank;
  int size;
};

// What one rank does, ready to go round after round.
struct Traffic {
  // What this rank moves in a round: bytes that it sends, or that it reads and writes.
  double moved_bytes = 0.0;
  // New content for the rounds that follow, different for every seed.
  std::function<void(std::uint64_t seed)> fill;
  // Every rank makes equally many.
  std::function<void()> round;
  // After a round that followed `fill`: how many bytes on this rank are not what they must be.
  std::function<std::size_t(std::uint64_t seed)> wrong_bytes;
};

// Traffic that fills, goes round and checks as `body` does.
template <typename Body>
Traffic traffic_of(const std::shared_ptr<Body>& body, double moved_bytes) {
  return {.moved_bytes = moved_bytes,
          .fill = [body](std::uint64_t seed) { body->fill(seed); },
          .round = [body] { body->round(); },
          .wrong_bytes = [body](std::uint64_t seed) { return body->wrong_bytes(seed); }};
}

struct Congestor {
  std::string name;
  std::string summary;
  int minimum;              // processes
  std::size_t usual_bytes;  // of a message, or of an array
  // Collective over the party. Whatever a round needs lives in the closures.
  std::function<Traffic(const Party& party, std::size_t bytes)> prepare;
};

const std::map<std::string, Congestor>& congestors();

// Makes a congestor known. Its file must be one of the executable's own sources.
class CongestorRegistration {
 public:
  explicit CongestorRegistration(Congestor congestor);
};

// What all ranks of a party together did so far.
struct Activity {
  double moved_bytes = 0.0;
  double seconds = 0.0;  // since the first round, which is not counted, was found right
  double rounds = 0.0;
  double processes = 0.0;
};

// Collective over the communicator: goes round after round. The two functions are called on rank 0
// alone: `started` when the first round has been found right everywhere, `go_on` before each
// further one. `bytes` 0: the usual size. Returns what was done, on rank 0.
// Throws, on every rank alike, std::invalid_argument for too few processes and std::runtime_error
// for wrong bytes.
Activity congest(const Congestor& congestor, MPI_Comm communicator, std::size_t bytes,
                 std::uint64_t seed, const std::function<void()>& started,
                 const std::function<bool(const Activity&)>& go_on);

}  // namespace leadline::probe
