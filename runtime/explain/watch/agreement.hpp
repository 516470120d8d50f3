// What the nodes of a job tell each other of those that have turned slow, and what follows: a node
// whose ranks compute longer is slow where those of others do not. Where all do, the program has
// come to another part. No input or output is here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/explain/watch/pace.hpp"

namespace leadline::explain {

struct Node {
  unsigned number = 0;
  std::string host;
  std::string ranks;  // in words
  unsigned ranks_here = 0;
  unsigned ranks_total = 0;
};

// A slowness of a node, by when it began.
struct Which {
  unsigned node;
  long long since_ms;
  bool operator==(const Which&) const = default;
};

// All that a node has to say.
struct Statement {
  Node node;
  std::optional<Slowness> slowness;
  std::vector<Which> denied;  // of others: it computes as before itself
  std::vector<Which> told;    // by the first node: these are slow
  bool is_empty() const { return !slowness && denied.empty() && told.empty(); }
};

Which which(const Statement& statement);

// In a text of a few lines. What is none is refused: anybody may have written it.
std::string text_of(const Statement& statement);
std::optional<Statement> statement_of(const std::string& text);

// One of the nodes. The first few are asked about all others.
class Member {
 public:
  explicit Member(Node node) { own_.node = std::move(node); }

  void add(const Interval& interval) { pace_.add(interval); }
  // Whether it has to read what others say.
  bool listens() const;
  // Says what it has to, after what others have said.
  const Statement& say(const std::vector<Statement>& others, double now_s);
  // As the judge of this node has it.
  void tell(std::vector<Which> slow) { own_.told = std::move(slow); }

 private:
  Pace pace_;
  Statement own_;
};

// Of the first node.
class Judge {
 public:
  struct News {
    Statement of;
    bool is_over;
  };
  // What is known now for the first time. All statements are those of nodes that have something to
  // say, this node's among them.
  std::vector<News> judge(const std::vector<Statement>& all, double now_s);
  // Those of which their nodes speak, so that they know.
  std::vector<Which> told() const;

 private:
  struct Case {
    Which which;
    double seen_s;
    bool is_closed = false;
    bool is_told = false;
    bool is_here = true;  // its node still says so
  };
  std::map<unsigned, Case> cases_;
  std::size_t told_ = 0;  // how many in all
};

}  // namespace leadline::explain
