// The probe that needs no MPI: --ranks N --nodes M beside the arguments of every probe.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "comm/thread_world.hpp"
#include "harness/probe.hpp"

namespace {

// Takes "--name VALUE" out of the arguments.
int take_option(std::vector<char*>& arguments, const char* name, int otherwise) {
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    if (std::strcmp(arguments[i], name) != 0) continue;
    const int value = std::atoi(arguments[i + 1]);
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return value;
  }
  return otherwise;
}

double environment_number(const char* name, double otherwise = 0.0) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : otherwise;
}

}  // namespace

extern "C" int leadline_probe_main(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  leadline::probe::ThreadWorldSettings settings;
  settings.ranks = take_option(words, "--ranks", 2);
  settings.nodes = take_option(words, "--nodes", 1);
  settings.clock_offset = environment_number("LEADLINE_FAKE_CLOCK_OFFSET");
  settings.clock_drift = environment_number("LEADLINE_FAKE_CLOCK_DRIFT");
  settings.spell_share = environment_number("LEADLINE_FAKE_SPELL_SHARE");
  settings.spell_times = environment_number("LEADLINE_FAKE_SPELL_TIMES", 3.0);
  settings.spell_after = environment_number("LEADLINE_FAKE_SPELL_AFTER");
  int status = leadline::probe::kDone;
  const auto arguments =
      leadline::probe::begin_probe(static_cast<int>(words.size()), words.data(), "fake", status);
  if (!arguments) return status;
  std::vector<int> statuses(static_cast<std::size_t>(settings.ranks), leadline::probe::kDone);
  leadline::probe::run_threads(settings, [&](leadline::probe::ThreadWorld& world) {
    statuses[static_cast<std::size_t>(world.rank())] =
        leadline::probe::run_probe(world, *arguments, "fake");
  });
  return statuses[0];
}
