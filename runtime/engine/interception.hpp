// The functions of MPI that leadline replaces, one a file, which make themselves known.
#pragma once

#include <map>
#include <string_view>

namespace leadline::runtime {

class Interception {
 public:
  // `function` has MPI's signature of `name`. It finds the library's own in `library`.
  template <typename Function>
  Interception(std::string_view name, Function* function, Function*& library)
      : function_(reinterpret_cast<void*>(function)), library_(reinterpret_cast<void**>(&library)) {
    all().emplace(name, this);
  }
  Interception(const Interception&) = delete;
  Interception& operator=(const Interception&) = delete;

  // What stands in for the function that the program calls by `name`, and is told of the library's;
  // nullptr where there is nothing.
  static void* stand_in(std::string_view name, void* library_function) {
    const auto found = all().find(name);
    if (found == all().end()) return nullptr;
    *found->second->library_ = library_function;
    return found->second->function_;
  }

 private:
  static std::map<std::string_view, const Interception*>& all() {
    static std::map<std::string_view, const Interception*> interceptions;
    return interceptions;
  }

  void* const function_;
  void** const library_;
};

}  // namespace leadline::runtime
