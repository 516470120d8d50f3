// What runs beside a point: traffic of other processes of the same job.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/benchmark.hpp"

namespace leadline::probe {

// The processes of this job that measure nothing: they disturb those that do, or keep away.
class Neighbour {
 public:
  virtual ~Neighbour() = default;

  // Collective over the ranks that measure. Starts what the settings of the point name, if they
  // name anything: when it returns, that has moved its first bytes and found them right.
  virtual void start(const Point& point) = 0;
  // Collective. Ends it; on rank 0 returns what is reported beside the point's times.
  virtual std::map<std::string, double> stop() = 0;
};

inline constexpr char kNoNeighbour[] = "none";

// A kind of traffic that can run beside a point.
struct CongestorFacts {
  std::string name;
  std::string summary;
  int minimum;  // processes
};

// Makes known that this probe has that congestor.
void declare_congestor(const CongestorFacts& congestor);

// By name.
const std::map<std::string, CongestorFacts>& declared_congestors();

// The harness's parameters of points beside which other processes of the job may run: neighbour,
// spacer, neighbour_bytes. Empty where this probe has no congestor.
std::vector<Axis> neighbour_settings();

// Throws std::invalid_argument for a point that wants a neighbour in a job which has none.
void check_no_neighbour(const Point& point);

}  // namespace leadline::probe
