// All ranks write or read their parts of one file: the time of the call, and of the sync after
// writing.
#include <memory>

#include "benchmarks/mpi/shared_file.hpp"
#include "harness/benchmark.hpp"
#include "harness/content.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

constexpr const char* kReadHint = "romio_cb_read";
constexpr const char* kWriteHint = "romio_cb_write";
enum Series { kWrite = 0, kSync = 1 };

class Reading {
 public:
  explicit Reading(const Point& point)
      : source_(point.bytes(), false),
        destination_(point.buffer(point.bytes())),
        file_(point, kReadHint) {}

  void call() {
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
  const SharedFile& file() const { return file_; }

 private:
  Buffer source_;
  Buffer destination_;
  SharedFile file_;
  std::byte* last_ = nullptr;
};

class Writing {
 public:
  explicit Writing(const Point& point)
      : source_(point.buffer(point.bytes())),
        found_(point.bytes(), false),
        file_(point, kWriteHint) {}

  void call() {
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
  const SharedFile& file() const { return file_; }

 private:
  Buffer source_;
  Buffer found_;
  SharedFile file_;
};

template <typename Body>
Operation file_operation(const Point& point, const std::shared_ptr<Body>& body) {
  Operation operation = operation_of(body);
  operation.every_call = true;
  operation.metrics = [body] { return body->file().hints(); };
  operation.bytes = point.bytes();
  operation.moved_bytes = static_cast<double>(point.bytes()) * point.world().size();
  return operation;
}

Operation prepare_read(const Point& point) {
  require_real("there is no file system");
  return file_operation(point, std::make_shared<Reading>(point));
}

Operation prepare_write(const Point& point) {
  require_real("there is no file system");
  const auto writing = std::make_shared<Writing>(point);
  Operation operation = file_operation(point, writing);
  operation.series = kWrite;
  operation.then = {{[writing] { writing->sync(); }, kSync}};
  return operation;
}

// What both have in common is added.
Benchmark of_a_file(Benchmark own) {
  own.sizes = {.join = true, .split = true};
  own.start = Start::kBarrier;
  own.starts = {Start::kBarrier, Start::kBackToBack};
  own.messages = false;
  return own;
}

const Registration file_read{of_a_file({
    .name = "mpi/file_read",
    .title = "MPI-IO read",
    .summary =
        "time to read one file to all ranks, from the memory of the file system where it keeps "
        "what it has just moved; the bandwidth counts the bytes of all ranks",
    .axes = file_axes(kReadHint, "read"),
    .series = {{"read",
                "from leaving the barrier to the return of MPI_File_read_at_all, or _at, on each "
                "rank, the last of which stops the clock; the same part of the file every time"}},
    .prepare = prepare_read,
})};
const Registration file_write{of_a_file({
    .name = "mpi/file_write",
    .title = "MPI-IO write",
    .summary =
        "time to write one file from all ranks, with and without what brings it to the device; the "
        "bandwidth counts the bytes of all ranks",
    .axes = file_axes(kWriteHint, "write"),
    .series = {{"write",
                "from leaving the barrier to the return of MPI_File_write_at_all, or _at, on each "
                "rank, the last of which stops the clock; the same part of the file every time, "
                "and nothing is known of the device"},
               {"sync",
                "from leaving the barrier after that to the return of MPI_File_sync on each rank, "
                "the last of which stops the clock; by then the file system has it all"}},
    .prepare = prepare_write,
})};

}  // namespace
}  // namespace leadline::probe
