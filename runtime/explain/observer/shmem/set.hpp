// PEs that call collectives together: all of them, an active set, or a team.
//
// Nothing is told when a set is first used: a PE writes into a free ring of its own which set it is
// of, and the others find it by that.
#pragma once

#include "runtime/explain/observer/group.hpp"
#include "runtime/explain/preload/entry.hpp"

namespace leadline::explain {

// What all PEs are in. Collective as soon as observation begins.
Group& all_pes();

// nullptr: this PE is in none.
Group* active_set(int start, int log_stride, int size);
Group* team(Word handle);
void forget_team(Word handle);

// Looks for the rings of members that came to the set since it was looked last.
void find_rings(Group& set);

}  // namespace leadline::explain
