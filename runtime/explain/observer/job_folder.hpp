// Where the file of a job lies: FOLDER/YYYY/MM/DD/NAME.job, as docs/reference/formats.md has it.
// A recording has a folder of its own instead.
#pragma once

#include <string>

namespace leadline::explain {

struct JobPlace {
  std::string folder;
  std::string days[3];  // year, month and day, in UTC
  std::string name;     // without what comes behind it, with the host of this node
  std::string number;   // of the job, the same on all of its nodes

  bool is_recording() const { return name.empty(); }
};

// As it is when the program has changed its own folder.
std::string whole_path(const std::string& path);

// The folder of its day, open for reading, or what there is above that; -1 where there is none.
int open_day(const JobPlace& place);

// Writes a file of the job's, of this name in the folder of its day. Readers never see a part of
// it. Where anything fails, nothing is left, and nothing is said: the program's user can do nothing
// about it.
void write_beside(const JobPlace& place, const std::string& name, const std::string& text);

// Writes at the end of a file of a recording, which is of all nodes.
void append_to(const JobPlace& place, const char* name, const std::string& text);

}  // namespace leadline::explain
