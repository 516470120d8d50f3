// The functions of MPI that leadline replaces, one a file, which make themselves known.
#pragma once

#include <map>
#include <string_view>

namespace leadline {

class Interception {
 public:
  // `function` has MPI's signature of `name`. It finds the library's own in `library`.
  template <typename Function>
  Interception(std::string_view name, Function* function, Function*& library)
      : function(reinterpret_cast<void*>(function)), library(reinterpret_cast<void**>(&library)) {
    all().emplace(name, this);
  }
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;

  static std::map<std::string_view, const Interception*>& all() {
    static std::map<std::string_view, const Interception*> interceptions;
    return interceptions;
  }

  void* const function;
  void** const library;
};

}  // namespace leadline
