// What a block shares with the blocks beside it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "applications/timestep/catchment.hpp"
#include "harness/world.hpp"

namespace leadline::probe::timestep {

// Numbers that pass each side of a block, either way, and the ranks there.
struct Halo {
  std::array<int, 4> neighbours{kNobody, kNobody, kNobody, kNobody};
  std::array<std::size_t, 4> counts{};
  std::size_t stride = 0;  // the largest of the counts on all ranks
  int index = 0;           // of the halo: a program has several
};

class Exchange {
 public:
  explicit Exchange(const Halo& halo) : halo_(halo) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  bool has(Side side) const { return halo_.neighbours[side] != kNobody; }
  // To be filled before `call`.
  std::span<double> outgoing(Side side) { return {out() + side * halo_.stride, count(side)}; }
  // From the end of `call` to the beginning of the next.
  std::span<const double> incoming(Side side) const {
    return {in() + side * halo_.stride, count(side)};
  }
  // Gives every neighbour what is outgoing on its side, and takes what is incoming from it.
  virtual void call() = 0;

 protected:
  const Halo& halo() const { return halo_; }
  std::size_t count(Side side) const { return has(side) ? halo_.counts[side] : 0; }
  // Both of four times `stride` numbers.
  virtual double* out() = 0;
  virtual const double* in() const = 0;

 private:
  Halo halo_;
};

// Through the harness's own messages: what the right answer is found with. One process has no
// neighbours and needs no world.
class ReferenceExchange : public Exchange {
 public:
  ReferenceExchange(const Halo& halo, World* world)
      : Exchange(halo), world_(world), out_(4 * halo.stride), in_(4 * halo.stride) {}
  void call() override;

 protected:
  double* out() override { return out_.data(); }
  const double* in() const override { return in_.data(); }

 private:
  World* world_;
  std::vector<double> out_;
  std::vector<double> in_;
};

}  // namespace leadline::probe::timestep
