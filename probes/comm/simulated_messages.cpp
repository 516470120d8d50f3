#include "comm/simulated_messages.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

namespace leadline::probe {
namespace {

using Host = simgrid::s4u::Host;
using Link = simgrid::s4u::Link;
using Zone = simgrid::s4u::NetZone;

// SMPI adds these to the bytes of each message.
constexpr double kEnvelopeBytes = 16;

// Factors by the size in bytes that they begin at, ascending.
using Steps = std::map<double, double>;

double at(const Steps& steps, double bytes) {
  return std::prev(steps.upper_bound(std::max(0.0, bytes)))->second;
}

struct Noise {
  std::mt19937_64 generator;
  double latency = 0, probability = 0, delay_s = 0;

  // From 0 to less than 1, in the same digits with every library.
  double draw() { return static_cast<double>(generator() >> 11) * 0x1p-53; }

  // What a message has in addition, as a factor of the latency of its route.
  double extra(double latency_s) {
    double factor = 0;
    if (latency > 0) factor -= latency * std::log1p(-draw());
    if (probability > 0 && draw() < probability && latency_s > 0) factor += delay_s / latency_s;
    return factor;
  }
};

struct Messages {
  std::map<std::string, Steps> steps{{"network_latency", {{0, 1}}},
                                     {"network_bandwidth", {{0, 1}}},
                                     {"node_latency", {{0, 1}}},
                                     {"node_bandwidth", {{0, 1}}}};
  Noise noise;
};

[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "leadline-probe: LEADLINE_MESSAGES cannot be read: %s\n", text.c_str());
  std::exit(2);
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> found;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    char* end = nullptr;
    found.push_back(std::strtod(word.c_str(), &end));
    if (end == word.c_str() || *end) refuse(word);
  }
  return found;
}

std::shared_ptr<Messages> parse(const std::string& text) {
  const auto messages = std::make_shared<Messages>();
  std::istringstream in(text);
  for (std::string name, values; in >> name >> values;) {
    const auto found = numbers(values);
    if (name == "noise" && found.size() == 4) {
      messages->noise.generator.seed(static_cast<std::uint64_t>(found[0]));
      messages->noise.latency = found[1];
      messages->noise.probability = found[2];
      messages->noise.delay_s = found[3];
    } else if (messages->steps.contains(name) && found.size() % 2 == 0) {
      for (std::size_t i = 0; i < found.size(); i += 2)
        messages->steps[name][found[i]] = found[i + 1];
    } else {
      refuse(name);
    }
  }
  return messages;
}

}  // namespace

void shape_messages() {
  const char* text = std::getenv("LEADLINE_MESSAGES");
  // SimGrid calls back with the statics of any rank in place: what is told it must not be static.
  const auto messages = parse(text ? text : "");
  auto* model = simgrid::s4u::Engine::get_instance()->get_netzone_root()->get_network_model();
  model->set_bw_factor_cb([messages](double size, const Host* from, const Host* to,
                                     const std::vector<Link*>&, const std::unordered_set<Zone*>&) {
    const char* kind = from == to ? "node_bandwidth" : "network_bandwidth";
    return at(messages->steps[kind], size - kEnvelopeBytes);
  });
  model->set_lat_factor_cb([messages](double size, const Host* from, const Host* to,
                                      const std::vector<Link*>& links,
                                      const std::unordered_set<Zone*>&) {
    double latency_s = 0;
    for (const auto* link : links) latency_s += link->get_latency();
    const char* kind = from == to ? "node_latency" : "network_latency";
    return at(messages->steps[kind], size - kEnvelopeBytes) + messages->noise.extra(latency_s);
  });
}

}  // namespace leadline::probe
