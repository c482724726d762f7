#pragma once

#include <htslib/hts.h>
#include <htslib/thread_pool.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/vcf_record.hpp"

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

/// What a reader of genotypes needs of a VCF header.
struct VcfHeader {
  std::string text;  ///< all of it, as in the file
  std::int64_t lines = 0;
  std::vector<std::string> samples;
  std::vector<std::string> contigs;  ///< declared by ##contig lines
};

/// Blocks of at most 64 KB that are decompressed ahead by so many threads: two batches of
/// VcfSource.
inline int blocks_ahead(int threads) { return threads > 1 ? std::max(64, 16 * threads) : 0; }

/// A VCF, VCF.gz or BCF file as a stream of the bytes of its records, decompressed by htslib on a
/// pool of its own; whole or one region of it.
class VcfFile {
 public:
  /// Throws bad_input for a file that is not there, is no VCF or BCF, has a bad header, is cut
  /// short (compressed files end in an empty block), or declares contigs but not the region's.
  VcfFile(std::string path,
          std::optional<genotype::Region> region,
          std::int64_t autosomes,
          int threads);
  ~VcfFile();

  const std::string& path() const { return path_; }
  const VcfHeader& header() const { return header_; }
  bool binary() const { return binary_; }
  /// True where an index leads to the records that overlap the region; without one the whole file
  /// is read, and the reader picks them.
  bool indexed() const { return chunks_.has_value(); }
  /// True where the header or the index names the region's contig.
  bool declares_region() const { return region_declared_; }
  /// BCF: the dictionaries of the header.
  BinaryNames binary_names() const;
  /// Facts a user should know, one line each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The next bytes of the records, `capacity` of them except at the end.
  std::int64_t read(char* data, std::int64_t capacity);
  /// The next record of the region, whole: its bytes, for text with the end of the line.
  bool read_record(std::string& record);
  /// Back to the first record. Throws usage for standard input and other pipes that were read from.
  void rewind();

 private:
  template <auto Release>
  struct Releaser {
    template <class T>
    void operator()(T* handle) const {
      Release(handle);
    }
  };
  static void close(htsFile* file) { hts_close(file); }

  void open();
  void check_format(const htsFormat& format);
  char peek();
  void load_index();
  std::optional<std::int64_t> position_of(std::string_view record) const;
  void read_line(std::string& line);
  void read_binary_record(std::string& record);
  std::int64_t append(std::string& record, std::int64_t bytes);
  Error old_index() const;
  void check_header_size(std::size_t bytes) const;
  std::string read_text_header();
  std::string read_binary_header();
  std::int64_t read_raw(char* data, std::int64_t capacity);
  void check_end() const;
  /// Of messages.
  std::string shown_path() const { return path_ == "-" ? "standard input" : path_; }

  std::string path_;
  std::optional<genotype::Region> region_;
  std::int64_t autosomes_;
  bool region_declared_ = false;
  std::string contig_;        ///< of the region, as the file spells it
  std::int64_t number_ = -1;  ///< of the contig in the index
  std::optional<std::vector<FileChunk>> chunks_;
  std::size_t next_chunk_ = 0;
  bool in_chunk_ = false;  ///< a record of the next chunk was read
  std::vector<std::string> notes_;
  std::unique_ptr<hts_tpool, Releaser<hts_tpool_destroy>> pool_;
  std::unique_ptr<htsFile, Releaser<close>> file_;  // after the pool that works for it
  std::unique_ptr<bcf_hdr_t, Releaser<bcf_hdr_destroy>> dictionary_;
  VcfHeader header_;
  std::string ahead_;  // bytes of records that were read with the header
  std::int64_t bytes_read_ = 0;
  bool begun_ = false;  ///< records were read
  bool binary_ = false;
};

}  // namespace yupana::io
