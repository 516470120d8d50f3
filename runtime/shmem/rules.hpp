// What the profile says about the collectives of OpenSHMEM.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

// A collective that can be replaced. Each is a static object of its own file, which is called after
// it: `leadline tune` knows them by these files.
class Collective {
 public:
  // `name`, a literal, as profiles call it: the function's without type and width.
  explicit Collective(std::string_view name);
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  std::string_view name() const { return name_; }
  // Among all.
  std::size_t index() const { return index_; }

  static std::vector<const Collective*>& all();

 private:
  const std::string_view name_;
  const std::size_t index_;
};

class Rules {
 public:
  // Those for so many PEs of one node.
  explicit Rules(int pes);

  // The one for so many bytes of one PE's data; nullptr where there is none.
  const Rule* find(const Collective& collective, std::size_t bytes) const {
    for (const Rule* const rule : rules_[collective.index()]) {
      if (bytes >= rule->from_bytes && bytes <= rule->to_bytes) return rule;
    }
    return nullptr;
  }
  bool any(const Collective& collective) const { return !rules_[collective.index()].empty(); }

 private:
  std::vector<std::vector<const Rule*>> rules_;  // by collective, those that may fit
};

// Whether the rule names leadline's own way.
bool replaces(const Rule& rule);

}  // namespace leadline::runtime
