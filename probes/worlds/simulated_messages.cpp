#include "worlds/simulated_messages.hpp"

#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

namespace leadline {
namespace {

using Host = simgrid::s4u::Host;
using Link = simgrid::s4u::Link;
using Zone = simgrid::s4u::NetZone;

// SMPI adds these to the bytes of each message.
constexpr double envelope_bytes = 16;

// Factors by the size in bytes that they begin at, ascending.
struct Steps {
  std::map<double, double> factors{{0.0, 1.0}};

  double at(double bytes) const {
    return std::prev(factors.upper_bound(std::max(0.0, bytes)))->second;
  }
};

struct Noise {
  std::mt19937_64 generator;
  double latency = 0, probability = 0, delay_s = 0;

  // From 0 to less than 1, in the same digits with every library.
  double draw() { return static_cast<double>(generator() >> 11) * 0x1p-53; }

  double extra(double route_latency_s) {
    double factor = 0;
    if (latency > 0) factor -= latency * std::log1p(-draw());
    if (probability > 0 && draw() < probability && route_latency_s > 0)
      factor += delay_s / route_latency_s;
    return factor;
  }
};

struct Messages {
  Steps network_latency, network_bandwidth, node_latency, node_bandwidth;
  Noise noise;
};

std::vector<double> numbers(const std::string& text) {
  std::vector<double> found;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) found.push_back(std::atof(word.c_str()));
  return found;
}

Steps steps(const std::vector<double>& pairs) {
  Steps found;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) found.factors[pairs[i]] = pairs[i + 1];
  return found;
}

Messages parse(const std::string& text) {
  Messages messages;
  const std::map<std::string, Steps*> kinds{{"network_latency", &messages.network_latency},
                                            {"network_bandwidth", &messages.network_bandwidth},
                                            {"node_latency", &messages.node_latency},
                                            {"node_bandwidth", &messages.node_bandwidth}};
  std::istringstream in(text);
  for (std::string name, values; in >> name >> values;) {
    const auto found = numbers(values);
    if (const auto kind = kinds.find(name); kind != kinds.end()) *kind->second = steps(found);
    if (name == "noise" && found.size() == 4) {
      messages.noise.generator.seed(static_cast<std::uint64_t>(found[0]));
      messages.noise.latency = found[1];
      messages.noise.probability = found[2];
      messages.noise.delay_s = found[3];
    }
  }
  return messages;
}

}  // namespace

void shape_messages() {
  const char* text = std::getenv("LEADLINE_MESSAGES");
  // SimGrid calls it until the very end.
  static Messages messages = parse(text ? text : "");
  auto* model = simgrid::s4u::Engine::get_instance()->get_netzone_root()->get_network_model();
  model->set_bw_factor_cb([](double size, const Host* from, const Host* to,
                             const std::vector<Link*>&, const std::unordered_set<Zone*>&) {
    return (from == to ? messages.node_bandwidth : messages.network_bandwidth)
        .at(size - envelope_bytes);
  });
  model->set_lat_factor_cb([](double size, const Host* from, const Host* to,
                              const std::vector<Link*>& links, const std::unordered_set<Zone*>&) {
    double route_latency_s = 0;
    for (const auto* link : links) route_latency_s += link->get_latency();
    return (from == to ? messages.node_latency : messages.network_latency)
               .at(size - envelope_bytes) +
           messages.noise.extra(route_latency_s);
  });
}

}  // namespace leadline
