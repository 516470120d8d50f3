#include "congestors/alone.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include "comm/mpi_world.hpp"
#include "congestors/congestor.hpp"
#include "harness/json.hpp"
#include "harness/record.hpp"
#include "harness/stream.hpp"

namespace leadline::probe {
namespace {

constexpr double kReportSeconds = 1.0;
constexpr std::uint64_t kSeed = 1;

void report(Stream& stream, const Activity& activity) {
  stream.event("congesting", JsonObject()
                                 .add("processes", activity.processes)
                                 .add("seconds", activity.seconds)
                                 .add("moved_bytes", activity.moved_bytes)
                                 .add("rounds", activity.rounds));
}

void carry_out(const Arguments& arguments, Stream* stream) {
  const auto found = congestors().find(arguments.congest);
  if (found == congestors().end()) {
    throw std::invalid_argument("this probe has no congestor " + arguments.congest);
  }
  if (stream) {
    stream->event("start", JsonObject().add("format", kStreamFormat).add("transport", "mpi"));
  }
  Activity last;
  MPI_REQUIRE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MPI_Comm ranks = MPI_COMM_NULL;
  MPI_REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &ranks));
  const auto started = [&] {
    int size = 0;
    MPI_REQUIRE(MPI_Comm_size(ranks, &size));
    last.processes = size;
    report(*stream, last);
  };
  const auto go_on = [&](const Activity& activity) {
    const bool over = arguments.seconds > 0.0 && activity.seconds >= arguments.seconds;
    if (over || activity.seconds - last.seconds >= kReportSeconds) {
      last = activity;
      report(*stream, last);
    }
    return !over;
  };
  congest(found->second, ranks, arguments.bytes, kSeed, started, go_on);
  MPI_REQUIRE(MPI_Comm_free(&ranks));
  if (stream) stream->event("end", JsonObject());
}

}  // namespace

int congest_alone(const Arguments& arguments) {
  int rank = 0;
  MPI_REQUIRE(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  return guarded(
      rank,
      [&] {
        const auto stream = rank == 0 ? std::make_unique<Stream>(arguments.out) : nullptr;
        carry_out(arguments, stream.get());
      },
      [](int status) { MPI_Abort(MPI_COMM_WORLD, status); });
}

}  // namespace leadline::probe
