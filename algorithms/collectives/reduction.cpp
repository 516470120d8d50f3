#include "algorithms/collectives/reduction.hpp"

#include <utility>

#include "algorithms/collectives/algorithm.hpp"
#include "algorithms/collectives/shape.hpp"

namespace leadline::coll {

int Reduction::combine(Part part, Received received) {
  void* arrived = elements_.at(room_, part.first);
  if (commutative_ || received == Received::kFollows) {
    RETURN_IF_FAILED(PMPI_Reduce_local(elements_.at(value_, part.first), arrived, part.count,
                                       elements_.type, op_));
    value_ = room_;
    std::swap(room_, other_);
    return MPI_SUCCESS;
  }
  if (value_ != other_) {
    RETURN_IF_FAILED(copy_part(elements_, part, value_, other_, comm_));
    value_ = other_;
  }
  return PMPI_Reduce_local(arrived, elements_.at(other_, part.first), part.count, elements_.type,
                           op_);
}

int copy_part(const Elements& elements, Part part, const void* from, void* to, MPI_Comm comm) {
  if (from == to) return MPI_SUCCESS;
  Elements copied;
  RETURN_IF_FAILED(describe_elements(part.count, elements.type, copied));
  return copy_elements(copied, elements.at(from, part.first), elements.at(to, part.first), comm);
}

int ReductionSetup::describe(const void* in, const void* out, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  int flag = 0;
  Shape shape;
  RETURN_IF_FAILED(PMPI_Op_commutative(op, &flag));
  RETURN_IF_FAILED(shape.describe(count, type, comm));
  rank = shape.rank;
  size = shape.size;
  elements = shape.elements;
  commutative = flag != 0;
  operand = in == MPI_IN_PLACE ? out : in;
  return MPI_SUCCESS;
}

}  // namespace leadline::coll
