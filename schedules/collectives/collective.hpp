// The collectives whose algorithms are listed: one file each in this folder.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/collectives/algorithm.hpp"
#include "schedules/recorder/recorder.hpp"

namespace leadline::replay {

struct Named {
  std::string name;
  std::string summary;
  std::string reference;
};

// What one call is given. `bytes` is what the benchmark of the collective means by it: the whole
// vector or message, or one block of as many as there are ranks.
class Given {
 public:
  Given(std::size_t bytes, int root, int size) : bytes(bytes), root(root), size(size) {}

  const std::size_t bytes;
  const int root;
  const int size;

  int doubles() const { return static_cast<int>(bytes / sizeof(double)); }
  int count() const { return static_cast<int>(bytes); }
  // One block, or one for each rank; to send, and to receive.
  std::byte* in() const { return untouchable(Side::kIn, bytes); }
  std::byte* ins() const { return untouchable(Side::kIn, all()); }
  std::byte* out() const { return untouchable(Side::kOut, bytes); }
  std::byte* outs() const { return untouchable(Side::kOut, all()); }

 private:
  std::size_t all() const { return bytes * static_cast<std::size_t>(size); }
};

// A benchmark's name, its algorithms, and how a rank calls them.
class Collective {
 public:
  // `call(function, given)` calls the algorithm and returns MPI's code. Sizes are multiples of
  // `unit_bytes`; 0: it has none.
  template <typename Kind, typename Call>
  static Collective of(std::string benchmark, std::size_t unit_bytes, Call call) {
    Collective made;
    made.benchmark = std::move(benchmark);
    made.unit_bytes = unit_bytes;
    for (const auto& [name, algorithm] : coll::Algorithm<Kind>::all()) {
      made.algorithms.push_back(
          {std::string(name), std::string(algorithm->summary), std::string(algorithm->reference)});
    }
    made.call = [call](const std::string& name, const Given& given) {
      const auto* algorithm = coll::Algorithm<Kind>::find(name);
      if (algorithm == nullptr) throw std::invalid_argument("no algorithm " + name);
      if (call(algorithm->function, given) != MPI_SUCCESS) {
        throw Refused("algorithm " + name + " fails: not enough memory for so many bytes");
      }
    };
    return made;
  }

  std::string benchmark;
  std::size_t unit_bytes = 1;
  std::vector<Named> algorithms;
  std::function<void(const std::string& algorithm, const Given&)> call;
};

// Makes itself known; what it holds is made later, when all algorithms are known.
class Listed {
 public:
  using Make = Collective();
  explicit Listed(Make* make) { all().push_back(make); }
  static std::map<std::string, Collective> collectives() {
    std::map<std::string, Collective> made;
    for (Make* make : all()) {
      Collective collective = make();
      std::string name = collective.benchmark;
      made.emplace(std::move(name), std::move(collective));
    }
    return made;
  }

 private:
  static std::vector<Make*>& all() {
    static std::vector<Make*> makers;
    return makers;
  }
};

}  // namespace leadline::replay
