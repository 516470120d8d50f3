// What a rank has started and completes later, while other ranks may be anywhere.
#pragma once

namespace leadline::node {

class Awaited {
 public:
  virtual ~Awaited() = default;
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  // Local. Whether `complete` need not wait.
  virtual bool arrived() = 0;
  // Waits for what others give, and takes it. Returns the first error of the communication library;
  // 0: none.
  virtual int complete() = 0;
  // For who asks again and again whether it has arrived: serves the library, and gives its core to
  // others where they need it.
  virtual void serve_others() = 0;

 protected:
  Awaited() = default;
};

}  // namespace leadline::node
