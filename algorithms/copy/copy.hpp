// Ways to copy memory, each written once, one a file: algorithms/copy/copy-NAME.cpp.
//
// Each has the signature and the meaning of memcpy: any size, any alignment, no overlap, and not a
// byte read or written beside those that are copied. None needs MPI, so that any program can take
// them. What a routine stores is visible to other cores before anything stored later.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leadline {

// A way to copy memory: a constant at namespace scope which makes itself known, in a file that is
// one of the executable's own sources.
class CopyRoutine {
 public:
  using Function = void*(void* to, const void* from, std::size_t bytes);

  // `function` is nullptr where the processor of this build never has what the routine needs;
  // `needs` says what that is, and `runs` whether this processor has it.
  CopyRoutine(
      std::string_view name, std::string_view summary, Function* function,
      std::string_view needs = {}, bool (*runs)() = [] { return true; })
      : name(name), summary(summary), function(function), needs(needs), runs_(runs) {
    if (!registry().emplace(name, this).second) {
      throw std::logic_error("copy routine " + std::string(name) + " is registered twice");
    }
  }
  CopyRoutine(const CopyRoutine&) = delete;
  CopyRoutine& operator=(const CopyRoutine&) = delete;

  // All of them, by name.
  static const std::map<std::string_view, const CopyRoutine*>& all() { return registry(); }

  bool runs_here() const { return function != nullptr && runs_(); }

  const std::string_view name;
  const std::string_view summary;
  Function* const function;
  const std::string_view needs;

 private:
  static std::map<std::string_view, const CopyRoutine*>& registry() {
    static std::map<std::string_view, const CopyRoutine*> routines;
    return routines;
  }

  bool (*runs_)();
};

// The fastest of all for each size, by the processor and the sizes of its caches; the C library's
// where leadline has measured nothing.
CopyRoutine::Function* fastest_copy();
// The same for copies that together touch so many bytes: past the caches where these cannot hold
// them.
CopyRoutine::Function* copy_routine_for(std::size_t touched);

// Past the caches, where the processor can.
CopyRoutine::Function* copy_past_caches();

}  // namespace leadline
