#include "harness/describe.hpp"

#include "harness/benchmark.hpp"
#include "harness/json.hpp"
#include "harness/neighbour.hpp"
#include "harness/record.hpp"

namespace leadline::probe {
namespace {

const char* kind_name(AxisKind kind) {
  switch (kind) {
    case AxisKind::kBytes:
      return "bytes";
    case AxisKind::kInteger:
      return "integer";
    case AxisKind::kNumber:
      return "number";
    case AxisKind::kChoice:
      return "choice";
    case AxisKind::kWord:
      return "word";
  }
  return "";
}

std::string quick_values(const Axis& axis) {
  if (!axis.quick_values.empty()) return axis.quick_values;
  std::string all;
  for (const std::string& choice : axis.choices) all.append(all.empty() ? "" : ",").append(choice);
  return all.empty() ? axis.default_values : all;
}

const char* size_name(Guideline::Term::Size size) {
  switch (size) {
    case Guideline::Term::Size::kSame:
      return "same";
    case Guideline::Term::Size::kTimesProcesses:
      return "times processes";
    case Guideline::Term::Size::kOverProcesses:
      return "over processes";
  }
  return "";
}

std::string guideline_json(const Guideline& guideline) {
  return json_array(guideline.terms, [](const Guideline::Term& term) {
    JsonObject object;
    object.add("benchmark", term.benchmark).add("size", size_name(term.size));
    if (term.bytes > 0) object.add("bytes", static_cast<double>(term.bytes));
    return object.text();
  });
}

std::string roof_json(const Roof& roof) {
  JsonObject values;
  for (const auto& [axis, value] : roof.values) values.add(axis, value);
  return JsonObject()
      .add("benchmark", roof.benchmark)
      .add_json("values", values.text())
      .add("size_axis", roof.size_axis)
      .add("of_axis", roof.of_axis)
      .add("times", roof.times)
      .text();
}

std::string headline_json(const Headline& headline) {
  return JsonObject()
      .add("of", headline.of == Headline::Of::kTime ? "time" : "rate")
      .add("title", headline.title)
      .text();
}

std::string yardstick_json(const Yardstick& yardstick) {
  JsonObject values;
  for (const auto& [axis, value] : yardstick.values) values.add(axis, value);
  return JsonObject()
      .add("benchmark", yardstick.benchmark)
      .add("title", yardstick.title)
      .add_json("values", values.text())
      .text();
}

std::string trial_json(const Trial& trial) {
  return JsonObject().add("name", trial.name).add("definition", trial.definition).text();
}

std::string delivery_json(const std::optional<Delivery>& delivery) {
  if (!delivery) return "null";
  JsonObject where;
  for (const auto& [axis, values] : delivery->where) {
    where.add_json(axis, json_array(values, json_string));
  }
  const bool one_sided = delivery->sides == Delivery::Sides::kOneSided;
  return JsonObject()
      .add("sides", one_sided ? "one-sided" : "two-sided")
      .add("series", delivery->series)
      .add_json("where", where.text())
      .text();
}

std::string axis_json(const Axis& axis) {
  JsonObject object;
  object.add("name", axis.name)
      .add("kind", kind_name(axis.kind))
      .add("summary", axis.summary)
      .add("default", axis.default_values)
      .add("quick", quick_values(axis))
      .add_json("choices", json_array(axis.choices, json_string))
      .add("minimum", axis.minimum)
      .add("multiple_of", axis.multiple_of)
      .add("ways", axis.ways);
  if (axis.maximum > 0.0) object.add("maximum", axis.maximum);
  return object.text();
}

std::string sizes_json(const Sizes& sizes) {
  std::vector<std::string> words;
  if (sizes.join) words.emplace_back("join");
  if (sizes.split) words.emplace_back("split");
  if (sizes.pad) words.emplace_back("pad");
  return json_array(words, json_string);
}

std::string benchmark_json(std::string_view transport, const Benchmark& benchmark) {
  const auto series = [](const Series& one) {
    return JsonObject()
        .add("name", one.name)
        .add("definition", one.definition)
        .add_json("ends_by", json_array(one.ends_by, json_string))
        .text();
  };
  return JsonObject()
      .add("name", benchmark.name)
      .add("title", benchmark.title)
      .add("summary", benchmark.summary)
      .add("transport", transport)
      .add("start", start_name(benchmark.start))
      .add_json("starts", json_array(benchmark.starts,
                                     [](Start start) { return json_string(start_name(start)); }))
      .add_json("processes", JsonObject()
                                 .add("minimum", benchmark.processes.minimum)
                                 .add("maximum", benchmark.processes.maximum)
                                 .add("multiple_of", benchmark.processes.multiple_of)
                                 .text())
      .add_json("series", json_array(benchmark.series, series))
      .add_json("axes", json_array(benchmark.axes, axis_json))
      .add_json("sizes", sizes_json(benchmark.sizes))
      .add_json("guidelines", json_array(benchmark.guidelines, guideline_json))
      .add_json("delivery", delivery_json(benchmark.delivery))
      .add_json("roofs", json_array(benchmark.roofs, roof_json))
      .add_json("headlines", json_array(benchmark.headlines, headline_json))
      .add_json("yardsticks", json_array(benchmark.yardsticks, yardstick_json))
      .add_json("trials", json_array(benchmark.trials, trial_json))
      .add("kernels", benchmark.kernels)
      .add("messages", benchmark.messages)
      .text();
}

std::string congestor_json(const std::map<std::string, CongestorFacts>::value_type& entry) {
  return JsonObject()
      .add("name", entry.second.name)
      .add("summary", entry.second.summary)
      .add("minimum", entry.second.minimum)
      .text();
}

}  // namespace

std::string sample_fields_json() {
  return json_array(kSampleFields, [](const Field& field) {
    return "[" + json_string(field.name) + "," + json_string(field.numpy_type) + "]";
  });
}

std::string flag_names_json() { return json_array(kFlagNames, json_string); }

std::string describe(std::string_view transport) {
  const auto benchmark = [&](const auto& entry) { return benchmark_json(transport, entry.second); };
  return JsonObject()
      .add("format", kStreamFormat)
      .add("transport", transport)
      .add_json("settings", json_array(harness_settings(), axis_json))
      .add_json("neighbour_settings", json_array(neighbour_settings(), axis_json))
      .add_json("congestors", json_array(declared_congestors(), congestor_json))
      .add_json("sample", sample_fields_json())
      .add_json("flags", flag_names_json())
      .add_json("benchmarks", json_array(benchmarks(), benchmark))
      .text();
}

}  // namespace leadline::probe
