#include <algorithm>
#include <nlohmann/json.hpp>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/json_shape.hpp"
#include "yupana/io/model_binary.hpp"

namespace yupana::io {
namespace {

using Json = nlohmann::ordered_json;

/// The outputs of a node, as the document's classes say; 1 where they say nothing.
std::int64_t outputs_of(std::string_view text) {
  const auto but_trees = [](int depth, Json::parse_event_t event, const Json& parsed) {
    return depth != 1 || event != Json::parse_event_t::key || parsed != "trees";
  };
  const Json json = Json::parse(text.begin(), text.end(), but_trees);
  return json.is_object() && json.contains("classes")
             ? std::max<std::int64_t>(1, std::ssize(json["classes"]))
             : 1;
}

}  // namespace

Error model_too_large(const std::string& path,
                      std::uint64_t wanted,
                      double work,
                      std::uint64_t max_bytes,
                      const char* instead) {
  const auto reading = static_cast<double>(wanted);
  return resource_error(
      "{}: reading the model takes {}{}; memory is limited to {}; give --memory {}{}",
      path,
      needed_bytes(reading),
      work > reading ? ", and predicting " + needed_bytes(work) : "",
      allowed_bytes(static_cast<double>(max_bytes)),
      memory_option(std::max(reading, work)),
      instead);
}

void check_model_memory(const std::string& path,
                        std::string_view text,
                        std::uint64_t max_bytes,
                        const ModelWork& work) {
  // 8 bytes in a tree; 16 in a document, whose lists may have twice the room that they need.
  const JsonShape shape = checked_json(path, text);
  const std::uint64_t wanted = text.size() + 8 * shape.numbers + 32 * shape.largest;
  if (wanted <= max_bytes) return;
  double later = 0;
  if (work) {
    // A node has a number in each of eight lists and its outputs.
    const auto outputs = static_cast<double>(outputs_of(text));
    const auto trees = static_cast<double>(shape.objects);
    later = work({trees, (static_cast<double>(shape.numbers) + trees) / (8 + outputs), outputs});
  }
  throw model_too_large(path, wanted, later, max_bytes, ", or the .model that fit --binary writes");
}

}  // namespace yupana::io
