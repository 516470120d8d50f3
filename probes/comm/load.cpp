// Where a probe begins: loads what it is made of, the MPI library first, and calls its world.
//
// leadline-probe --load FILE:FILE... ARGUMENT...
// leadline-probe --self-test FILE:FILE...
//
// Nothing is linked to an MPI: the same files serve every library with their ABI. A probe that is
// linked as a whole has its world and no --load.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <string_view>

extern "C" int leadline_probe_main(int argc, char** argv);

namespace {

constexpr int kBadInput = 2;

int refuse(const char* what) {
  std::fprintf(stderr, "leadline-probe: %s\n", what);
  return kBadInput;
}

// Loads each file; those after it see what it defines, as do the libraries that MPI itself loads.
bool load(std::string_view files) {
  while (!files.empty()) {
    const auto colon = files.find(':');
    const std::string file(files.substr(0, colon));
    if (dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL) == nullptr) return false;
    files.remove_prefix(colon == std::string_view::npos ? files.size() : colon + 1);
  }
  return true;
}

}  // namespace

#ifdef LEADLINE_WHOLE
int main(int argc, char** argv) { return leadline_probe_main(argc, argv); }
#else
int main(int argc, char** argv) {
  const std::string_view option = argc > 2 ? argv[1] : "";
  const char* const name = option == "--load"        ? "leadline_probe_main"
                           : option == "--self-test" ? "leadline_self_test"
                                                     : nullptr;
  if (name == nullptr) return refuse("usage: leadline-probe --load FILE:FILE... ARGUMENT...");
  if (!load(argv[2])) return refuse(dlerror());
  const auto world = reinterpret_cast<decltype(&leadline_probe_main)>(dlsym(RTLD_DEFAULT, name));
  if (world == nullptr) return refuse("none of the files that were loaded has a world");
  argv[2] = argv[0];
  return world(argc - 2, argv + 2);
}
#endif
