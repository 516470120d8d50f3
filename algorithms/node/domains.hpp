// The domains of memory (NUMA) of a node, as the kernel tells them.
#pragma once

#include <string>
#include <vector>

namespace leadline::node {

// The one to whose cores this process is bound; -1 where it may run in several, or there is one
// only.
int domain_of_this_process();

// The numbers in a list of the kernel's, such as 0-3,8,10-11.
std::vector<int> numbers_in_list(const std::string& list);

// For each rank, the one that reads what comes from other domains and hands it on: the first rank
// of its domain. Empty where no rank need hand on: a rank's domain is not known, all are in one, or
// each is alone in its own.
std::vector<int> first_ranks_of_domains(const std::vector<int>& domains);

}  // namespace leadline::node
