// The limit of the size of files (RLIMIT_FSIZE), which holds for shared memory, too.
#pragma once

#include <csignal>
#include <ctime>

namespace leadline::node {

// Where a file grows past the limit, which a program may lower at any time, the kernel ends the
// process by SIGXFSZ. While one of these lives, what its thread calls fails with EFBIG instead.
class ErrorPastFileSizeLimit {
 public:
  ErrorPastFileSizeLimit() {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~ErrorPastFileSizeLimit() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  ErrorPastFileSizeLimit(const ErrorPastFileSizeLimit&) = delete;
  ErrorPastFileSizeLimit& operator=(const ErrorPastFileSizeLimit&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace leadline::node
