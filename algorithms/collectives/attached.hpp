// What is kept for communicators: it hangs on them as an attribute, and goes with them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"

namespace leadline::coll {

// One Value for a communicator. `close()` of each is called when MPI_Finalize begins, in the order
// in which they were made, which is the same on all ranks of collective calls: the last time at
// which communicators can be freed.
template <typename Value>
class Attached {
 public:
  // The one of `comm`, which the first call makes. Returns an MPI error code.
  static int of(MPI_Comm comm, Value*& value) {
    static const Keys keys;
    void* found = nullptr;
    int present = 0;
    RETURN_IF_FAILED(keys.code);
    RETURN_IF_FAILED(PMPI_Comm_get_attr(comm, keys.of_communicators, &found, &present));
    value = static_cast<Value*>(found);
    if (present != 0) return MPI_SUCCESS;
    auto made = std::make_unique<Value>();
    RETURN_IF_FAILED(PMPI_Comm_set_attr(comm, keys.of_communicators, made.get()));
    value = made.release();
    const std::lock_guard lock(lock_);
    values_.push_back(value);
    return MPI_SUCCESS;
  }

  // Counts the communicators that have gone: what a thread remembers of one may then be stale.
  static unsigned gone() { return gone_.load(std::memory_order_acquire); }
  // MPI_Finalize has begun.
  static bool closed() { return closed_; }

 private:
  struct Keys {
    Keys() : code(create()) {}
    int create() {
      int at_end = MPI_KEYVAL_INVALID;
      RETURN_IF_FAILED(
          PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &of_communicators, nullptr));
      // MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while MPI still works.
      RETURN_IF_FAILED(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close, &at_end, nullptr));
      return PMPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr);
    }

    int of_communicators = MPI_KEYVAL_INVALID;
    int code;
  };

  static int forget(MPI_Comm, int, void* attribute, void*) {
    const std::unique_ptr<Value> value(static_cast<Value*>(attribute));
    gone_.fetch_add(1, std::memory_order_release);
    const std::lock_guard lock(lock_);
    values_.erase(std::find(values_.begin(), values_.end(), value.get()));
    return MPI_SUCCESS;
  }

  static int close(MPI_Comm, int, void*, void*) {
    closed_ = true;
    gone_.fetch_add(1, std::memory_order_release);
    std::vector<Value*> last;
    {
      const std::lock_guard lock(lock_);
      last = values_;
    }
    for (Value* value : last) value->close();
    return MPI_SUCCESS;
  }

  inline static std::mutex lock_;
  inline static std::vector<Value*> values_;
  inline static std::atomic<unsigned> gone_{0};
  inline static std::atomic<bool> closed_{false};
};

}  // namespace leadline::coll
