#include "harness/facts.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace leadline::probe;

namespace {

struct Folder {
  std::string path = std::filesystem::temp_directory_path() / "leadline-facts-XXXXXX";
  Folder() { REQUIRE(mkdtemp(path.data())); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};

}  // namespace

TEST_CASE("equal texts are sent once, with the places that have them") {
  const Folder folder;
  folder.write("cpu0/governor", "performance\n");
  folder.write("cpu1/governor", "powersave\n");
  folder.write("cpu12/governor", "performance\n");
  folder.write("online", "0-1\n");
  folder.write("empty", "\n");
  const std::string all = folder.path + "/cpu*/governor";
  const std::string one = folder.path + "/online";
  CHECK(files_json(all + "\n" + one + "\n" + folder.path + "/empty\n" + folder.path + "/none\n") ==
        "{\"" + all + "\":{\"performance\":\"0 12\",\"powersave\":\"1\"},\"" + one +
            "\":{\"0-1\":\"\"}}");
}

TEST_CASE("a long file is cut, and nothing is asked of nobody") {
  const Folder folder;
  folder.write("long", std::string(10000, 'x'));
  CHECK(files_json(folder.path + "/long\n") ==
        "{\"" + folder.path + "/long\":{\"" + std::string(4096, 'x') + "\":\"\"}}");
  CHECK(files_json("") == "{}");
}
