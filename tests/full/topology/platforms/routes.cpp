// Prints, for each pair of the first hosts of a platform, the latency between them and the links
// that SimGrid sends over.
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  const int hosts = std::atoi(argv[2]);
  const auto host = [](int number) { return sg4::Host::by_name("n" + std::to_string(number)); };
  for (int one = 0; one < hosts; ++one) {
    for (int other = 0; other < hosts; ++other) {
      std::vector<sg4::Link*> links;
      double latency = 0;
      host(one)->route_to(host(other), links, &latency);
      std::printf("%d %d %.9g", one, other, latency);
      for (const auto* link : links) std::printf(" %s", link->get_cname());
      std::printf("\n");
    }
  }
}
