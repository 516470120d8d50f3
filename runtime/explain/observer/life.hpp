// Where observation begins and ends.
#pragma once

#include <string>

#include "runtime/explain/observer/job.hpp"
#include "runtime/explain/observer/observer.hpp"

namespace leadline::explain {

// Whether the program's calls of another API are observed: one of them has a rank's seconds. Says
// so in the recording.
bool is_left_to_another();

// Whether observation is wanted, and not tried before.
bool is_to_begin();

// Of libraries like this one that are preloaded together this one observes.
void claim();

// The program has a library that this observer was not built for, whose name this is.
void refuse_to_observe(const std::string& library);

// Collective over the job. Returns whether this rank observes. Each pair of a node's ranks gets so
// many bytes that they share.
bool begin_observing(Job& job, u64 pair_bytes);

// Before the API ends, where the job has several nodes: their clocks are read once more, and
// recordings that lie on other hosts brought together. The second one is collective over the job.
bool must_meet();
void meet_at_end(Job& job);

// The rank's last word. Nothing is observed any more.
void end_observing(State state);

}  // namespace leadline::explain
