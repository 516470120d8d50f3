// What a rank does for the communication library while it waits in shared memory.
#pragma once

namespace leadline::node {

class Progress {
 public:
  Progress() = default;
  virtual ~Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Lets messages go on that are under way. Returns the library's error code, 0 for success.
  virtual int make() = 0;
};

}  // namespace leadline::node
