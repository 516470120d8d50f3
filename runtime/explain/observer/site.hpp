// Where in a program a call was made.
#pragma once

#include <string>

namespace leadline::explain {

// `site` where it is in the program. Where it is in an MPI library, whose Fortran calls its C, the
// nearest caller outside.
const void* site_in_program(const void* site);

struct SiteName {
  std::string function;  // demangled; empty where it is unknown
  std::string object;    // the file
  std::string address;   // for `addr2line -e OBJECT ADDRESS`: within the call, in hexadecimal
};

SiteName name_site(const void* site);

}  // namespace leadline::explain
