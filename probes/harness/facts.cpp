#include "harness/facts.hpp"

#include <glob.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include "harness/coordinate.hpp"
#include "harness/json.hpp"

namespace leadline::probe {
namespace {

constexpr char kPatterns[] = "facts.txt";
// The kernel's files are short; what is longer is cut.
constexpr std::size_t kMostBytes = 4096;

std::string short_text(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t last = text.find_last_not_of(" \n");
  return last == std::string::npos ? std::string() : text.substr(0, last + 1);
}

std::string shared_patterns(World& world, const std::string& folder) {
  std::string text;
  if (world.rank() == 0) {
    std::ifstream file(folder + "/" + kPatterns);
    std::ostringstream content;
    content << file.rdbuf();
    text = content.str();
  }
  std::uint64_t bytes = text.size();
  broadcast(world, bytes);
  text.resize(bytes);
  broadcast(world, text.data(), bytes);
  return text;
}

double day_seconds() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

std::string files_json(const std::string& patterns) {
  JsonObject all;
  std::istringstream lines(patterns);
  for (std::string pattern; std::getline(lines, pattern);) {
    std::map<std::string, std::string> parts;
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      const std::size_t star = pattern.find('*');
      for (const char* path : std::span(found.gl_pathv, found.gl_pathc)) {
        const std::string text = short_text(path);
        if (text.empty()) continue;
        std::string& names = parts[text];
        if (star == std::string::npos) continue;
        const std::string_view whole(path);
        if (!names.empty()) names += ' ';
        names += whole.substr(star, whole.size() + 1 - pattern.size());
      }
    }
    globfree(&found);
    JsonObject texts;
    for (const auto& [text, names] : parts) texts.add(text, names);
    if (!parts.empty()) all.add_json(pattern, texts.text());
  }
  return all.text();
}

void write_facts(World& world, Stream* stream, const GlobalClock& clock,
                 const std::string& folder) {
  if (world.simulated()) return;
  const std::string patterns = shared_patterns(world, folder);
  if (patterns.empty()) return;
  const double wall = day_seconds() - clock.to_global(world.now());
  const std::string own = JsonObject()
                              .add("rank", world.rank())
                              .add("wall_s", wall)
                              .add_json("files", files_json(patterns))
                              .text() +
                          "\n";
  std::string left;
  collect<char>(world, std::span(own), [&](std::span<const char> part) {
    left.append(part.begin(), part.end());
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = left.find('\n', begin)) != std::string::npos;) {
      const std::string line = left.substr(begin, end - begin);
      stream->event("facts", JsonObject().add_json("facts", line));
      begin = end + 1;
    }
    left.erase(0, begin);
  });
}

}  // namespace leadline::probe
