#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"

namespace yupana::io {

/// What the lines of a --extract or --exclude file are. Names as PLINK 2's.
enum class VariantLines {
  ids,   ///< names of variants, between blanks
  bed0,  ///< intervals as UCSC's BED: contig, start from 0, end after the last
  bed1,  ///< intervals with both ends included, from 1
};

/// A --extract or --exclude file as users name it.
struct VariantListParams {
  std::string path = {};  ///< plain, gzip or Zstandard; empty: none
  VariantLines lines = VariantLines::ids;
};

/// "bed0", "bed1" or "range", which is bed1; throws usage, naming the option.
VariantLines variant_lines_from_name(std::string_view option, std::string_view name);

/// A set of variants: by their names, or by their places.
///   memory: about 72 bytes and its letters for every name; 16 bytes an interval
class VariantSet {
 public:
  /// Reads the file. Of intervals, more columns, blank lines and lines that begin with #, track or
  /// browser are ignored; a name may appear twice.
  ///   errors: bad_input with the line for fewer than three columns, a place that is no number, an
  ///   interval that ends before it begins; for a file without a variant
  VariantSet(const VariantListParams& params, std::int64_t autosomes);

  /// Safe from several threads. `position` is from 1; `21` and `chr21` are the same contig.
  bool contains(std::string_view contig, std::int64_t position, std::string_view name) const;

  /// One line for SiteAccount::notes: names that contains() was never asked for; empty where there
  /// is none, and of intervals. `option`: that named the file.
  std::string unused_note(std::string_view option) const;

 private:
  void read_names(const std::string& path);
  void read_intervals(const std::string& path, VariantLines lines);
  void merge_intervals();

  /// Names are looked up as views.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::int64_t autosomes_;
  bool by_name_;
  struct Use {
    mutable std::atomic<bool> found = false;
  };
  std::unordered_map<std::string, Use, Hash, std::equal_to<>> names_;
  std::map<std::string, std::vector<Range>> intervals_;  ///< by contig, sorted, apart
};

/// --extract and --exclude; null where there is none.
struct VariantLists {
  std::shared_ptr<const VariantSet> extract = {};
  std::shared_ptr<const VariantSet> exclude = {};

  bool any() const { return extract != nullptr || exclude != nullptr; }
};

/// Why the lists leave a variant out; empty where they do not.
std::string_view reason_of_lists(const VariantLists& lists,
                                 std::string_view contig,
                                 std::int64_t position,
                                 std::string_view name);

/// Adds the notes of both lists on names of no site that was read.
void add_unused_notes(const VariantLists& lists, std::vector<std::string>& notes);

/// Reads both lists.
VariantLists read_variant_lists(const VariantListParams& extract,
                                const VariantListParams& exclude,
                                std::int64_t autosomes);

}  // namespace yupana::io
