#include "runtime/persistent/request.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::runtime {
namespace {

struct Table {
  std::mutex lock;
  std::unordered_map<MPI_Request, std::unique_ptr<Request>> requests;
  int own = 0;
};

Table& table() {
  // Never destroyed: threads may still call while the program ends.
  static Table* const table = new Table;
  return *table;
}

// Counts changes: what a thread remembers of a handle may then be stale.
std::atomic<unsigned> changes{0};

class Timed {
 public:
  explicit Timed(std::uint64_t& spent) : spent_(spent), begin_(kReporting ? ticks() : 0) {}
  ~Timed() {
    if (kReporting) spent_ += ticks() - begin_;
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  std::uint64_t& spent_;
  const std::uint64_t begin_;
};

}  // namespace

int Request::start() {
  // Errors that belong to no communicator.
  if (active_) {
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  const Timed timed(spent_);
  active_ = true;
  done_ = false;
  own_->start();
  return MPI_SUCCESS;
}

bool Request::arrived() {
  if (!active_ || done_ || own_->arrived()) return true;
  own_->serve_others();
  return own_->arrived();
}

int Request::complete() {
  if (!active_ || done_) return MPI_SUCCESS;
  const Timed timed(spent_);
  done_ = true;
  const int code = own_->complete();
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(MPI_COMM_SELF, code);
  return code;
}

void Request::end() {
  if (std::exchange(active_, false) && kReporting) {
    record(call_, site_, std::exchange(spent_, 0));
  }
}

void Request::started(std::uint64_t ticks) {
  active_ = true;
  spent_ = ticks;
}

void Request::ended(std::uint64_t ticks) {
  spent_ += ticks;
  end();
}

int Request::alive() {
  const std::lock_guard lock(table().lock);
  return table().own;
}

Request* Request::find(MPI_Request handle) {
  // The last one alone: memory of threads is scarce in a library that is loaded late.
  struct Known {
    MPI_Request handle;
    unsigned changes;
    Request* request;
  };
  static thread_local Known known{.handle = MPI_REQUEST_NULL, .changes = 0, .request = nullptr};
  if (handle == MPI_REQUEST_NULL) return nullptr;
  const unsigned now = changes.load(std::memory_order_acquire);
  if (known.handle == handle && known.changes == now) return known.request;
  const std::lock_guard lock(table().lock);
  const auto found = table().requests.find(handle);
  Request* const request = found != table().requests.end() ? found->second.get() : nullptr;
  known = {.handle = handle, .changes = now, .request = request};
  return request;
}

void Request::add(MPI_Request handle, std::unique_ptr<Request> request) {
  const std::lock_guard lock(table().lock);
  if (request->is_own()) ++table().own;
  table().requests.insert_or_assign(handle, std::move(request));
  changes.fetch_add(1, std::memory_order_release);
  any_.store(true, std::memory_order_relaxed);
}

void Request::remove(MPI_Request handle) {
  std::unique_ptr<Request> removed;
  {
    const std::lock_guard lock(table().lock);
    const auto found = table().requests.find(handle);
    if (found == table().requests.end()) return;
    removed = std::move(found->second);
    table().requests.erase(found);
    if (removed->is_own()) --table().own;
    changes.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace leadline::runtime
