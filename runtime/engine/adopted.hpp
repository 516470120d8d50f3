// A communicator of the program's whose collectives leadline carries out.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/engine/agreement.hpp"
#include "runtime/profile/profile.hpp"

namespace leadline::runtime {

// A function for each range of bytes, found in a step or two.
class Ranges {
 public:
  using AnyFunction = void();
  struct Range {
    std::size_t to_bytes;   // inclusive
    AnyFunction* function;  // nullptr: the library's own
    const Rule* rule;       // nullptr: none fits
  };

  Ranges() = default;
  explicit Ranges(std::vector<Range> ranges);

  const Range& find(std::size_t bytes) const {
    std::size_t i = first_[static_cast<std::size_t>(std::bit_width(bytes))];
    while (bytes > ranges_[i].to_bytes) ++i;
    return ranges_[i];
  }

 private:
  std::vector<Range> ranges_{{.to_bytes = SIZE_MAX, .function = nullptr, .rule = nullptr}};
  // By the number of bits of a size: the first range in which such a size can lie.
  std::array<std::size_t, 65> first_{};
};

class Adopted {
 public:
  // What leadline made of `comm`: nullptr as long as there is nothing, or for good. Every blocking
  // collective on `comm` asks once, on all ranks, whatever its other arguments are: ranks count
  // the calls to agree when to adopt it, which is collective.
  static Adopted* of(MPI_Comm comm);

  // Collective, at the first call for a communicator; what is alike on the ranks of an
  // intercommunicator or of processes that were spawned is unknown.
  static Alike alike(MPI_Comm comm);

  // Why there is nothing, for the report.
  static const char* why_not(MPI_Comm comm);

  ~Adopted();
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;

  // Carries nothing but the algorithms' messages; its errors are returned.
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  int nodes() const { return nodes_; }

  // `collective` is the index that KnownCollective gave.
  const Ranges::Range& choice(std::size_t collective, std::size_t bytes) const {
    return ranges_[collective].find(bytes);
  }

 private:
  Adopted() = default;
  // Collective. nullptr on all ranks where one of them cannot, or where no rule fits.
  static std::unique_ptr<Adopted> adopt(MPI_Comm comm);
  // Collective. Returns an MPI error code.
  int set_up(MPI_Comm comm);
  bool take_rules();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  int nodes_ = 0;
  std::vector<Ranges> ranges_;
};

// A collective that can be replaced, by the name that profiles give it.
struct KnownCollective {
  // Returns the algorithm of a name, or nullptr.
  using Find = Ranges::AnyFunction*(std::string_view name);

  // All, in the order in which they made themselves known.
  static std::vector<KnownCollective>& all();
  // Returns the index of the new one.
  static std::size_t add(std::string_view name, Find* find);

  std::string_view name;
  Find* find;
};

}  // namespace leadline::runtime
