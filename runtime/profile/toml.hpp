// The part of TOML in which profiles are written.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace leadline::runtime::toml {

// A basic string, a number, or an array of numbers or of such arrays, which is made one row.
using Value = std::variant<std::string, double, std::vector<double>>;

struct Entry {
  int line;           // counted from 1
  std::string table;  // "" before the first header
  int index;          // of the table among those of its name, from 0; -1 before the first header
  std::string key;
  Value value;
};

// All entries, in the order of the text. Throws std::runtime_error, "line N: ...", at the first
// that is not of this part of TOML: comments, [[table]] headers, bare keys.
std::vector<Entry> parse(std::string_view text);

}  // namespace leadline::runtime::toml
