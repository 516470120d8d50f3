// All ranks write their parts of one file: the time of the writing call, and of the sync after it.
#include <memory>

#include "benchmarks/mpi/shared_file.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

constexpr const char* kHint = "romio_cb_write";
enum Series { kWrite = 0, kSync = 1 };

class Writing {
 public:
  explicit Writing(const Point& point)
      : source_(point.buffer(point.bytes())), found_(point.bytes(), false), file_(point, kHint) {}

  void write() {
    file_.write(source_.data());
    source_.step();
  }
  void sync() { file_.sync(); }
  void fill(std::uint64_t seed) {
    fill_content(source_.data(), source_.bytes(), part_seed(seed, file_.own_part()));
    fill_content(found_.data(), found_.bytes(), ~seed);
  }
  // Each rank reads what the one after it wrote, from the file as it is on opening it anew.
  std::size_t wrong_bytes(std::uint64_t seed) {
    file_.reopen(file_.next_part());
    file_.read(found_.data());
    file_.reopen(file_.own_part());
    return wrong_content(found_.data(), found_.bytes(), part_seed(seed, file_.next_part()));
  }
  std::map<std::string, double> hints() const { return file_.hints(); }

 private:
  Buffer source_;
  Buffer found_;
  SharedFile file_;
};

Operation prepare(const Point& point) {
  require_real("there is no file system");
  const auto writing = std::make_shared<Writing>(point);
  Operation operation;
  operation.call = [writing] { writing->write(); };
  operation.series = kWrite;
  operation.then = {{[writing] { writing->sync(); }, kSync}};
  operation.every_call = true;
  operation.fill = [writing](std::uint64_t seed) { writing->fill(seed); };
  operation.wrong_bytes = [writing](std::uint64_t seed) { return writing->wrong_bytes(seed); };
  operation.metrics = [writing] { return writing->hints(); };
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes()) * point.world().size();
  return operation;
}

const Registration file_write{{
    .name = "mpi/file_write",
    .title = "MPI-IO write",
    .summary =
        "time to write one file from all ranks, with and without what brings it to the device; the "
        "bandwidth counts the bytes of all ranks",
    .axes = file_axes(kHint, "write"),
    .sizes = {.join = true, .split = true},
    .processes = {},
    .series = {{"write",
                "from leaving the barrier to the return of MPI_File_write_at_all, or _at, on each "
                "rank, the last of which stops the clock; the same part of the file every time, "
                "and nothing is known of the device"},
               {"sync",
                "from leaving the barrier after that to the return of MPI_File_sync on each rank, "
                "the last of which stops the clock; by then the file system has it all"}},
    .start = Start::kBarrier,
    .prepare = prepare,
    .starts = {Start::kBarrier, Start::kBackToBack},
    .messages = false,
}};

}  // namespace
}  // namespace leadline::probe
