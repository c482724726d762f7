#pragma once

#include <htslib/hts.h>
#include <htslib/tbx.h>
#include <htslib/thread_pool.h>
#include <htslib/vcf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yupana/io/vcf_header.hpp"

namespace yupana::io {

/// A VCF, VCF.gz or BCF file as a stream of the bytes of its records, decompressed by htslib on a
/// pool of its own; whole or one region of it.
class VcfFile {
 public:
  /// Throws bad_input for a file that is not there, is no VCF or BCF, has a bad header, is cut
  /// short (compressed files end in an empty block), or has no index where `region` is not empty.
  VcfFile(std::string path, std::string region, int threads);
  ~VcfFile();

  const std::string& path() const { return path_; }
  const VcfHeader& header() const { return header_; }
  bool binary() const { return binary_; }
  bool regional() const { return !region_.empty(); }
  /// BCF: contig names by number, and the number of GT among the header's strings or -1.
  std::vector<std::string> binary_contigs() const;
  std::int64_t binary_gt() const;

  /// The next bytes of the records, `capacity` of them except at the end.
  std::int64_t read(char* data, std::int64_t capacity);
  /// The next record of the region, whole: its bytes, for text with the end of the line.
  bool read_record(std::string& record);
  /// Back to the first record. Throws usage for standard input and other pipes.
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
  void open_index();
  void open_region();
  std::string read_text_header();
  std::string read_binary_header();
  std::int64_t read_raw(char* data, std::int64_t capacity);
  void check_end() const;

  std::string path_, region_;
  std::unique_ptr<hts_tpool, Releaser<hts_tpool_destroy>> pool_;
  std::unique_ptr<htsFile, Releaser<close>> file_;  // after the pool that works for it
  std::unique_ptr<bcf_hdr_t, Releaser<bcf_hdr_destroy>> dictionary_;
  std::unique_ptr<tbx_t, Releaser<tbx_destroy>> text_index_;
  std::unique_ptr<hts_idx_t, Releaser<hts_idx_destroy>> binary_index_;
  std::unique_ptr<hts_itr_t, Releaser<hts_itr_destroy>> iterator_;
  VcfHeader header_;
  std::string ahead_;  // bytes of records that were read with the header
  std::int64_t bytes_read_ = 0;
  bool binary_ = false;
};

}  // namespace yupana::io
