// Predicts the time of collectives and halo exchanges on a machine, from their own messages.
//
//   leadline-schedules --describe    JSON on stdout: what can be predicted
//   leadline-schedules               requests on stdin, a line of JSON for each on stdout
//
// A request is a line of words; those that describe the machine hold for all that follow:
//   curve between.send 0 1e-6 0 65536 2e-6 1e-10    (from bytes, seconds, seconds per byte) ...
//   value gap_s 1e-6
//   value most_messages 1e8           of a collective; one with more is refused, 0 for any number
//   network 3 4 6 6 0                 nodes, vertices, links, shares of links, bytes/s of a port;
//                                     then in binary what Routes has of them: capacity, to, share,
//                                     next. `network 0`: none but `value links`
//   nodes 0 0 1 1                     of each rank
//   collective mpi/allreduce recursive_doubling 1024 0         bytes, root
//   halo at_once 4096 yes 1 0 0 0     bytes, periodic, calls, probability, delay, seed of noise
// While one is worked on, lines {"recorded":ranks} and {"replayed":messages} appear now and then.
// The exit status is 2 for a line that cannot be read.
#include <chrono>
#include <exception>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include "benchmarks/mpi/halo_exchange.hpp"
#include "harness/json.hpp"
#include "schedules/collectives/collective.hpp"
#include "schedules/halo.hpp"
#include "schedules/recorder/recorder.hpp"
#include "schedules/replay/replay.hpp"

namespace leadline::replay {
namespace {

// 4 GiB.
constexpr std::size_t kMostSteps = (std::size_t{1} << 32U) / sizeof(Step);

template <typename Value>
Value read(std::istream& words, const char* what) {
  Value value{};
  if (!(words >> value)) throw std::invalid_argument(std::string("no ") + what);
  return value;
}

// Not more often than every half second.
class Progress {
 public:
  void say(const char* what, double count) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    std::cout << probe::JsonObject().add(what, count).text() << '\n' << std::flush;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::string numbers(const std::vector<double>& values) {
  return probe::json_array(values, probe::json_number);
}

std::string text_of(const Outcome& outcome, std::size_t steps) {
  return probe::JsonObject()
      .add("seconds", outcome.seconds)
      .add("messages", static_cast<double>(outcome.messages))
      .add("bytes", static_cast<double>(outcome.bytes))
      .add("network_messages", static_cast<double>(outcome.network_messages))
      .add("network_bytes", static_cast<double>(outcome.network_bytes))
      .add("steps", static_cast<double>(outcome.steps))
      .add("most_sent", static_cast<double>(outcome.most_sent))
      .add("list_bytes", static_cast<double>(steps * sizeof(Step)))
      .add_json("slowest_s", numbers(outcome.slowest_s))
      .add_json("sum_s", numbers(outcome.sum_s))
      .add_json("carried", numbers(outcome.carried))
      .text();
}

class Session {
 public:
  void handle(const std::string& line) {
    std::istringstream words(line);
    const auto verb = read<std::string>(words, "request");
    if (verb == "curve") {
      set_curve(words);
    } else if (verb == "value") {
      set_value(words);
    } else if (verb == "network") {
      set_network(words);
    } else if (verb == "nodes") {
      machine_.node_of.clear();
      for (std::int32_t node = 0; words >> node;) machine_.node_of.push_back(node);
    } else if (verb == "collective") {
      predict_collective(words);
    } else if (verb == "halo") {
      predict_halo(words);
    } else {
      throw std::invalid_argument("no request " + verb);
    }
  }

 private:
  void set_curve(std::istream& words) {
    const auto name = read<std::string>(words, "name of a curve");
    std::vector<Piece> pieces;
    for (Piece piece; words >> piece.from_bytes;) {
      piece.seconds = read<double>(words, "seconds");
      piece.seconds_per_byte = read<double>(words, "seconds per byte");
      pieces.push_back(piece);
    }
    if (pieces.empty()) throw std::invalid_argument("curve " + name + " is empty");
    const std::size_t dot = name.find('.');
    Way& way = name.substr(0, dot) == "within" ? machine_.within : machine_.between;
    const std::string part = name.substr(dot + 1);
    Curve& curve = part == "send" ? way.send : part == "receive" ? way.receive : way.wire;
    curve = Curve(pieces);
  }

  void set_value(std::istream& words) {
    const auto name = read<std::string>(words, "name of a value");
    const auto value = read<double>(words, "value");
    if (name == "most_messages") {
      most_messages_ = value > 0.0 ? static_cast<std::uint64_t>(value)
                                   : std::numeric_limits<std::uint64_t>::max();
    } else if (name == "gap_s") {
      machine_.gap_s = value;
    } else if (name == "port_fraction") {
      machine_.port_fraction = value;
    } else if (name == "one_medium") {
      machine_.one_medium = value != 0.0;
    } else if (name == "contention") {
      machine_.contention = value != 0.0;
    } else if (name == "links") {
      machine_.links = value;
    } else if (name == "rendezvous_bytes") {
      machine_.rendezvous_bytes = static_cast<std::uint64_t>(value);
    } else if (name == "handshake_s") {
      machine_.handshake_s = value;
    } else if (name == "reduce_s_per_byte") {
      machine_.reduce_s_per_byte = value;
    } else if (name == "copy_s_per_byte") {
      machine_.copy_s_per_byte = value;
    } else {
      throw std::invalid_argument("no value " + name);
    }
  }

  void set_network(std::istream& words) {
    Routes& routes = machine_.routes;
    routes = {};
    const auto nodes = read<std::size_t>(words, "number of nodes");
    if (nodes == 0) return;
    routes.vertices = read<std::size_t>(words, "number of vertices");
    const auto links = read<std::size_t>(words, "number of links");
    const auto shares = read<std::size_t>(words, "number of shares");
    routes.port = read<double>(words, "rate of a port");
    fill(routes.capacity, shares);
    fill(routes.to, links);
    fill(routes.share, links);
    fill(routes.next, nodes * routes.vertices);
  }

  template <typename Number>
  static void fill(std::vector<Number>& numbers, std::size_t count) {
    numbers.resize(count);
    std::cin.read(reinterpret_cast<char*>(numbers.data()),
                  static_cast<std::streamsize>(count * sizeof(Number)));
    if (!std::cin) throw std::invalid_argument("network ends early");
  }

  void predict_collective(std::istream& words) {
    const auto name = read<std::string>(words, "benchmark");
    const auto algorithm = read<std::string>(words, "algorithm");
    const auto bytes = read<std::size_t>(words, "bytes");
    const auto root = read<int>(words, "root");
    const auto found = collectives_.find(name);
    if (found == collectives_.end()) throw std::invalid_argument("no collective " + name);
    answer(
        [&](const auto& done) {
          const Given given(bytes, root, static_cast<int>(machine_.node_of.size()));
          return record_all(
              given.size, kMostSteps, [&](int) { found->second.call(algorithm, given); }, done,
              most_messages_);
        },
        1, {});
  }

  void predict_halo(std::istream& words) {
    HaloPlan plan;
    plan.pattern = read<std::string>(words, "pattern");
    plan.bytes = read<std::size_t>(words, "bytes");
    plan.periodic = read<std::string>(words, "yes or no") == "yes";
    plan.node_of = machine_.node_of;
    const auto calls = read<std::uint32_t>(words, "number of calls");
    Noise noise;
    noise.probability = read<double>(words, "probability");
    noise.delay_s = read<double>(words, "delay");
    noise.seed = read<std::uint64_t>(words, "seed");
    answer([&](const auto& done) { return halo_schedule(plan, kMostSteps, done); }, calls, noise);
  }

  template <typename Make>
  void answer(const Make& make, std::uint32_t calls, const Noise& noise) {
    Progress progress;
    try {
      const Schedule schedule =
          make([&](int rank) { progress.say("recorded", static_cast<double>(rank)); });
      std::size_t steps = 0;
      for (const Program& own : schedule) steps += own.size();
      const Outcome outcome = replay(schedule, machine_, calls, noise, [&](std::uint64_t messages) {
        progress.say("replayed", static_cast<double>(messages));
      });
      std::cout << text_of(outcome, steps) << '\n' << std::flush;
    } catch (const TooMany& refused) {
      std::cout << probe::JsonObject()
                       .add("refused", refused.what())
                       .add("messages", refused.messages)
                       .text()
                << '\n'
                << std::flush;
    } catch (const Refused& refused) {
      std::cout << probe::JsonObject().add("refused", refused.what()).text() << '\n' << std::flush;
    } catch (const std::bad_alloc&) {
      std::cout << probe::JsonObject().add("refused", "not enough memory").text() << '\n'
                << std::flush;
    }
  }

  Machine machine_;
  std::uint64_t most_messages_ = std::numeric_limits<std::uint64_t>::max();
  const std::map<std::string, Collective> collectives_ = Listed::collectives();
};

std::string described() {
  const auto named = [](const Named& one) {
    return probe::JsonObject()
        .add("name", one.name)
        .add("summary", one.summary)
        .add("reference", one.reference)
        .text();
  };
  const auto collective = [&](const auto& entry) {
    return probe::JsonObject()
        .add("benchmark", entry.first)
        .add("unit_bytes", static_cast<double>(entry.second.unit_bytes))
        .add_json("algorithms", probe::json_array(entry.second.algorithms, named))
        .text();
  };
  const auto pattern = [](const probe::ExchangePattern& one) {
    return probe::json_string(one.name);
  };
  return probe::JsonObject()
      .add_json("collectives", probe::json_array(Listed::collectives(), collective))
      .add("halo", "mpi/halo")
      .add_json("patterns", probe::json_array(probe::exchange_patterns(), pattern))
      .text();
}

int run(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--describe") {
    std::cout << described() << '\n' << std::flush;
    return 0;
  }
  if (argc != 1) {
    std::cerr << "leadline-schedules: allowed is --describe\n";
    return 2;
  }
  Session session;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      session.handle(line);
    } catch (const std::invalid_argument& error) {
      std::cerr << "leadline-schedules: " << error.what() << '\n';
      return 2;
    }
  }
  return 0;
}

}  // namespace
}  // namespace leadline::replay

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return leadline::replay::run(argc, argv);
}
