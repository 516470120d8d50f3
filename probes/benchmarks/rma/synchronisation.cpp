#include "benchmarks/rma/synchronisation.hpp"

#include <map>
#include <stdexcept>

#include "comm/mpi_world.hpp"
#include "harness/simulation.hpp"

namespace leadline::probe {
namespace {

class Flush : public Synchronisation {
 public:
  Flush(MPI_Win window, int target) : Synchronisation(window), target_(target) {
    MPI_REQUIRE(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
  }
  ~Flush() override { MPI_REQUIRE(MPI_Win_unlock_all(window_)); }
  void close() override { MPI_REQUIRE(MPI_Win_flush(target_, window_)); }
  void begin_access() override { MPI_REQUIRE(MPI_Win_sync(window_)); }
  void end_access() override { MPI_REQUIRE(MPI_Win_sync(window_)); }

 private:
  int target_;
};

// Each fence ends one epoch and begins the next, so there is one for each operation.
class Fence : public Synchronisation {
 public:
  explicit Fence(MPI_Win window) : Synchronisation(window) { fence(); }
  void close() override { fence(); }
  void expose() override { fence(); }
  bool target_takes_part() const override { return true; }
  void end_access() override { fence(); }

 private:
  void fence() { MPI_REQUIRE(MPI_Win_fence(0, window_)); }
};

// Post, start, complete, wait.
class Pscw : public Synchronisation {
 public:
  Pscw(MPI_Win window, int peer) : Synchronisation(window) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_REQUIRE(MPI_Win_get_group(window_, &all));
    MPI_REQUIRE(MPI_Group_incl(all, 1, &peer, &peer_));
    MPI_REQUIRE(MPI_Group_free(&all));
  }
  ~Pscw() override { MPI_REQUIRE(MPI_Group_free(&peer_)); }
  void open() override { MPI_REQUIRE(MPI_Win_start(peer_, 0, window_)); }
  void close() override { MPI_REQUIRE(MPI_Win_complete(window_)); }
  void expose() override {
    MPI_REQUIRE(MPI_Win_post(peer_, 0, window_));
    MPI_REQUIRE(MPI_Win_wait(window_));
  }
  bool target_takes_part() const override { return true; }

 private:
  MPI_Group peer_ = MPI_GROUP_NULL;
};

class Lock : public Synchronisation {
 public:
  Lock(MPI_Win window, const EpochRoles& roles) : Synchronisation(window), roles_(roles) {}
  void open() override { MPI_REQUIRE(MPI_Win_lock(roles_.lock_type, roles_.target, 0, window_)); }
  void close() override { MPI_REQUIRE(MPI_Win_unlock(roles_.target, window_)); }
  void begin_access() override {
    MPI_REQUIRE(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, roles_.rank, 0, window_));
  }
  void end_access() override { MPI_REQUIRE(MPI_Win_unlock(roles_.rank, window_)); }

 private:
  EpochRoles roles_;
};

}  // namespace

Axis synchronisation_axis(const std::string& call, const std::vector<std::string>& names) {
  const std::map<std::string, std::string> told{
      {"flush", call + " and MPI_Win_flush in an epoch that stays open"},
      {"fence", call + " and MPI_Win_fence"},
      {"pscw", "MPI_Win_start, " + call + ", MPI_Win_complete against MPI_Win_post, MPI_Win_wait"},
      {"lock", "MPI_Win_lock, " + call + ", MPI_Win_unlock"},
  };
  std::string summary;
  for (const std::string& name : names) {
    summary.append(summary.empty() ? "" : "; ").append(name).append(": ").append(told.at(name));
  }
  return choice_axis("synchronisation", summary, names);
}

std::unique_ptr<Synchronisation> synchronisation_of(const Point& point, MPI_Win window,
                                                    const EpochRoles& roles) {
  const std::string& name = point.choice("synchronisation");
  if (name == "flush") return std::make_unique<Flush>(window, roles.target);
  if (name == "fence") return std::make_unique<Fence>(window);
  if (name == "pscw") {
    const bool is_origin = roles.rank == roles.origin;
    return std::make_unique<Pscw>(window, is_origin ? roles.target : roles.origin);
  }
  if (name == "lock") return std::make_unique<Lock>(window, roles);
  throw std::invalid_argument("synchronisation=" + name + " is not flush, fence, pscw or lock");
}

Axis window_axis() {
  Axis axis = choice_axis("window",
                          "who provides the target's memory: MPI_Win_allocate, the program "
                          "(MPI_Win_create), or MPI_Win_allocate_shared",
                          {"allocate", "create", "shared"});
  axis.quick_values = "allocate";
  return axis;
}

Window::Kind window_kind(const Point& point) {
  const std::string& name = point.choice("window");
  if (name == "allocate") return Window::Kind::kAllocate;
  if (name == "create") return Window::Kind::kCreate;
  if (name != "shared") {
    throw std::invalid_argument("window=" + name + " is not allocate, create or shared");
  }
  require_real("ranks share no memory: take window=allocate");
  if (point.world().nodes() > 1) {
    throw Unavailable("window=shared needs all ranks on one node: use window=allocate");
  }
  return Window::Kind::kShared;
}

}  // namespace leadline::probe
