#include "comm/mpi_controls.hpp"

#include <mpi.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "harness/json.hpp"

namespace leadline::probe {
namespace {

constexpr int kLongestText = 1 << 16;

// Begins the tool interface once, and never ends it: MPICH 4.0 knows no variable any more when it
// is begun a second time, and Open MPI 4.1 crashes when it ends after MPI itself. The level asked
// for is the program's: Open MPI gives MPI itself what the tool interface asks for.
void begin_tool_interface() {
  static const bool begun = [] {
    int level = MPI_THREAD_SINGLE;
    int provided = 0;
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized) MPI_Query_thread(&level);
    return MPI_T_init_thread(level, &provided) == MPI_SUCCESS;
  }();
  if (!begun) throw std::runtime_error("the library's tool interface (MPI_T) cannot be used");
}

struct Text {
  std::vector<char> characters = std::vector<char>(kLongestText);
  int length = kLongestText;

  std::string text() const { return characters.data(); }
};

struct Type {
  MPI_Datatype datatype;
  const char* name;
  std::function<std::string(const void*)> read;
};

template <typename T>
Type type_of(MPI_Datatype datatype, const char* name) {
  return {datatype, name, [](const void* data) {
            T value{};
            std::memcpy(&value, data, sizeof value);
            return json_number(static_cast<double>(value));
          }};
}

template <typename T>
Type whole_type_of(MPI_Datatype datatype, const char* name) {
  return {datatype, name, [](const void* data) {
            T value{};
            std::memcpy(&value, data, sizeof value);
            return std::to_string(value);
          }};
}

const std::vector<Type>& types() {
  static const std::vector<Type> all{
      whole_type_of<int>(MPI_INT, "int"),
      whole_type_of<unsigned>(MPI_UNSIGNED, "unsigned"),
      whole_type_of<long>(MPI_LONG, "long"),
      whole_type_of<unsigned long>(MPI_UNSIGNED_LONG, "unsigned long"),
      whole_type_of<unsigned long long>(MPI_UNSIGNED_LONG_LONG, "unsigned long long"),
      whole_type_of<MPI_Count>(MPI_COUNT, "count"),
      whole_type_of<std::int32_t>(MPI_INT32_T, "int32"),
      whole_type_of<std::uint32_t>(MPI_UINT32_T, "uint32"),
      whole_type_of<std::int64_t>(MPI_INT64_T, "int64"),
      whole_type_of<std::uint64_t>(MPI_UINT64_T, "uint64"),
      whole_type_of<unsigned char>(MPI_C_BOOL, "bool"),
      type_of<double>(MPI_DOUBLE, "double"),
  };
  return all;
}

const Type* find_type(MPI_Datatype datatype) {
  for (const Type& type : types()) {
    if (type.datatype == datatype) return &type;
  }
  return nullptr;
}

std::string type_name(MPI_Datatype datatype) {
  if (datatype == MPI_CHAR) return "text";
  const Type* type = find_type(datatype);
  return type ? type->name : "other";
}

struct Item {
  int value;
  std::string name;
};

std::vector<Item> items_of(MPI_T_enum enumeration) {
  std::vector<Item> items;
  if (enumeration == MPI_T_ENUM_NULL) return items;
  int count = 0;
  Text name;
  if (MPI_T_enum_get_info(enumeration, &count, name.characters.data(), &name.length)) return items;
  for (int i = 0; i < count; ++i) {
    int value = 0;
    Text item;
    if (MPI_T_enum_get_item(enumeration, i, &value, item.characters.data(), &item.length)) continue;
    items.push_back({value, item.text()});
  }
  return items;
}

// The name of a value; of several flags in one all names, separated by commas as they are set.
std::optional<std::string> name_of(unsigned value, const std::vector<Item>& items) {
  std::string flags;
  unsigned left = value;
  for (const Item& item : items) {
    const auto bits = static_cast<unsigned>(item.value);
    if (bits == value) return item.name;
    if (!std::has_single_bit(bits) || (left & bits) == 0) continue;
    left &= ~bits;
    flags.append(flags.empty() ? "" : ",").append(item.name);
  }
  if (flags.empty() || left != 0) return std::nullopt;
  return flags;
}

struct Variable {
  Text name;
  Text description;
  int verbosity = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  int bind = MPI_T_BIND_NO_OBJECT;
  int scope = 0;
};

bool read_control(int index, Variable& variable) {
  return MPI_T_cvar_get_info(index, variable.name.characters.data(), &variable.name.length,
                             &variable.verbosity, &variable.datatype, &variable.enumeration,
                             variable.description.characters.data(), &variable.description.length,
                             &variable.bind, &variable.scope) == MPI_SUCCESS;
}

std::optional<std::string> value_of(int index, const Variable& variable) {
  if (variable.bind != MPI_T_BIND_NO_OBJECT) return std::nullopt;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  // No type that MPI_T allows has more than 16 bytes.
  std::vector<char> data(static_cast<std::size_t>(count) * 16 + 16);
  const int status = MPI_T_cvar_read(handle, data.data());
  MPI_T_cvar_handle_free(&handle);
  if (status != MPI_SUCCESS) return std::nullopt;
  if (variable.datatype == MPI_CHAR) return std::string(data.data());
  const Type* type = find_type(variable.datatype);
  if (!type || count != 1) return std::nullopt;
  std::string value = type->read(data.data());
  const std::vector<Item> items = items_of(variable.enumeration);
  if (items.empty()) return value;
  return name_of(static_cast<unsigned>(std::stoll(value)), items).value_or(value);
}

const char* verbosity_name(int verbosity) {
  static const std::map<int, const char*> names{
      {MPI_T_VERBOSITY_USER_BASIC, "user basic"},
      {MPI_T_VERBOSITY_USER_DETAIL, "user detail"},
      {MPI_T_VERBOSITY_USER_ALL, "user all"},
      {MPI_T_VERBOSITY_TUNER_BASIC, "tuner basic"},
      {MPI_T_VERBOSITY_TUNER_DETAIL, "tuner detail"},
      {MPI_T_VERBOSITY_TUNER_ALL, "tuner all"},
      {MPI_T_VERBOSITY_MPIDEV_BASIC, "developer basic"},
      {MPI_T_VERBOSITY_MPIDEV_DETAIL, "developer detail"},
      {MPI_T_VERBOSITY_MPIDEV_ALL, "developer all"},
  };
  const auto found = names.find(verbosity);
  return found == names.end() ? "" : found->second;
}

const char* scope_name(int scope) {
  static const std::map<int, const char*> names{
      {MPI_T_SCOPE_CONSTANT, "constant"}, {MPI_T_SCOPE_READONLY, "read-only"},
      {MPI_T_SCOPE_LOCAL, "local"},       {MPI_T_SCOPE_GROUP, "group"},
      {MPI_T_SCOPE_GROUP_EQ, "group"},    {MPI_T_SCOPE_ALL, "all"},
      {MPI_T_SCOPE_ALL_EQ, "all"},
  };
  const auto found = names.find(scope);
  return found == names.end() ? "" : found->second;
}

const char* class_name(int variable_class) {
  static const std::map<int, const char*> names{
      {MPI_T_PVAR_CLASS_STATE, "state"},
      {MPI_T_PVAR_CLASS_LEVEL, "level"},
      {MPI_T_PVAR_CLASS_SIZE, "size"},
      {MPI_T_PVAR_CLASS_PERCENTAGE, "percentage"},
      {MPI_T_PVAR_CLASS_HIGHWATERMARK, "high watermark"},
      {MPI_T_PVAR_CLASS_LOWWATERMARK, "low watermark"},
      {MPI_T_PVAR_CLASS_COUNTER, "counter"},
      {MPI_T_PVAR_CLASS_AGGREGATE, "aggregate"},
      {MPI_T_PVAR_CLASS_TIMER, "timer"},
      {MPI_T_PVAR_CLASS_GENERIC, "generic"},
  };
  const auto found = names.find(variable_class);
  return found == names.end() ? "" : found->second;
}

// The names of the categories that hold each variable, by its index.
using Categories = std::map<int, std::vector<std::string>>;
using ListMembers = int (*)(int category, int length, int indices[]);

Categories categories(ListMembers list, bool of_controls) {
  Categories found;
  int count = 0;
  if (MPI_T_category_get_num(&count) != MPI_SUCCESS) return found;
  for (int category = 0; category < count; ++category) {
    Text name;
    Text description;
    int controls = 0;
    int counters = 0;
    int subcategories = 0;
    if (MPI_T_category_get_info(category, name.characters.data(), &name.length,
                                description.characters.data(), &description.length, &controls,
                                &counters, &subcategories) != MPI_SUCCESS) {
      continue;
    }
    std::vector<int> members(static_cast<std::size_t>(of_controls ? controls : counters));
    if (members.empty()) continue;
    if (list(category, static_cast<int>(members.size()), members.data()) != MPI_SUCCESS) continue;
    for (const int member : members) found[member].push_back(name.text());
  }
  return found;
}

std::string json_list(const std::vector<std::string>& words) {
  return json_array(words, [](const std::string& word) { return json_string(word); });
}

std::vector<std::string> choices(MPI_T_enum enumeration) {
  std::vector<std::string> names;
  for (const Item& item : items_of(enumeration)) names.push_back(item.name);
  return names;
}

std::vector<std::string> controls() {
  Categories in = categories(&MPI_T_category_get_cvars, true);
  std::vector<std::string> listed;
  int count = 0;
  MPI_T_cvar_get_num(&count);
  for (int index = 0; index < count; ++index) {
    Variable variable;
    if (!read_control(index, variable)) continue;
    const auto value = value_of(index, variable);
    listed.push_back(JsonObject()
                         .add("name", variable.name.text())
                         .add("type", type_name(variable.datatype))
                         .add("scope", scope_name(variable.scope))
                         .add("verbosity", verbosity_name(variable.verbosity))
                         .add_json("value", value ? json_string(*value) : "null")
                         .add_json("choices", json_list(choices(variable.enumeration)))
                         .add_json("categories", json_list(in[index]))
                         .add("description", variable.description.text())
                         .text());
  }
  return listed;
}

std::vector<std::string> counters() {
  Categories in = categories(&MPI_T_category_get_pvars, false);
  std::vector<std::string> listed;
  int count = 0;
  MPI_T_pvar_get_num(&count);
  for (int index = 0; index < count; ++index) {
    Variable variable;
    int variable_class = 0;
    int readonly = 0;
    int continuous = 0;
    int atomic = 0;
    if (MPI_T_pvar_get_info(index, variable.name.characters.data(), &variable.name.length,
                            &variable.verbosity, &variable_class, &variable.datatype,
                            &variable.enumeration, variable.description.characters.data(),
                            &variable.description.length, &variable.bind, &readonly, &continuous,
                            &atomic) != MPI_SUCCESS) {
      continue;
    }
    listed.push_back(JsonObject()
                         .add("name", variable.name.text())
                         .add("class", class_name(variable_class))
                         .add("type", type_name(variable.datatype))
                         .add("verbosity", verbosity_name(variable.verbosity))
                         .add_json("categories", json_list(in[index]))
                         .add("description", variable.description.text())
                         .text());
  }
  return listed;
}

}  // namespace

std::string list_controls() {
  begin_tool_interface();
  const auto as_it_stands = [](const std::string& json) { return json; };
  return JsonObject()
      .add_json("controls", json_array(controls(), as_it_stands))
      .add_json("counters", json_array(counters(), as_it_stands))
      .text();
}

std::optional<std::string> control_value(const std::string& name) {
  begin_tool_interface();
  int index = 0;
  Variable variable;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return std::nullopt;
  if (!read_control(index, variable)) return std::nullopt;
  return value_of(index, variable);
}

}  // namespace leadline::probe
