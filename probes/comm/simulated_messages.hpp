// What the files of SimGrid's platforms cannot say of messages: how far those within a node and
// between nodes stay behind the links, by size, and what disturbs them.
#pragma once

namespace leadline::probe {

// Tells SimGrid what the variable LEADLINE_MESSAGES says, which leadline.platforms.messages writes.
// To be called by one rank, before any message is timed. Without the variable, messages are as fast
// as the links. A variable that cannot be read ends the program.
void shape_messages();

}  // namespace leadline::probe
