// What the kernel tells of a process to others of its user.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace leadline::explain {

// Until now. `files` is what it has read and written, as the kernel writes that down.
struct Work {
  char state = 0;             // 0: there is no such process
  double ran_s = 0;           // of all threads, on a core
  double first_ran_s = 0;     // of the first thread
  double first_wanted_s = 0;  // it had a core, or waited for one
  std::string files;
};
Work work_of(pid_t pid);

// Whether it has ended, or is about to: it was sent SIGKILL.
bool is_ending(pid_t pid);

// Whether the kernel is taking it apart: its files may be closed already, and it has not ended.
bool is_leaving(pid_t pid);

// 0 where it is not known.
pid_t parent_of(pid_t pid);

// Its first 15 letters.
std::string name_of(pid_t pid);

// Held open, so that its end is known at once, and no other process is taken for it.
class Process {
 public:
  explicit Process(pid_t pid);
  ~Process();
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process& operator=(Process&&) = delete;

  pid_t pid() const { return pid_; }
  // Readable when it has ended; -1 on a kernel that has no such.
  int descriptor() const { return descriptor_; }
  bool has_ended() const;
  // As wait(2) has it; unknown where its parent was faster, on kernels before 6.15.
  std::optional<int> status() const;

 private:
  pid_t pid_;
  int descriptor_;
  int stat_;  // the file of that name, opened while it lived
};

// How many processes of this host the kernel has ended because memory was short.
unsigned long long ended_for_memory();

}  // namespace leadline::explain
