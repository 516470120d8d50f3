// Calls of OpenSHMEM that leadline makes for itself pass its own entries too, as those of the
// program do.
#pragma once

namespace leadline::runtime {

// As long as there is one, calls of this thread are not the program's, and are not counted.
class Aside {
 public:
  Aside() { ++depth_; }
  ~Aside() { --depth_; }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  static bool here() { return depth_ > 0; }

 private:
  inline static thread_local int depth_ = 0;
};

}  // namespace leadline::runtime
