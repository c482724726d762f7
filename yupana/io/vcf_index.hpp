#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/genotype/region.hpp"
#include "yupana/io/text_stream.hpp"

namespace yupana::io {

/// Records of a BGZF file between two virtual offsets (the place of a block << 16 | the place in
/// what it unpacks to).
struct FileChunk {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The index that FILE.csi, FILE.tbi or, without its last ending, FILE has; empty where none is.
std::string find_index(const std::string& path, bool binary);

/// A tabix (.tbi) or CSI index, of a VCF.gz or a BCF: one pass over the file, which keeps the names
/// and the chunks of one region. What is unpacked is at most 16 times the file, or 16 MiB.
///   errors: bad_input for what is no index of such a file, is damaged or cut short
class VcfIndex {
 public:
  /// Reads what precedes the bins.
  VcfIndex(std::string path, bool binary);

  const std::string& path() const { return stream_.path(); }
  /// The first names of contigs, at most `most`; a BCF has them in its header instead.
  std::vector<std::string> contigs(std::size_t most) const;
  /// The name of the region's contig: as the region spells it, else in another of its spellings;
  /// `number` counts from 0 and is -1 where there is none.
  std::string find(const genotype::Region& region,
                   std::int64_t autosomes,
                   std::int64_t& number) const;
  /// Reads the rest: the chunks, in file order and apart, that hold all records of a contig at the
  /// region's positions.
  std::vector<FileChunk> chunks(std::int64_t contig, const genotype::Region& region);

 private:
  /// Positions from 0, and the least offset of a record at or after them.
  struct Query {
    std::int64_t first = 0;
    std::int64_t last = 0;  ///< past the end
    std::uint64_t lead = 0;
    std::vector<FileChunk> found = {};
  };

  void read(void* data, std::size_t bytes);
  template <class Number>
  Number number();
  std::int64_t count(const char* what);
  void read_names(std::int64_t extra);
  void read_bin(Query* query);
  void read_windows(Query* query);
  Error damaged(std::string_view how) const;

  TextStream stream_;
  std::int64_t left_;  ///< bytes that may still be unpacked
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  bool is_csi_ = false;
  int min_shift_ = 14;
  int depth_ = 5;
  std::int64_t references_ = 0;
  std::string names_;  ///< each ends with a zero byte
};

}  // namespace yupana::io
