#include "yupana/io/vcf_file.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <thread>
#include <unordered_map>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"
#include "yupana/io/printable.hpp"

namespace yupana::io {
namespace {

constexpr std::string_view cut_short =
    "cut short: the compressed file has no end block; copy or make it again";

bool is_bgzf(const htsFile& file) { return file.format.compression == bgzf; }

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// "##contig=<ID=20,length=63025520>" -> "20"; empty for other lines.
std::string_view contig_of(std::string_view line) {
  if (!line.starts_with("##contig=<")) return {};
  std::size_t at = line.find("<ID=");
  if (at == std::string_view::npos) at = line.find(",ID=");
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + 4);
  return line.substr(0, line.find_first_of(",>"));
}

/// Throws unless the version is "VCFv4.3" or the like.
void check_version(std::string_view path, std::string_view line) {
  constexpr std::string_view key = "##fileformat=";
  if (!line.starts_with(key)) return;
  line.remove_prefix(key.size());
  const std::size_t number = line.starts_with("VCFv") ? 4 : line.size();
  if (number == line.size() || line.find_first_not_of("0123456789.", number) != line.npos) {
    throw bad_line(
        path, 1, "expected ##fileformat=VCFv4.2 or another version, got '{}'", printable(line));
  }
}

void parse_columns(std::string_view path, std::string_view line, VcfHeader& header) {
  constexpr std::string_view fixed = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
  if (!line.starts_with(fixed)) {
    throw bad_line(path,
                   header.lines,
                   "the header's last line should name the columns #CHROM POS ID REF ALT QUAL "
                   "FILTER INFO FORMAT and the samples, separated by tabs");
  }
  line.remove_prefix(fixed.size());
  constexpr std::string_view format = "\tFORMAT\t";
  if (!line.starts_with(format)) {
    throw bad_line(path, header.lines, "no samples: expected genotypes, got sites only");
  }
  const auto samples = cut(line.substr(format.size()), '\t');
  header.samples.assign(samples.begin(), samples.end());
  std::unordered_map<std::string_view, std::size_t> columns;
  for (std::size_t i = 0; i < header.samples.size(); ++i) {
    const std::string& sample = header.samples[i];
    if (sample.empty()) throw bad_line(path, header.lines, "sample {} has no identifier", i + 1);
    const auto [first, is_new] = columns.emplace(sample, i);
    if (!is_new) {
      throw bad_line(path,
                     header.lines,
                     "sample identifier '{}' appears twice (samples {} and {}); rename one: "
                     "bcftools reheader -s",
                     sample,
                     first->second + 1,
                     i + 1);
    }
  }
}

/// Takes a header apart; its last line is the one of the column names. Throws bad_input, naming
/// the line, for wrong column names, no samples, an identifier that is empty or there twice.
VcfHeader parse_vcf_header(std::string_view path, std::string text) {
  VcfHeader header;
  header.text = std::move(text);
  std::string_view rest = header.text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = without_return(rest.substr(0, end));
    ++header.lines;
    if (line.find('\0') != line.npos) {
      throw bad_line(path, header.lines, "expected text, got a NUL byte; is the file damaged?");
    }
    if (header.lines == 1) check_version(path, line);
    if (!line.starts_with("##")) {
      parse_columns(path, line, header);
      return header;
    }
    if (const std::string_view contig = contig_of(line); !contig.empty()) {
      header.contigs.emplace_back(contig);
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  throw bad_line(path,
                 header.lines,
                 "the header ends without the line of column names (#CHROM ...): the file is cut "
                 "short or is no VCF");
}

}  // namespace

VcfFile::VcfFile(std::string path,
                 std::optional<genotype::Region> region,
                 std::int64_t autosomes,
                 int threads)
    : path_(std::move(path)), region_(std::move(region)), autosomes_(autosomes) {
  hts_set_log_level(HTS_LOG_OFF);  // errors of htslib are thrown here instead
  if (threads > 1) pool_.reset(hts_tpool_init(threads));
  open();
  if (region_) load_index();
}

VcfFile::~VcfFile() = default;

void VcfFile::open() {
  file_.reset();
  errno = 0;
  file_.reset(hts_open(path_.c_str(), "r"));
  if (errno == ENOMEM) throw std::bad_alloc();  // of a compressed file the format is then unknown
  if (!file_) {
    throw bad_file(shown_path(),
                   errno == 0 || errno == ENOEXEC
                       ? "not VCF or BCF, plain or by gzip or bgzip; unpack or convert it first"
                   : errno == EISDIR ? "is a folder without a VCF-Zarr store; name a file"
                                     : std::strerror(errno));
  }
  check_format(*hts_get_format(file_.get()));
  // Only regular files can be looked at from the end; pipes are checked when they end.
  if (is_bgzf(*file_) && hts_check_EOF(file_.get()) == 0) throw bad_file(path_, cut_short);
  // Not for regions: many small reads through a pool cost more than they gain (measured: 0.18 s
  // instead of 0.13 s for 20 M genotypes with two threads).
  if (pool_ && is_bgzf(*file_) && !region_) {
    // htslib waits for ever for its reader where the system refuses to start one. This thread is
    // refused in its place, or leaves it a stack.
    std::thread([] {}).join();
    // Not hts_set_thread_pool(): it takes a text without ##fileformat for SAM, unpacks it on one
    // thread and never frees what it made for the others.
    bgzf_thread_pool(file_->fp.bgzf, pool_.get(), blocks_ahead(hts_tpool_size(pool_.get())));
  }
  bytes_read_ = 0;
  ahead_.clear();
  std::string text = binary_ ? read_binary_header() : read_text_header();
  if (!header_.samples.empty()) return;  // rewound
  header_ = parse_vcf_header(path_, std::move(text));
  if (!binary_) return;
  dictionary_.reset(bcf_hdr_init("r"));
  std::string copy = header_.text;  // htslib writes into it
  if (!dictionary_ || bcf_hdr_parse(dictionary_.get(), copy.data()) != 0) {
    throw bad_file(path_, "the header is broken; 'bcftools view -h' may say where");
  }
}

/// Text of another form is taken for a VCF whose ##fileformat is missing: its header must then have
/// the line of column names.
void VcfFile::check_format(const htsFormat& format) {
  binary_ = format.format == bcf;
  if (format.format == vcf || format.format == bcf) return;
  const bool is_text = format.format == text_format || format.format == unknown_format;
  const bool marked = is_text && peek() == '\xef';
  char mark[3] = {};  // of the order of bytes, which UTF-8 does without
  if (marked) read_raw(mark, 3);
  if (!is_text || peek() != '#') {
    throw bad_file(shown_path(),
                   "not VCF or BCF: it should begin with ##fileformat=VCF or BCF's magic");
  }
  if (notes_.empty() && !marked) notes_.push_back(path_ + ": no ##fileformat line; read as VCF");
}

char VcfFile::peek() {
  char first = 0;
  const ssize_t got =
      file_->is_bgzf ? bgzf_peek(file_->fp.bgzf) : hpeek(file_->fp.hfile, &first, 1);
  return file_->is_bgzf && got >= 0 ? static_cast<char>(got) : first;
}

void VcfFile::check_header_size(std::size_t bytes) const {
  if (static_cast<std::int64_t>(bytes) <= most_line_bytes(path_)) return;
  throw bad_file(path_, "expected a header and records, got a header of more than {} bytes", bytes);
}

std::string VcfFile::read_text_header() {
  constexpr std::int64_t step = 64 << 10;
  std::string text;
  // The header ends with the first line that does not begin with "##".
  for (std::size_t line = 0, searched = 0;;) {
    const std::size_t end = text.find('\n', searched);
    if (end != std::string::npos) {
      const bool last = text.compare(line, 2, "##") != 0;
      line = searched = end + 1;
      if (!last) continue;
      ahead_ = text.substr(line);
      text.resize(line);
      return text;
    }
    const std::size_t size = searched = text.size();
    check_header_size(size);
    text.resize(size + step);
    const std::int64_t got = read_raw(text.data() + size, step);
    text.resize(size + static_cast<std::size_t>(got));
    if (got == 0) return text;
  }
}

std::string VcfFile::read_binary_header() {
  char magic[9];
  if (read_raw(magic, 9) != 9) throw bad_file(path_, "cut short in the header");
  if (std::memcmp(magic, "BCF\2", 4) != 0) {
    throw bad_file(path_, "BCF of another version than 2; write it again with bcftools view -Ob");
  }
  std::string text;
  for (std::int64_t rest = load32(magic + 5); rest > 0;) {
    const std::int64_t step = std::min<std::int64_t>(rest, 1 << 20);
    const std::size_t size = text.size();
    check_header_size(size);
    text.resize(size + static_cast<std::size_t>(step));
    if (read_raw(text.data() + size, step) != step) {
      throw bad_file(path_, "cut short in the header");
    }
    rest -= step;
  }
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

BinaryNames VcfFile::binary_names() const {
  const auto names_of = [&](int dictionary) {
    std::vector<std::string> names;
    for (int i = 0; i < dictionary_->n[dictionary]; ++i) {
      const char* name = dictionary_->id[dictionary][i].key;
      names.emplace_back(name == nullptr ? "" : name);
    }
    return names;
  };
  return {names_of(BCF_DT_CTG), names_of(BCF_DT_ID)};
}

std::int64_t VcfFile::read_raw(char* data, std::int64_t capacity) {
  const auto wanted = static_cast<std::size_t>(capacity);
  const ssize_t got = file_->is_bgzf ? bgzf_read(file_->fp.bgzf, data, wanted)
                                     : hread(file_->fp.hfile, data, wanted);
  if (got < 0) {
    throw bad_file(
        path_,
        "cannot be read or decompressed after byte {} of its contents: damaged or cut short",
        bytes_read_);
  }
  bytes_read_ += got;
  if (got < capacity) check_end();
  return got;
}

void VcfFile::check_end() const {
  if (is_bgzf(*file_) && file_->fp.bgzf->no_eof_block) throw bad_file(path_, cut_short);
}

std::int64_t VcfFile::read(char* data, std::int64_t capacity) {
  begun_ = true;
  const std::int64_t kept = std::min<std::int64_t>(capacity, std::ssize(ahead_));
  std::memcpy(data, ahead_.data(), kept);
  ahead_.erase(0, kept);
  return kept < capacity ? kept + read_raw(data + kept, capacity - kept) : kept;
}

void VcfFile::rewind() {
  next_chunk_ = 0;
  in_chunk_ = false;
  if (indexed() || !begun_) return;
  struct stat status;
  if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw usage_error("{}: is a pipe and cannot be read twice; write it to a file", path_);
  }
  if (path_ == "-") {
    throw usage_error("standard input cannot be read twice; write it to a file first");
  }
  open();
  begun_ = false;
}

}  // namespace yupana::io
