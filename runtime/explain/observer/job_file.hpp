// The small file of a whole job that a site keeps (LEADLINE_JOBS), instead of a recording.
//
// Ranks keep in memory what they do, as for a recording, and one of them writes of it what fits:
// every so often, so that there is something of a job that is killed, and at the end.
// docs/reference/formats.md describes the file.
#pragma once

#include "runtime/explain/observer/job.hpp"
#include "runtime/explain/observer/node_file.hpp"

namespace leadline::explain {

// Collective over the job: all agree on the name of its file. The first rank of a node has the
// descriptor of its memory.
void open_job_file(const char* folder, const NodeFile& node_file, int memory, Job& job);
// When this rank is observed.
void begin_job_file();

// Before the API ends, collective over a job with several nodes: rank 0 gets what it has not in
// its own node's memory.
void bring_job_together(Job& job);

// In the course of the run: whoever comes first from a call when it is time.
void write_job_file_in_between();

// When this rank has ended.
void write_job_file_at_end(State state);

}  // namespace leadline::explain
