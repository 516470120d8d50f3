#include "runtime/requests/request.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/attached.hpp"

namespace leadline::runtime {
namespace {

struct Table {
  std::mutex lock;
  std::unordered_map<MPI_Request, std::unique_ptr<Request>> requests;
  std::vector<Request*> idle;  // for non-blocking collectives
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

// Frees the handles of those that are idle when MPI_Finalize begins.
struct Idle {
  ~Idle() { close(); }
  static void close() {
    std::vector<MPI_Request> handles;
    {
      const std::lock_guard lock(table().lock);
      table().idle.clear();
      for (const auto& [handle, request] : table().requests) {
        if (request->is_used_once() && !request->is_active()) handles.push_back(handle);
      }
    }
    for (MPI_Request& handle : handles) {
      Request::remove(handle);
      PMPI_Request_free(&handle);
    }
  }
};

}  // namespace

Request* Request::take_idle() {
  {
    const std::lock_guard lock(table().lock);
    std::vector<Request*>& idle = table().idle;
    if (!idle.empty()) {
      Request* const request = idle.back();
      idle.pop_back();
      return request;
    }
  }
  Idle* freed_at_end = nullptr;
  MPI_Request handle = MPI_REQUEST_NULL;
  if (coll::Attached<Idle>::of(MPI_COMM_SELF, freed_at_end) != MPI_SUCCESS ||
      PMPI_Send_init(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &handle) != MPI_SUCCESS) {
    return nullptr;
  }
  std::unique_ptr<Request> made(new Request(handle));
  Request* const request = made.get();
  const std::lock_guard lock(table().lock);
  table().requests.insert_or_assign(handle, std::move(made));
  changes.fetch_add(1, std::memory_order_release);
  return request;
}

MPI_Request Request::hand_out(std::unique_ptr<node::Awaited> started, const Call& call,
                              const void* site, std::uint64_t ticks) {
  own_ = std::move(started);
  call_ = call;
  site_ = site;
  spent_ = ticks;
  done_ = false;
  active_ = true;
  held_.fetch_add(1, std::memory_order_relaxed);
  return idle_handle_;
}

void Request::put_back() {
  const std::lock_guard lock(table().lock);
  table().idle.push_back(this);
}

int Request::start() {
  // Errors that belong to no communicator.
  if (active_ || persistent_ == nullptr) {
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  const Timed timed(spent_);
  active_ = true;
  done_ = false;
  persistent_->start();
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
  const bool was_active = std::exchange(active_, false);
  if (was_active && kReporting) record(call_, site_, std::exchange(spent_, 0));
  if (!was_active || !is_used_once()) return;
  own_.reset();
  held_.fetch_sub(1, std::memory_order_relaxed);
  put_back();
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
  remove(handle);
  const std::lock_guard lock(table().lock);
  if (request->is_own()) ++table().own;
  held_.fetch_add(1, std::memory_order_relaxed);
  table().requests.insert_or_assign(handle, std::move(request));
  changes.fetch_add(1, std::memory_order_release);
}

void Request::remove(MPI_Request handle) {
  std::unique_ptr<Request> removed;
  {
    const std::lock_guard lock(table().lock);
    const auto found = table().requests.find(handle);
    if (found == table().requests.end()) return;
    removed = std::move(found->second);
    table().requests.erase(found);
    std::erase(table().idle, removed.get());
    const bool used_once = removed->is_used_once();
    if (removed->is_own() && !used_once) --table().own;
    if (!used_once || removed->is_active()) held_.fetch_sub(1, std::memory_order_relaxed);
    changes.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace leadline::runtime
