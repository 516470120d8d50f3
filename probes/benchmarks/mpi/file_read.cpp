// All ranks read their parts of one file: the time of the reading call.
#include <memory>

#include "benchmarks/mpi/shared_file.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

constexpr const char* kHint = "romio_cb_read";

class Reading {
 public:
  explicit Reading(const Point& point)
      : source_(point.bytes(), false),
        destination_(point.buffer(point.bytes())),
        file_(point, kHint) {}

  void read() {
    last_ = destination_.data();
    file_.read(last_);
    destination_.step();
  }
  // Each rank writes what the one after it is to read.
  void fill(std::uint64_t seed) {
    fill_content(source_.data(), source_.bytes(), part_seed(seed, file_.next_part()));
    file_.reopen(file_.next_part());
    file_.write(source_.data());
    file_.sync();
    file_.reopen(file_.own_part());
    fill_content(destination_.data(), destination_.bytes(), ~seed);
  }
  std::size_t wrong_bytes(std::uint64_t seed) const {
    return wrong_content(last_, destination_.bytes(), part_seed(seed, file_.own_part()));
  }
  std::map<std::string, double> hints() const { return file_.hints(); }

 private:
  Buffer source_;
  Buffer destination_;
  SharedFile file_;
  std::byte* last_ = nullptr;
};

Operation prepare(const Point& point) {
  require_real("there is no file system");
  const auto reading = std::make_shared<Reading>(point);
  Operation operation;
  operation.call = [reading] { reading->read(); };
  operation.every_call = true;
  operation.fill = [reading](std::uint64_t seed) { reading->fill(seed); };
  operation.wrong_bytes = [reading](std::uint64_t seed) { return reading->wrong_bytes(seed); };
  operation.metrics = [reading] { return reading->hints(); };
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes()) * point.world().size();
  return operation;
}

const Registration file_read{{
    .name = "mpi/file_read",
    .title = "MPI-IO read",
    .summary =
        "time to read one file to all ranks, from the memory of the file system where it keeps "
        "what it has just moved; the bandwidth counts the bytes of all ranks",
    .axes = file_axes(kHint, "read"),
    .sizes = {.join = true, .split = true},
    .processes = {},
    .series = {{"read",
                "from leaving the barrier to the return of MPI_File_read_at_all, or _at, on each "
                "rank, the last of which stops the clock; the same part of the file every time"}},
    .start = Start::kBarrier,
    .prepare = prepare,
    .starts = {Start::kBarrier, Start::kBackToBack},
    .messages = false,
}};

}  // namespace
}  // namespace leadline::probe
