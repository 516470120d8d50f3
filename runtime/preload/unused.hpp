// How ranks that wait for another one see that leadline does nothing there.
#pragma once

namespace leadline::runtime {

// In the process's list of mappings.
inline constexpr char kUnusedMark[] = "leadline-unused";

// Makes an entry in the list, which takes no memory.
void show_unused();

}  // namespace leadline::runtime
