// The time-step loop of a hydrologic code: blocks of a catchment whose processes exchange a few
// values many times in a step, as messages, by neighbourhood collectives, or one-sided.
#include "applications/timestep/loop.hpp"
#include "benchmarks/app/timestep_exchange.hpp"
#include "benchmarks/app/timestep_input.hpp"
#include "harness/benchmark.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

Operation prepare(const Point& point) {
  require_real("a computation takes no time");
  const timestep::Pattern& pattern = timestep::pattern_named(point.choice("pattern"));
  return timestep::prepare(
      point, {.exchange = pattern.make,
              .read_field = point.choice("input") == "collective" ? timestep::read_collectively
                                                                  : timestep::read_by_rows,
              .one_sided = pattern.one_sided});
}

Axis pattern_axis() {
  std::vector<std::string> names;
  std::string summary = "how values are exchanged";
  for (const timestep::Pattern& each : timestep::patterns()) {
    names.push_back(each.name);
    summary.append("; ").append(each.name).append(": ").append(each.summary);
  }
  Axis axis = choice_axis("pattern", summary, names);
  axis.default_values = axis.quick_values = "two_sided,neighbourhood,put_flag";
  return axis;
}

Axis input_axis() {
  Axis axis = choice_axis("input",
                          "how each process reads its block: posix: pread of its part of each "
                          "row; collective: MPI_File_read_all through a view of the block",
                          {"posix", "collective"});
  axis.default_values = axis.quick_values = "posix";
  return axis;
}

Benchmark declare() {
  return {
      .name = "app/timestep",
      .title = "Time-step loop",
      .summary = timestep::summary(),
      .axes = timestep::axes({pattern_axis(), input_axis()}),
      .series = timestep::series(),
      .prepare = prepare,
  };
}

const Registration registration{declare};

}  // namespace
}  // namespace leadline::probe
