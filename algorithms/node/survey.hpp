// What the ranks of a node agree on before they share memory.
#pragma once

#include <cstddef>

namespace leadline::node {

// A large ring holds more than a core's own caches, so that a slot has left them when its turn
// comes again. Only the first nodes that a process belongs to, which are those in use, have one;
// and where a program has made very many, further ones get little, so that memory lasts.
enum Room : int { kLittle, kUsual, kLarge };

// What this process would give a node of so many ranks. All ranks take the least that any of them
// would.
Room room_for(int ranks);

struct Survey {
  Survey(bool yields_soon, Room room);

  bool yields_soon;  // a waiting rank gives its core to others: they need it, or the wait is long
  std::size_t slot_bytes;
  std::size_t ring_bytes;
};

}  // namespace leadline::node
