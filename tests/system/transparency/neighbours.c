/* The neighbourhood collectives on grids, graphs and distributed graphs, with ranks that are their
   own neighbours, neighbours several times, or nobody's: MPI_X must give what PMPI_X gives, and go
   to the library only where it has to. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "compared.h"

enum { kMostEdges = 40, kMostElements = 6000, kMostBytes = 3 << 20 };

static void complain(const char* topology, const char* what, const char* call) {
  if (wrong++ >= 5) return;
  fprintf(stderr, "rank %d of %d, %s, %s: %s\n", rank, size, topology, call, what);
}

/* What a topology is made of, alike on all ranks. */
static int sources[kMostEdges], destinations[kMostEdges], incoming, outgoing;

static MPI_Comm grid(int dimensions, const int* extents, int periodic) {
  int periods[3] = {periodic, periodic, periodic};
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, periods, 0, &comm);
  return comm;
}

static MPI_Comm near_square(int periodic) {
  int extents[2] = {0, 0};
  MPI_Dims_create(size, 2, extents);
  return grid(2, extents, periodic);
}

/* All ranks are joined to the first one. */
static MPI_Comm star(void) {
  int index[64], edges[128], number = 0;
  for (int i = 1; i < size; ++i) edges[number++] = i;
  index[0] = number;
  for (int i = 1; i < size; ++i) {
    edges[number++] = 0;
    index[i] = number;
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  return comm;
}

/* `number` edges between ranks below `ranks`: loops and several alike among them. Sources are in
   another order than the edges at their ends. */
static MPI_Comm random_graph(int number, int ranks) {
  int from[kMostEdges], to[kMostEdges], in_edges = 0, out_edges = 0;
  for (int i = 0; i < number; ++i) {
    from[i] = draw(ranks);
    to[i] = draw(3) == 0 ? from[i] : draw(ranks);
    if (i > 0 && draw(3) == 0) from[i] = from[i - 1], to[i] = to[i - 1];
  }
  for (int i = 0; i < number; ++i) {
    if (from[i] == rank) destinations[out_edges++] = to[i];
    if (to[number - 1 - i] == rank) sources[in_edges++] = from[number - 1 - i];
  }
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_edges, sources, MPI_UNWEIGHTED, out_edges,
                                 destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  return comm;
}

/* One way along the ranks; the last one is alone. */
static MPI_Comm chain(void) {
  const int number = rank + 2 < size ? 1 : 0, next = rank + 1;
  MPI_Comm comm;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &number, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &comm);
  return comm;
}

static MPI_Comm ring(void) { return grid(1, (const int[]){size}, 1); }
static MPI_Comm line(void) { return grid(1, (const int[]){size}, 0); }
static MPI_Comm periodic_grid(void) { return near_square(1); }
static MPI_Comm open_grid(void) { return near_square(0); }
static MPI_Comm flat_periodic_grid(void) { return grid(2, (const int[]){size, 1}, 1); }
static MPI_Comm three_dimensions(void) { return grid(3, (const int[]){1, size, 1}, 1); }
static MPI_Comm graph(void) { return random_graph(2 * size, size); }
static MPI_Comm dense_graph(void) { return random_graph(kMostEdges, size); }
static MPI_Comm graph_of_some_ranks(void) { return random_graph(size, (size + 1) / 2); }
static MPI_Comm no_edges(void) { return random_graph(0, size); }

#define TOPOLOGY(name) {#name, name}
static const struct {
  const char* name;
  MPI_Comm (*make)(void);
} kTopologies[] = {TOPOLOGY(ring),
                   TOPOLOGY(line),
                   TOPOLOGY(periodic_grid),
                   TOPOLOGY(open_grid),
                   TOPOLOGY(flat_periodic_grid),
                   TOPOLOGY(three_dimensions),
                   TOPOLOGY(star),
                   TOPOLOGY(graph),
                   TOPOLOGY(dense_graph),
                   TOPOLOGY(graph_of_some_ranks),
                   TOPOLOGY(no_edges),
                   TOPOLOGY(chain)};
enum { kNumber = sizeof kTopologies / sizeof *kTopologies };

static void find_neighbours(MPI_Comm comm) {
  int kind;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions;
    MPI_Cartdim_get(comm, &dimensions);
    incoming = outgoing = 2 * dimensions;
    for (int i = 0; i < dimensions; ++i) {
      MPI_Cart_shift(comm, i, 1, &sources[2 * i], &sources[2 * i + 1]);
    }
    memcpy(destinations, sources, sizeof sources);
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors_count(comm, rank, &incoming);
    MPI_Graph_neighbors(comm, rank, incoming, sources);
    outgoing = incoming;
    memcpy(destinations, sources, sizeof sources);
  } else {
    int weighted, weights[kMostEdges], others[kMostEdges];
    MPI_Dist_graph_neighbors_count(comm, &incoming, &outgoing, &weighted);
    MPI_Dist_graph_neighbors(comm, incoming, sources, weights, outgoing, destinations, others);
  }
}

static int is_connected(MPI_Comm comm) {
  char joined[64], all[64];
  memset(joined, 0, sizeof joined);
  joined[0] = 1;
  for (int round = 0; round < size; ++round) {
    for (int i = 0; i < incoming + outgoing; ++i) {
      const int other = i < incoming ? sources[i] : destinations[i - incoming];
      if (other == MPI_PROC_NULL) continue;
      if (joined[rank] || joined[other]) joined[rank] = joined[other] = 1;
    }
    PMPI_Allreduce(joined, all, 64, MPI_CHAR, MPI_MAX, comm);
    memcpy(joined, all, 64);
  }
  return memchr(joined, 0, (size_t)size) == NULL;
}

/* Of the block from one rank to another. What matches what where there are several edges is the
   library's to say, so all of these are alike. */
static int length(int from, int to, int most) {
  return (from * 5 + to * 3 + most) % 4 == 0 ? 0 : most * ((from + 2 * to) % 4 + 1) / 4;
}

typedef struct {
  int count; /* of each block, where all are alike */
  int counts[kMostEdges], offsets[kMostEdges];
  MPI_Datatype type;
} Side;
static Side sent, received;

/* Blocks of at most so many times `factor` elements, from the last edge's to the first one's, with
   gaps between. */
static void lay_out(Side* side, const int* ends, int edges, int most, int factor, int spreads) {
  side->count = most * factor;
  for (int i = 0; i < edges; ++i) {
    const int other = ends[i] == MPI_PROC_NULL ? rank : ends[i];
    side->counts[i] = factor * (side == &sent ? length(rank, other, most)
                                              : length(other, spreads ? 0 : rank, most));
    side->offsets[i] = (edges - 1 - i) * (most * factor + 1);
  }
}

enum { kAllgather, kAlltoall, kAllgatherv, kAlltoallv, kCollectives };
static const char* const kCalls[] = {"allgather", "alltoall", "allgatherv", "alltoallv"};

#define CALL(prefix, suffix, out, out_counts, out_offsets, in_counts, in_offsets)                  \
  switch (collective) {                                                                            \
    case kAllgather:                                                                               \
      return prefix##MPI_Neighbor_allgather##suffix(in, sent.count, sent.type, out,                \
                                                    received.count, received.type, comm);          \
    case kAlltoall:                                                                                \
      return prefix##MPI_Neighbor_alltoall##suffix(in, sent.count, sent.type, out, received.count, \
                                                   received.type, comm);                           \
    case kAllgatherv:                                                                              \
      return prefix##MPI_Neighbor_allgatherv##suffix(in, sent.count, sent.type, out, in_counts,    \
                                                     in_offsets, received.type, comm);             \
    default:                                                                                       \
      return prefix##MPI_Neighbor_alltoallv##suffix(in, out_counts, out_offsets, sent.type, out,   \
                                                    in_counts, in_offsets, received.type, comm);   \
  }

static int call_library(int collective, MPI_Comm comm) {
  CALL(P, , truth, sent.counts, sent.offsets, received.counts, received.offsets)
}

/* Ranks may call either form. */
static int call(int collective, MPI_Comm comm, int trial) {
#if MPI_VERSION >= 4
  if ((rank + trial) % 3 == 0) {
    MPI_Count out_counts[kMostEdges], in_counts[kMostEdges];
    MPI_Aint out_offsets[kMostEdges], in_offsets[kMostEdges];
    for (int i = 0; i < outgoing; ++i) out_counts[i] = sent.counts[i];
    for (int i = 0; i < outgoing; ++i) out_offsets[i] = sent.offsets[i];
    for (int i = 0; i < incoming; ++i) in_counts[i] = received.counts[i];
    for (int i = 0; i < incoming; ++i) in_offsets[i] = received.offsets[i];
    CALL(, _c, result, out_counts, out_offsets, in_counts, in_offsets)
  }
#endif
  (void)trial;
  CALL(, , result, sent.counts, sent.offsets, received.counts, received.offsets)
}

static MPI_Datatype kTypes[6];

/* Sent as elements, and received on every other rank as triples of them. */
static void compare(MPI_Comm comm, const char* name, int connected, int trial) {
  const int collective = draw(kCollectives);
  const int most = draw(draw(3) == 0 ? kMostElements / 3 : draw(2) == 0 ? 100 : 4);
  MPI_Datatype triple;
  sent.type = received.type = kTypes[draw(6)];
  MPI_Type_contiguous(3, sent.type, &triple);
  MPI_Type_commit(&triple);
  const int in_triples = (rank + trial) % 2;
  if (in_triples) received.type = triple;
  lay_out(&sent, destinations, outgoing, most, 3, 0);
  lay_out(&received, sources, incoming, most, in_triples ? 1 : 3, collective == kAllgatherv);
  if (collective == kAllgatherv) sent.count = 3 * length(rank, 0, most);
  for (int i = 0; i < kMostBytes; ++i) in[i] = (char)(rank * 37 + i * 11 + i / 256 * 5 + trial);
  memset(truth, 77, kMostBytes);
  memset(result, 77, kMostBytes);
  const int before = calls_of_the_library();
  const int code = call(collective, comm, trial);
  const int passed = calls_of_the_library() - before;
  if (code != call_library(collective, comm)) complain(name, "other code", kCalls[collective]);
  if (memcmp(truth, result, kMostBytes) != 0) complain(name, "other result", kCalls[collective]);
  const int nothing = collective < kAllgatherv && connected && most == 0;
  const int passes = !replaced || size == 1 || nothing;
  if (passed != passes && !some_replaced)
    complain(name, passed ? "not replaced" : "replaced", kCalls[collective]);
  MPI_Type_free(&triple);
}

/* Thousands of calls with nothing between them, of which one rank is late in some; all kinds of
   calls by turns. What is to come is known from which edge the library matches with which. */
static void follow(MPI_Comm comm, const char* name, int calls) {
  int out[kMostEdges][2], matches[kMostEdges][2], back[kMostEdges][2];
  memset(matches, -1, sizeof matches);
  for (int i = 0; i < outgoing; ++i) out[i][0] = rank, out[i][1] = i;
  PMPI_Neighbor_alltoall(out, 2, MPI_INT, matches, 2, MPI_INT, comm);
  for (int round = 0; round < calls; ++round) {
    const int everywhere = round % 3 == 0, mine[2] = {rank, round};
    if (round % 97 == 0 && rank == round / 97 % size) usleep(300);
    for (int i = 0; i < outgoing; ++i) out[i][0] = rank * 1000 + i, out[i][1] = round;
    memset(back, -1, sizeof back);
    if (everywhere) {
      MPI_Neighbor_allgather(mine, 2, MPI_INT, back, 2, MPI_INT, comm);
    } else {
      MPI_Neighbor_alltoall(out, 2, MPI_INT, back, 2, MPI_INT, comm);
    }
    for (int i = 0; i < incoming; ++i) {
      const int from = matches[i][0], edge = matches[i][1];
      const int first = from < 0 ? -1 : everywhere ? from : from * 1000 + edge;
      if (back[i][0] != first || back[i][1] != (from < 0 ? -1 : round)) {
        complain(name, "other result", "one of many");
      }
    }
    if (round % 501 == 0) MPI_Barrier(comm);
  }
}

/* One rank's blocks lie farther from the buffer's address than an int can say. */
static void go_far(void) {
#if MPI_VERSION >= 4
  const size_t far = (size_t)5 << 29;
  const int extents[1] = {size};
  MPI_Comm comm = grid(1, extents, 1);
  for (int i = 0; i < 10; ++i) MPI_Barrier(comm);
  char* const room = mmap(NULL, far + 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const MPI_Count counts[2] = {100, 200}, back_counts[2] = {200, 100};
  const MPI_Aint offsets[2] = {0, rank == 0 ? (MPI_Aint)far : 1000};
  memset(room + offsets[0], rank, 100);
  memset(room + offsets[1], rank + 50, 200);
  char near[2000];
  const MPI_Aint near_offsets[2] = {0, 1000};
  const int before = calls_of_the_library();
  MPI_Neighbor_alltoallv_c(room, counts, offsets, MPI_BYTE, near, back_counts, near_offsets,
                           MPI_BYTE, comm);
  MPI_Neighbor_alltoallv_c(room, counts, offsets, MPI_BYTE, room, back_counts,
                           (const MPI_Aint[]){300, 600}, MPI_BYTE, comm);
  if (replaced && size > 1 && calls_of_the_library() != before) complain("ring", "left", "far");
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (near[0] != left + 50 || near[199] != left + 50 || near[1000] != right ||
      near[1099] != right || memcmp(near, room + 300, 200) != 0) {
    complain("ring", "other result", "far");
  }
  munmap(room, far + 4096);
  MPI_Comm_free(&comm);
#endif
}

int main(int argc, char** argv) {
  begin(argc, argv, kMostBytes);
  MPI_Datatype gaps, pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_contiguous(2, MPI_SHORT, &pair);
  MPI_Type_commit(&gaps);
  MPI_Type_commit(&pair);
  const MPI_Datatype types[6] = {MPI_INT, MPI_CHAR, MPI_SHORT, MPI_FLOAT, gaps, pair};
  memcpy(kTypes, types, sizeof types);
  for (int which = 0; which < 2 * kNumber; ++which) {
    const char* const name = kTopologies[which % kNumber].name;
    MPI_Comm comm = kTopologies[which % kNumber].make();
    find_neighbours(comm);
    const int connected = is_connected(comm);
    for (int i = 0; i < 10; ++i) MPI_Barrier(comm); /* until leadline has adopted it */
    for (int trial = 0; trial < trials; ++trial) compare(comm, name, connected, trial);
    follow(comm, name, which % 7 == 2 ? 3000 : 100);
    MPI_Comm_free(&comm);
  }
  go_far();
  MPI_Type_free(&gaps);
  MPI_Type_free(&pair);
  return end();
}
