// What this process has the library do besides the engine's collectives: messages, transfers to
// windows, non-blocking collectives.
#pragma once

#include <atomic>

namespace leadline::node {

class Traffic {
 public:
  // `sent` is set, by any thread, whenever the process has given the library something to do.
  // Without one, nothing is known of any traffic.
  static void watch(std::atomic<bool>& sent) { sent_ = &sent; }

  // Another number than before, if there was traffic since.
  static unsigned epoch() {
    if (sent_->load(std::memory_order_relaxed)) [[unlikely]] {
      // What another thread sends meanwhile belongs to this epoch or sets `sent` again.
      epoch_.fetch_add(1, std::memory_order_relaxed);
      sent_->store(false, std::memory_order_relaxed);
      epoch_.fetch_add(1, std::memory_order_relaxed);
    }
    return epoch_.load(std::memory_order_relaxed);
  }

 private:
  inline static std::atomic<bool> none_{false};
  inline static std::atomic<bool>* sent_ = &none_;
  inline static std::atomic<unsigned> epoch_{0};
};

}  // namespace leadline::node
