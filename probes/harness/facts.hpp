// What ranks can say of the nodes they run on, where it is asked for: small files of the kernel,
// and the time of day (docs/explanation/architecture.md, "Facts").
#pragma once

#include <string>

#include "harness/clock.hpp"
#include "harness/stream.hpp"
#include "harness/world.hpp"

namespace leadline::probe {

// The files that match each pattern of `patterns`, one a line, as a JSON object: for each pattern
// its texts, and for each text what the pattern's `*` is in the files that have it, joined by
// blanks. What cannot be read is not there.
std::string files_json(const std::string& patterns);

// Writes an event `facts` for each rank where `folder` has a file facts.txt with patterns.
// Collective; nothing in simulated worlds.
void write_facts(World& world, Stream* stream, const GlobalClock& clock, const std::string& folder);

}  // namespace leadline::probe
