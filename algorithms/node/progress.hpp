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

  // The same, but the rank keeps its core where the library would give it away. So how long it took
  // tells whether there was anything to do.
  virtual int make_at_once() { return make(); }
};

}  // namespace leadline::node
