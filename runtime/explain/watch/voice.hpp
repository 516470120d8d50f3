// Where the watcher speaks: the standard error that it has from its rank, or the launcher's own.
#pragma once

#include <sys/types.h>

#include <string>

namespace leadline::explain {

// Once, when nothing else is open any more.
void take_voice(pid_t rank);

// A full pipe holds nobody: of what is ready so much is taken without waiting.
void speak(const std::string& text);

// Who reads the program's to its end waits for nothing more.
void end_voice();

}  // namespace leadline::explain
