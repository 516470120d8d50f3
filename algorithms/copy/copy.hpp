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
  // `needs` says what that is, and `runs` whether this processor has it. `choose` returns what a
  // program calls that knows how much it copies, where that is not `function` for all sizes.
  CopyRoutine(
      std::string_view name, std::string_view summary, Function* function,
      std::string_view needs = {}, bool (*runs)() = [] { return true; },
      Function* (*choose)(std::size_t bytes) = nullptr)
      : name(name),
        summary(summary),
        function(function),
        needs(needs),
        runs_(runs),
        choose_(choose) {
    if (!registry().emplace(name, this).second) {
      throw std::logic_error("copy routine " + std::string(name) + " is registered twice");
    }
  }
  CopyRoutine(const CopyRoutine&) = delete;
  CopyRoutine& operator=(const CopyRoutine&) = delete;

  // All of them, by name.
  static const std::map<std::string_view, const CopyRoutine*>& all() { return registry(); }

  bool runs_here() const { return function != nullptr && runs_(); }
  // For copies of so many bytes.
  Function* function_for(std::size_t bytes) const { return choose_ ? choose_(bytes) : function; }

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
  Function* (*choose_)(std::size_t bytes);
};

// The fastest for copies that together touch so many bytes, what is read and what is written: past
// the caches where these cannot hold them, else the C library's, so that none is ever slower.
CopyRoutine::Function* copy_routine_for(std::size_t touched);

// Past the caches, where the processor can.
CopyRoutine::Function* copy_past_caches();

}  // namespace leadline
