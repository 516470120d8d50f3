#include "harness/probe.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "harness/benchmark.hpp"
#include "harness/coordinate.hpp"
#include "harness/describe.hpp"
#include "harness/facts.hpp"
#include "harness/json.hpp"
#include "harness/plan.hpp"
#include "harness/sampler.hpp"
#include "harness/simulation.hpp"
#include "harness/stream.hpp"
#include "harness/yardstick.hpp"

namespace leadline::probe {
namespace {

constexpr char kUsage[] =
    "usage: leadline-probe --describe | --plan FILE --out FOLDER [--victims N --neighbours N] | "
    "--congest NAME --out FOLDER [--bytes N] [--seconds S]";

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::invalid_argument("cannot read the plan " + path);
  return text.str();
}

std::string shared_plan_text(World& world, const std::string& path) {
  std::string text = world.rank() == 0 ? read_file(path) : std::string();
  std::uint64_t bytes = text.size();
  broadcast(world, bytes);
  text.resize(bytes);
  broadcast(world, text.data(), bytes);
  return text;
}

void write_start(World& world, Stream* stream, Sampler& sampler, std::string_view transport) {
  if (stream) {
    stream->event("start", JsonObject()
                               .add("format", kStreamFormat)
                               .add("transport", transport)
                               .add("library", world.library())
                               .add("standard", world.standard())
                               .add("processes", world.size())
                               .add("nodes", world.nodes())
                               .add_json("sample", sample_fields_json())
                               .add_json("flags", flag_names_json()));
  }
  const RankPlace place = world.place();
  collect<RankPlace>(world, std::span(&place, 1), [&](std::span<const RankPlace> places) {
    for (const RankPlace& each : places) {
      stream->event("rank", JsonObject()
                                .add("rank", each.rank)
                                .add("host", each.host)
                                .add("node", each.node)
                                .add("cpus", each.cpus)
                                .add("cpu", each.cpu)
                                .add("pid", each.pid));
    }
  });
  const HarnessCost cost = sampler.cost();
  const double error = agree(world, sampler.clock().error(world.now()), take_maximum<double>);
  const double tested = tested_error(world);
  if (stream) {
    stream->event("clock", JsonObject()
                               .add("source", world.clock_source())
                               .add("resolution_s", sampler.clock_quality().resolution)
                               .add("overhead_s", sampler.clock_quality().overhead)
                               .add("harness_in_figure_s", cost.in_figure)
                               .add("harness_per_sample_s", cost.per_sample)
                               .add("sync_error_s", error)
                               .add("sync_tested_error_s", tested)
                               .add("shared", world.clock_shared() && world.nodes() == 1));
  }
}

void write_controls(const World& world, Stream& stream, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const auto value = world.control(name)) {
      stream.event("control", JsonObject().add("name", name).add("value", *value));
    }
  }
}

void write_point(Stream& stream, std::uint32_t index, const Benchmark& benchmark,
                 const PointReport& report) {
  JsonObject metrics;
  for (const auto& [name, value] : report.metrics) metrics.add(name, value);
  JsonObject flags;
  for (std::size_t bit = 0; bit < report.flags.size(); ++bit) {
    if (report.flags[bit] > 0) flags.add(kFlagNames[bit], static_cast<double>(report.flags[bit]));
  }
  const auto numbers = [](const std::vector<int>& list) {
    return json_array(list, [](int number) { return std::to_string(number); });
  };
  std::vector<std::string> failed;
  for (std::size_t trial = 0; trial < benchmark.trials.size(); ++trial) {
    if (report.failed_trials >> trial & 1U) failed.push_back(benchmark.trials[trial].name);
  }
  const std::string bytes = report.bytes ? std::to_string(*report.bytes) : "null";
  stream.event("point", JsonObject()
                            .add("point", static_cast<double>(index))
                            .add_json("bytes", bytes)
                            .add("moved_bytes", report.moved_bytes)
                            .add("messages", report.messages)
                            .add("flops", report.flops)
                            .add("repetitions", static_cast<double>(report.repetitions))
                            .add("batch", static_cast<double>(report.batch))
                            .add("operations_per_call", report.operations_per_call)
                            .add("verified", report.wrong_bytes == 0 && failed.empty())
                            .add_json("failed_trials", json_array(failed, json_string))
                            .add("wrong_bytes", static_cast<double>(report.wrong_bytes))
                            .add("stopped_by", report.stopped_by)
                            .add("start", report.start)
                            .add_json("metrics", metrics.text())
                            .add_json("flags", flags.text())
                            .add_json("neighbours", json_array(report.neighbours, numbers))
                            .add("clock_error_s", report.clock_error)
                            .add("wall_s", report.wall_seconds)
                            .add("records", static_cast<double>(stream.records())));
}

// Measures the yardsticks of a launch, and writes them: what comes between two of them is known by
// the points that had been measured.
class YardstickWriter {
 public:
  // Where ranks share cores or time is computed, there are none.
  YardstickWriter(World& world, Stream* stream, const Sampler& sampler,
                  const SamplerSettings& settings)
      : stream_(stream), sampler_(sampler) {
    if (world.simulated() || settings.oversubscribed) return;
    yardsticks_ = std::make_unique<Yardsticks>(world, settings.seed);
    write();
  }
  void point_measured() {
    ++points_;
    if (yardsticks_ && yardsticks_->due()) write();
  }
  void end() {
    if (yardsticks_ && points_ > written_) write();
  }

 private:
  void write() {
    const Reading found = yardsticks_->measure();
    written_ = points_;
    if (!stream_) return;
    stream_->event("yardstick", JsonObject()
                                    .add("points", points_)
                                    .add("at_s", sampler_.since_epoch())
                                    .add("round_trip_s", found.round_trip)
                                    .add("copy_MBps", found.copy_rate / 1e6)
                                    .add("work_s", found.work)
                                    .add("cost_s", found.cost));
  }

  Stream* stream_;
  const Sampler& sampler_;
  std::unique_ptr<Yardsticks> yardsticks_;
  int points_ = 0;
  int written_ = -1;
};

// The stream that this rank writes, where it writes one.
struct CurrentStream {
  Stream* stream = nullptr;
};
Stream*& current_stream() { return of_rank<CurrentStream>().stream; }

PointReport measure(Sampler& sampler, const PlannedPoint& planned, const Point& point,
                    Neighbour* neighbour) {
  const Benchmark& benchmark = benchmarks().at(planned.benchmark);
  if (!neighbour) {
    check_no_neighbour(point);
    return sampler.measure(planned.index, benchmark, point);
  }
  neighbour->start(point);
  try {
    PointReport report = sampler.measure(planned.index, benchmark, point);
    report.metrics.merge(neighbour->stop());
    return report;
  } catch (const Unavailable&) {
    neighbour->stop();
    throw;
  }
}

void carry_out(World& world, Stream* stream, const Arguments& arguments, std::string_view transport,
               Neighbour* neighbour) {
  const Plan plan = parse_plan(shared_plan_text(world, arguments.plan));
  Sampler sampler(world, plan.settings,
                  [&](std::span<const Sample> samples) { stream->samples(samples); });
  write_start(world, stream, sampler, transport);
  write_facts(world, stream, sampler.clock(), arguments.out);
  if (stream) write_controls(world, *stream, plan.controls);
  for (const PlannedPoint& planned : plan.points) {
    check(benchmarks().at(planned.benchmark), planned.values, world.size());
  }
  YardstickWriter yardsticks(world, stream, sampler, plan.settings);
  const Surroundings launch{.seed = plan.settings.seed,
                            .folder = arguments.out,
                            .oversubscribed = plan.settings.oversubscribed};
  for (const PlannedPoint& planned : plan.points) {
    current_point() = planned.text();
    const auto index = static_cast<double>(planned.index);
    if (stream) stream->event("begin", JsonObject().add("point", index));
    const Benchmark& benchmark = benchmarks().at(planned.benchmark);
    try {
      const PointReport report = measure(
          sampler, planned, Point(world, planned.values, planned.library, launch), neighbour);
      if (stream) write_point(*stream, planned.index, benchmark, report);
      yardsticks.point_measured();
    } catch (const Unavailable& reason) {
      if (stream) {
        stream->event("skip", JsonObject().add("point", index).add("reason", reason.what()));
      }
    }
    current_point().clear();
  }
  yardsticks.end();
  if (stream) stream->event("end", JsonObject());
}

}  // namespace

std::string& current_point() {
  struct CurrentPoint {
    std::string text;
  };
  return of_rank<CurrentPoint>().text;
}

void report_failure(const std::string& what, int rank) {
  const std::string point = current_point();
  const std::string message =
      what + ", on rank " + std::to_string(rank) + (point.empty() ? "" : " at " + point);
  const std::string line = "leadline-probe: " + message + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  if (Stream* stream = current_stream()) {
    try {
      stream->event("error", JsonObject().add("message", message));
    } catch (const std::system_error&) {
      // The stream itself is what failed; standard error has the words.
    }
  }
}

std::optional<Arguments> begin_probe(int argc, char** argv, std::string_view transport,
                                     int& status) {
  // However its launcher's daemon ends, on whatever host, the rank ends with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Arguments arguments;
  bool understood = argc > 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--describe") {
      arguments.describe = true;
    } else if (word == "--plan" && i + 1 < argc) {
      arguments.plan = argv[++i];
    } else if (word == "--out" && i + 1 < argc) {
      arguments.out = argv[++i];
    } else if (word == "--victims" && i + 1 < argc) {
      arguments.victims = static_cast<int>(std::strtol(argv[++i], nullptr, 10));
    } else if (word == "--neighbours" && i + 1 < argc) {
      arguments.neighbours = static_cast<int>(std::strtol(argv[++i], nullptr, 10));
    } else if (word == "--congest" && i + 1 < argc) {
      arguments.congest = argv[++i];
    } else if (word == "--bytes" && i + 1 < argc) {
      arguments.bytes = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--seconds" && i + 1 < argc) {
      arguments.seconds = std::strtod(argv[++i], nullptr);
    } else {
      understood = false;
    }
  }
  if (arguments.describe && understood) {
    std::puts(describe(transport).c_str());
    status = kDone;
    return std::nullopt;
  }
  const bool asked = arguments.plan.empty() != arguments.congest.empty();
  if (!understood || !asked || arguments.out.empty()) {
    std::fprintf(stderr, "leadline-probe: %s\n", kUsage);
    status = kBadInput;
    return std::nullopt;
  }
  return arguments;
}

int guarded(int rank, const std::function<void()>& body, const std::function<void(int)>& abort) {
  int status = kFailed;
  std::string what;
  try {
    body();
    return kDone;
  } catch (const std::invalid_argument& error) {
    what = error.what();
    status = kBadInput;
  } catch (const std::bad_alloc&) {
    what = "not enough memory";
  } catch (const std::exception& error) {
    what = error.what();
  }
  report_failure(what, rank);
  abort(status);
  return status;
}

int run_probe(World& world, const Arguments& arguments, std::string_view transport,
              Neighbour* neighbour) {
  std::unique_ptr<Stream> stream;
  return guarded(
      world.rank(),
      [&] {
        if (world.rank() == 0) stream = std::make_unique<Stream>(arguments.out);
        current_stream() = stream.get();
        carry_out(world, stream.get(), arguments, transport, neighbour);
      },
      [&](int status) { world.abort(status); });
}

}  // namespace leadline::probe
