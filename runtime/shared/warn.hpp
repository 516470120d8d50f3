// What the user is told.
#pragma once

// Prints "leadline: LINE" on standard error, where this process is the first of its job, as far as
// its launcher says. For engines, too: it is in libleadline.so.
extern "C" void leadline_warn(const char* line);

// The variables in which launchers put a process's rank, up to a nullptr.
extern "C" const char* const leadline_rank_variables[];
