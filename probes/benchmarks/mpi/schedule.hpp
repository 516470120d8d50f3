// Who is paired with whom in a round: as a file in the launch's folder says, which may grow while
// the probe runs, or drawn at random. Nothing here needs MPI.
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/mpi/pairing.hpp"
#include "harness/content.hpp"
#include "harness/coordinate.hpp"

namespace leadline::probe {

// Line r of this file has the pairs of round r: "0-3 1-2". Who writes it adds lines as it decides.
inline constexpr char kScheduleFile[] = "rounds.txt";
inline constexpr std::chrono::seconds kSchedulePatience{120};

// Throws std::invalid_argument for what is no pairs of different ranks, each in one of them.
inline std::vector<Pair> parse_round(const std::string& line, int ranks) {
  std::vector<Pair> pairs;
  std::vector<bool> taken(static_cast<std::size_t>(ranks));
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    std::istringstream numbers(word);
    Pair pair{-1, -1};
    char dash = 0;
    const bool read = numbers >> pair.first >> dash >> pair.second && dash == '-' &&
                      numbers.peek() == std::istringstream::traits_type::eof();
    for (const int rank : {pair.first, pair.second}) {
      if (!read || rank < 0 || rank >= ranks || taken[static_cast<std::size_t>(rank)]) {
        std::ostringstream what;
        what << "round \"" << line << "\" does not pair " << ranks << " ranks: wrong at " << word;
        throw std::invalid_argument(what.str());
      }
      taken[static_cast<std::size_t>(rank)] = true;
    }
    pairs.push_back(pair);
  }
  if (pairs.empty()) throw std::invalid_argument("a round has no pairs");
  return pairs;
}

// Returns line `round` of the file as soon as it is there in full, empty where there is no file.
inline std::string await_round(const std::string& path, std::int64_t round) {
  const auto last = std::chrono::steady_clock::now() + kSchedulePatience;
  while (true) {
    std::ifstream file(path);
    if (!file) return {};
    std::string line;
    for (std::int64_t at = 0; std::getline(file, line) && !file.eof(); ++at) {
      if (at == round) return line;
    }
    if (std::chrono::steady_clock::now() > last) {
      throw std::invalid_argument(path + " has had no line " + std::to_string(round) + " for " +
                                  std::to_string(kSchedulePatience.count()) + " s");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Collective: the pairs of a round, the same on all ranks. `await_all` returns when all have called
// it; meanwhile they may sleep, since who writes the schedule may need a core.
inline std::vector<Pair> pairs_of_round(World& world, const std::string& folder, std::int64_t round,
                                        std::uint64_t seed,
                                        const std::function<void()>& await_all) {
  std::string line;
  if (world.rank() == 0 && !folder.empty()) {
    line = await_round(folder + "/" + kScheduleFile, round);
  }
  await_all();
  std::uint64_t bytes = line.size();
  broadcast(world, bytes);
  if (bytes == 0) {
    return pairs_of("random", world.size(), content_word(seed, static_cast<std::uint64_t>(round)));
  }
  line.resize(bytes);
  broadcast(world, line.data(), bytes);
  return parse_round(line, world.size());
}

}  // namespace leadline::probe
