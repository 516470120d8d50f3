// Collective algorithms, each written once, one a file: COLLECTIVE/COLLECTIVE-NAME.cpp here, and in
// algorithms/node_mpi/ what builds on the collectives of a node.
//
// Probes measure them; the runtime puts them under programs that call MPI_*. Therefore
// - each has MPI's own signature, and returns the error code of any MPI call that fails in it;
// - each calls PMPI_* only, so that neither the runtime nor any other tool that intercepts MPI_*
//   takes an algorithm's messages for the program's;
// - its messages travel on the communicator that it is given, with tag kAlgorithmTag. The caller
// hands over
//   an intracommunicator that carries nothing else, such as a duplicate of the program's own.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leadline::coll {

inline constexpr int kAlgorithmTag = 0;

// No error of MPI's: what an algorithm returns on all ranks when one of them could not describe its
// data in MPI's int. The caller then calls the library.
inline constexpr int kLeftToLibrary = -1;

// Names that an algorithm had in earlier versions, and that profiles and runs may hold still.
using Aliases = std::initializer_list<std::string_view>;

// Whether no rank can leave the collective before all have come, as each needs what all give. Those
// where it can say `static constexpr bool kWaitsForAll = false`.
template <typename Collective>
consteval bool waits_for_all() {
  if constexpr (requires { Collective::kWaitsForAll; }) return Collective::kWaitsForAll;
  return true;
}

// Up to which size a collective's calls are all carried out in one way. Where ranks may be wrong
// about the size, those who are then go the same way as the others, and find it out.
template <typename Collective>
consteval std::size_t one_way_to() {
  if constexpr (requires { Collective::kOneWayTo; }) return Collective::kOneWayTo;
  return 0;
}

// One way to carry out a collective. `Collective` is a type that names the collective and has
// MPI's signature of it as `Function`. Each algorithm is a constant at namespace scope which makes
// itself known, in a file that is one of the executable's own sources.
template <typename Collective>
class Algorithm {
 public:
  using Function = typename Collective::Function;

  // `reference` is the publication that describes the method.
  Algorithm(std::string_view name, std::string_view summary, std::string_view reference,
            Function* function, Aliases aliases = {})
      : name(name), summary(summary), reference(reference), function(function) {
    if (!registry().emplace(name, this).second) {
      throw std::logic_error("algorithm " + std::string(name) + " is registered twice");
    }
    for (const std::string_view alias : aliases) former().emplace(alias, this);
  }
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  // All algorithms of this collective, by name.
  static const std::map<std::string_view, const Algorithm*>& all() { return registry(); }

  // nullptr when there is none of that name, and there was none.
  static const Algorithm* find(std::string_view name) {
    for (const auto* names : {&registry(), &former()}) {
      if (const auto found = names->find(name); found != names->end()) return found->second;
    }
    return nullptr;
  }

  const std::string_view name;
  const std::string_view summary;
  const std::string_view reference;
  Function* const function;

 private:
  static std::map<std::string_view, const Algorithm*>& registry() {
    static std::map<std::string_view, const Algorithm*> algorithms;
    return algorithms;
  }
  static std::map<std::string_view, const Algorithm*>& former() {
    static std::map<std::string_view, const Algorithm*> algorithms;
    return algorithms;
  }
};

// Ends the algorithm with the error code of an MPI call that failed.
#define RETURN_IF_FAILED(call)                                     \
  do {                                                             \
    if (const int code = (call); code != MPI_SUCCESS) return code; \
  } while (false)

}  // namespace leadline::coll
