// Shared libraries that the front end built, or found, for a point.
#pragma once

#include <dlfcn.h>

#include <map>
#include <string>

#include "benchmarks/node/floating_point.hpp"
#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {

// One that stays loaded as long as the process: what loading it does happens once.
class KernelLibrary {
 public:
  // Collective. Throws Unavailable on all ranks where one of them cannot use it.
  static const KernelLibrary& of(const Point& point) {
    static std::map<std::string, KernelLibrary> loaded;
    const KernelLibrary& library =
        loaded.try_emplace(point.library(), point.library()).first->second;
    const bool lacks = !library.lacking_.empty();
    if (agree(point.world(), lacks ? 1 : 0, take_maximum<int>) != 0) {
      throw Unavailable(lacks ? library.lacking_ : "another process cannot use the kernel");
    }
    return library;
  }

  explicit KernelLibrary(const std::string& path) {
    const KeptFloatingPointMode mode;
    handle_ = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    kept_mode_ = mode.kept();
    if (path.empty()) {
      lacking_ = "no library was built for this point: run it with leadline run";
    } else if (handle_ == nullptr) {
      lacking_ = dlerror();
    } else if (const auto needs = function<const char*()>("leadline_needs")) {
      const char* lacks = needs();
      if (lacks != nullptr) lacking_ = std::string("this processor has no ") + lacks;
    }
  }

  // nullptr where the library has none of that name.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  // Why it cannot be used here; empty where it can.
  const std::string& lacking() const { return lacking_; }
  // Loading it has left the processor's mode alone. Where it did not, the mode was put back.
  bool kept_mode() const { return kept_mode_; }

 private:
  void* handle_ = nullptr;
  std::string lacking_;
  bool kept_mode_ = true;
};

}  // namespace leadline::probe
