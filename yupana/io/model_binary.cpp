#include "yupana/io/model_binary.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/model_files.hpp"

namespace yupana::io {
namespace {

using forest::Model;
using forest::Node;
using forest::Tree;

constexpr std::string_view magic = "YUPTREE2";
constexpr std::string_view magic_without_checksum = "YUPTREES";

constexpr std::uint8_t leaf_flag = 1, missing_left = 2, weight_is_rows = 4, is_pure = 8,
                       are_whole = 16, has_set = 32;

std::uint32_t checksum(std::uint32_t before, std::string_view bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
  uLong sum = before;
  for (std::size_t at = 0; at < bytes.size(); at += most) {
    const std::string_view piece = bytes.substr(at, most);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
  }
  return static_cast<std::uint32_t>(sum);
}

template <class V>
void append(std::string& bytes, V value) {
  static_assert(std::endian::native == std::endian::little);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  bytes += static_cast<char>(value);
}

/// Whether a varint gives the same bits back.
bool is_whole(double value) {
  return value >= 0 && value < 9007199254740992.0 && value == std::trunc(value) &&
         !std::signbit(value);
}

void append_set(std::string& bytes, const forest::CategorySet& set) {
  append_varint(bytes, set.size());
  for (std::size_t first = 0; first < set.size(); first += 8) {
    unsigned byte = 0;
    for (std::size_t c = first; c < std::min(first + 8, set.size()); ++c) {
      byte |= unsigned{set[c]} << (c - first);
    }
    bytes += static_cast<char>(byte);
  }
}

void append_node(std::string& bytes, const Tree& tree, std::int64_t i) {
  const Node& node = tree.nodes[i];
  const double* const values = tree.value(i);
  const bool whole = std::all_of(values, values + tree.outputs, is_whole);
  const bool plain_weight = node.weight == static_cast<double>(node.rows);
  const bool pure = node.impurity == 0 && !std::signbit(node.impurity);
  append(bytes,
         static_cast<std::uint8_t>((node.is_leaf() ? leaf_flag : 0) |
                                   (node.missing_left ? missing_left : 0) |
                                   (plain_weight ? weight_is_rows : 0) | (pure ? is_pure : 0) |
                                   (whole ? are_whole : 0) | (node.set >= 0 ? has_set : 0)));
  if (!node.is_leaf()) {
    append_varint(bytes, static_cast<std::uint64_t>(node.feature));
    if (node.set >= 0) {
      append_set(bytes, tree.sets[static_cast<std::size_t>(node.set)]);
    } else {
      append(bytes, node.threshold);
    }
    append_varint(bytes, static_cast<std::uint64_t>(node.left - i));
    append_varint(bytes, static_cast<std::uint64_t>(node.right - i));
  }
  append_varint(bytes, static_cast<std::uint64_t>(node.rows));
  if (!plain_weight) append(bytes, node.weight);
  if (!pure) append(bytes, node.impurity);
  for (std::int32_t c = 0; c < tree.outputs; ++c) {
    whole ? append_varint(bytes, static_cast<std::uint64_t>(values[c])) : append(bytes, values[c]);
  }
}

std::string tree_bytes(const Tree& tree) {
  std::string bytes;
  append(bytes, static_cast<std::uint64_t>(tree.nodes.size()));
  for (std::int64_t i = 0; i < std::ssize(tree.nodes); ++i) append_node(bytes, tree, i);
  return bytes;
}

/// take(bytes) for one part of the file after the other; returns the checksum, its last part.
/// context: null for one thread
template <class Take>
std::uint32_t each_part(Context* context,
                        std::string_view path,
                        const Model& model,
                        const Take& take) {
  std::uint32_t sum = 0;
  const auto pass = [&](const std::string& bytes) {
    sum = checksum(sum, bytes);
    take(bytes);
  };
  const std::string head = model_header(path, model);
  std::string bytes(magic);
  append(bytes, static_cast<std::uint64_t>(head.size()));
  bytes += head;
  append(bytes, static_cast<std::uint64_t>(model.trees.size()));
  pass(bytes);
  each_tree_text(context, model.trees, tree_bytes, pass);
  bytes.clear();
  append(bytes, sum);
  take(bytes);
  return sum;
}

/// Numbers one after the other.
class Bytes {
 public:
  Bytes(const std::string& path, std::string_view bytes) : path_(path), rest_(bytes) {}
  template <class V>
  V take() {
    V value;
    std::memcpy(&value, skip(sizeof(V)).data(), sizeof(V));
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = take<std::uint8_t>();
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
    throw damaged();
  }
  std::string_view skip(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw damaged();
    const std::string_view found = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return found;
  }
  std::size_t size() const { return rest_.size(); }
  Error damaged() const {
    return bad_file(path_, "the model is damaged or cut short; copy it again");
  }

 private:
  const std::string& path_;
  std::string_view rest_;
};

/// A child's number; one that is none is refused with the model.
std::int32_t child_of(std::int64_t node, std::uint64_t distance) {
  return distance > INT32_MAX ? -1 : static_cast<std::int32_t>(node + static_cast<int>(distance));
}

forest::CategorySet take_set(Bytes& bytes) {
  const std::uint64_t size = bytes.varint();
  if (size > static_cast<std::uint64_t>(forest::max_category) + 1) throw bytes.damaged();
  const std::string_view bits = bytes.skip((size + 7) / 8);
  forest::CategorySet set(size);
  for (std::uint64_t c = 0; c < size; ++c) {
    set[c] = (static_cast<unsigned char>(bits[c / 8]) >> (c % 8) & 1) != 0;
  }
  return set;
}

Tree take_tree(Bytes& bytes, std::int32_t outputs, std::uint64_t nodes) {
  Tree tree;
  tree.outputs = outputs;
  tree.nodes.resize(nodes);
  tree.values.reserve(nodes * static_cast<std::uint64_t>(outputs));
  for (std::uint64_t i = 0; i < nodes; ++i) {
    Node& node = tree.nodes[i];
    const auto flags = bytes.take<std::uint8_t>();
    node.missing_left = (flags & missing_left) != 0;
    if ((flags & leaf_flag) == 0) {
      node.feature = static_cast<std::int32_t>(std::min<std::uint64_t>(bytes.varint(), INT32_MAX));
      if ((flags & has_set) != 0) {
        node.set = static_cast<std::int32_t>(tree.sets.size());
        tree.sets.push_back(take_set(bytes));
      } else {
        node.threshold = bytes.take<double>();
      }
      node.left = child_of(static_cast<std::int64_t>(i), bytes.varint());
      node.right = child_of(static_cast<std::int64_t>(i), bytes.varint());
    }
    node.rows = static_cast<std::int64_t>(bytes.varint());
    node.weight =
        (flags & weight_is_rows) != 0 ? static_cast<double>(node.rows) : bytes.take<double>();
    node.impurity = (flags & is_pure) != 0 ? 0 : bytes.take<double>();
    for (std::int32_t c = 0; c < outputs; ++c) {
      tree.values.push_back((flags & are_whole) != 0 ? static_cast<double>(bytes.varint())
                                                     : bytes.take<double>());
    }
  }
  return tree;
}

/// A finite number, or weights of classes that have shares.
bool has_value(const Model& model, const double* value, std::int32_t outputs) {
  if (!model.is_class()) return std::isfinite(*value);
  const double sum = std::accumulate(value, value + outputs, 0.0);
  return *std::min_element(value, value + outputs) >= 0 && sum > 0 && std::isfinite(sum);
}

}  // namespace

bool is_binary_model(std::string_view bytes) {
  return bytes.starts_with(magic) || bytes.starts_with(magic_without_checksum);
}

Model binary_model(const std::string& path,
                   std::string_view text,
                   std::uint64_t max_bytes,
                   const ModelWork& work) {
  if (text.starts_with(magic_without_checksum)) {
    throw bad_file(path,
                   "is a binary model of an earlier version, without a checksum; use its .json, or "
                   "train it again");
  }
  const Error damaged = bad_file(path, "the model is damaged or cut short; copy it again");
  std::uint32_t sum = 0;
  if (text.size() < magic.size() + sizeof(sum)) throw damaged;
  std::memcpy(&sum, text.data() + text.size() - sizeof(sum), sizeof(sum));
  text.remove_suffix(sizeof(sum));
  if (checksum(0, text) != sum) throw damaged;
  Bytes bytes(path, text.substr(magic.size()));
  Model model = model_of_header(path, bytes.skip(bytes.take<std::uint64_t>()));
  const auto outputs = model.is_class() ? static_cast<std::int32_t>(model.classes.size()) : 1;
  const std::uint64_t node_bytes = sizeof(Node) + 8 * static_cast<std::uint64_t>(outputs);
  const std::uint64_t least_node = 2 + static_cast<std::uint64_t>(outputs);  // in the file
  std::uint64_t all_nodes = 0;
  const auto taken = [&] { return text.size() + all_nodes * node_bytes; };
  const auto trees = bytes.take<std::uint64_t>();
  const std::size_t of_trees = bytes.size();
  for (std::uint64_t t = 0; t < trees; ++t) {
    const auto nodes = bytes.take<std::uint64_t>();
    if (nodes > bytes.size() / least_node) throw damaged;
    all_nodes += nodes;
    Tree tree = take_tree(bytes, outputs, nodes);
    // Trees beyond the memory are counted alone.
    if (taken() <= max_bytes) model.trees.push_back(std::move(tree));
  }
  if (bytes.size() > 0) throw damaged;
  if (taken() > max_bytes) {
    double later = 0;
    Bytes again(path, text.substr(text.size() - of_trees));
    for (std::uint64_t t = 0; work.of_tree && t < trees; ++t) {
      const auto nodes = again.take<std::uint64_t>();
      later += work.of_tree(model, take_tree(again, outputs, nodes), trees);
    }
    throw model_too_large(path, taken(), later, work, max_bytes, "");
  }
  return model;
}

std::string model_checksum(Context* context, std::string_view path, const Model& model) {
  return fmt::format("{:08x}", each_part(context, path, model, [](const std::string&) {}));
}

std::string model_bytes(const Model& model) {
  std::string all;
  each_part(nullptr, "the model", model, [&](const std::string& bytes) { all += bytes; });
  return all;
}

void write_model_binary(Context& context, AtomicFile& file, const Model& model) {
  each_part(&context, file.path(), model, [&](const std::string& bytes) { file.write(bytes); });
}

Error model_too_large(const std::string& path,
                      std::uint64_t wanted,
                      double later,
                      const ModelWork& work,
                      std::uint64_t max_bytes,
                      const char* instead) {
  const auto reading = static_cast<double>(wanted);
  if (work.total) later = work.total(later);
  return resource_error(
      "{}: reading the model takes {}{}; memory is limited to {}; give --memory {}{}",
      path,
      needed_bytes(reading),
      later > reading ? ", and what follows " + needed_bytes(later) : "",
      allowed_bytes(static_cast<double>(max_bytes)),
      memory_option(std::max(reading, later)),
      instead);
}

void check_model(const std::string& path, const Model& model) {
  if (model.trees.empty()) throw bad_file(path, "a model without trees");
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const auto damaged = [&](std::string_view what) {
      return bad_file(path, "tree {}: {}; train the model again", t + 1, what);
    };
    if (tree.nodes.empty()) throw damaged("no nodes");
    if (tree.values.size() != tree.nodes.size() * static_cast<std::size_t>(tree.outputs)) {
      throw damaged("other than one value a node and class");
    }
    std::vector<char> seen(tree.nodes.size(), 0);
    std::size_t children = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& node = tree.nodes[i];
      if (node.feature >= std::ssize(model.features)) throw damaged("a feature that is not there");
      if (node.set < -1 || node.set >= std::ssize(tree.sets)) throw damaged("a set that is none");
      if (node.rows < 0 || !(node.weight >= 0) ||
          !has_value(model, tree.value(static_cast<std::int64_t>(i)), tree.outputs)) {
        throw damaged(fmt::format("node {} has a value or weight that is none", i));
      }
      if (node.is_leaf()) continue;
      if (node.threshold != node.threshold) throw damaged("a threshold that is no number");
      for (const std::int32_t child : {node.left, node.right}) {
        const bool below = child > static_cast<std::int64_t>(i) && child < std::ssize(tree.nodes);
        if (!below || seen[child] != 0) {
          throw damaged(fmt::format("node {} has a child that is none", i));
        }
        seen[child] = 1;
        ++children;
      }
    }
    if (children + 1 != tree.nodes.size()) throw damaged("nodes without a parent");
  }
}

}  // namespace yupana::io
