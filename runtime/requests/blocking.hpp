// What the blocking form of a collective does, which others follow: only where the profile, or
// learning, has that in shared memory does leadline carry them out.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/engine/adopted.hpp"
#include "runtime/engine/replacement.hpp"

namespace leadline::runtime {

class Blocking {
 public:
  // `collective` as profiles call it. Not while static objects are made: then not all are known.
  explicit Blocking(std::string_view collective);

  // Whether it takes place in shared memory for data of this size. All ranks find the same between
  // two blocking collectives.
  bool takes_shared(Adopted& adopted, std::size_t bytes) const;

 private:
  std::size_t index_ = 0;
  AnyFunction* shared_ = nullptr;
};

// What the report says of a collective on `comm`: by leadline where `weight` has no doubt.
Call describe_request(const char* name, const Adopted* adopted, MPI_Comm comm,
                      const Weight& weight);

}  // namespace leadline::runtime
