// Calls of groups that have members on several nodes: when each member came and left.
//
// Nodes have clocks of their own. Who was late is found out after the run, when those of all nodes
// can be set against each other: no process leaves a barrier before the last one has come.
#pragma once

#include "runtime/explain/observer/format.hpp"
#include "runtime/explain/observer/job.hpp"

namespace leadline::explain {

// By one thread at a time. Where there is no room for all calls, each rank keeps the same ones: one
// in two, in four, and so on.
void note_visit(const Visit& visit);

// Barriers of which all ranks note when they came and left. Collective over the job; nothing where
// it has one node.
void meet(Job& job);

}  // namespace leadline::explain
