// trials_of LIBRARY [TRIAL...]: holds the dot product in a library to the trials of node/dot. The
// status is 0 where it fails exactly those that are named, or cannot run on this processor.
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "benchmarks/node/dot_trials.hpp"
#include "benchmarks/node/kernel_library.hpp"

int main(int count, char** arguments) {
  using namespace leadline::probe;
  if (count < 2) {
    std::fputs("usage: trials_of LIBRARY [TRIAL...]\n", stderr);
    return 2;
  }
  const KernelLibrary library(arguments[1]);
  if (!library.lacking().empty()) {
    std::printf("not tried: %s\n", library.lacking().c_str());
    return library.lacking().starts_with("this processor") ? 0 : 2;
  }
  const DotKernel kernel = dot_kernel(library);
  if (kernel.dot == nullptr) return 2;
  const std::uint64_t failed = failed_dot_trials(kernel, 1);
  const std::set<std::string> expected(arguments + 2, arguments + count);
  bool as_expected = true;
  for (std::size_t i = 0; i < dot_trials().size(); ++i) {
    const std::string& name = dot_trials()[i].trial.name;
    const bool fails = (failed >> i & 1U) != 0;
    if (fails) std::printf("fails %s\n", name.c_str());
    as_expected &= fails == expected.contains(name);
  }
  std::printf("class %d: %s\n", static_cast<int>(kernel.error_class),
              as_expected ? "as expected" : "not as expected");
  return as_expected ? 0 : 1;
}
