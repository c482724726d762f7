#include "yupana/io/genotype_writer.hpp"

#include <htslib/bgzf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::io {
namespace {

/// Appends the line of a .bim.
void append_bim(const genotype::SiteName& site, std::string& lines) {
  append_formatted(lines,
                   "{}\t{}\t{}\t{}\t{}\t{}\n",
                   site.chromosome,
                   site.name,
                   site.centimorgans,
                   site.position,
                   site.a1,
                   site.a2);
}

/// Text going to a file, compressed in BGZF blocks if wanted; blocks in parallel, in order.
class TextOut {
 public:
  TextOut(Context& context, AtomicFile& file, bool compressed)
      : context_(context), file_(file), compressed_(compressed) {}

  std::string& text() { return text_; }

  /// Writes the text gathered so far, whole BGZF blocks only unless this is the end.
  void flush(bool end) {
    if (!compressed_) {
      file_.write(text_);
      text_.clear();
      return;
    }
    const auto size = static_cast<std::int64_t>(text_.size());
    const std::int64_t blocks = end ? divide_up(size, block_size) : size / block_size;
    packed_.resize(blocks);
    context_.parallel_for(blocks, 1, [&](std::int64_t i) { compress(i); });
    for (const std::string& block : packed_) file_.write(block);
    text_.erase(0, std::min(blocks * block_size, size));
    if (end) file_.write(end_block());
  }

 private:
  static constexpr std::int64_t block_size = 0xff00;  ///< htslib's

  static std::string packed(const char* text, std::size_t size) {
    std::string bytes(BGZF_MAX_BLOCK_SIZE, '\0');
    std::size_t length = bytes.size();
    constexpr int level = 6;
    if (bgzf_compress(bytes.data(), &length, text, size, level) != 0) {
      throw resource_error("BGZF compression failed; memory may be short");
    }
    return bytes.substr(0, length);  // in memory of its own length
  }
  static std::string end_block() { return packed(nullptr, 0); }

  void compress(std::int64_t i) {
    const auto begin = static_cast<std::size_t>(i * block_size);
    const std::size_t size = std::min(text_.size() - begin, static_cast<std::size_t>(block_size));
    packed_[i] = packed(text_.data() + begin, size);
  }

  Context& context_;
  AtomicFile& file_;
  bool compressed_;
  std::string text_;
  std::vector<std::string> packed_;
};

std::string vcf_header(const genotype::Source& source) {
  std::string text = "##fileformat=VCFv4.2\n";
  std::vector<std::string> chromosomes = source.chromosomes();
  if (chromosomes.empty()) chromosomes = genotype::numbered_chromosomes();
  for (const std::string& name : chromosomes) text += fmt::format("##contig=<ID={}>\n", name);
  text +=
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (const std::string& id : source.samples()) {
    text += '\t';
    text += id;
  }
  return text += '\n';
}

/// Calls of one allele, as PLINK 2 writes them: all on Y and MT, males on X.
class Haploid {
 public:
  Haploid(const std::vector<genotype::Sex>& sexes, std::int64_t autosomes)
      : sexes_(sexes), autosomes_(autosomes) {}

  /// Whether some calls of the chromosome are.
  bool is_in_some(const std::string& chromosome) {
    if (chromosome != name_) {
      name_ = chromosome;
      where_ = genotype::chromosome_of(chromosome, autosomes_);
    }
    return genotype::is_haploid_in_some(where_) && !(is_x() && sexes_.empty());
  }
  /// On the chromosome that was named last.
  bool has_one(std::int64_t sample) const {
    return !is_x() || sexes_[static_cast<std::size_t>(sample)] == genotype::Sex::male;
  }

 private:
  bool is_x() const { return where_ == genotype::Chromosome::x; }

  const std::vector<genotype::Sex>& sexes_;
  std::int64_t autosomes_;
  std::string name_;
  genotype::Chromosome where_ = genotype::Chromosome::unknown;
};

/// The same of a site of X, Y or MT. A heterozygous call stays one.
void append_haploid_calls(const genotype::SiteBlock& block,
                          std::int64_t site,
                          const Haploid& haploid,
                          std::string& text) {
  static constexpr std::array<const char*, 4> one{"\t1", "\t.", "\t0/1", "\t0"};
  static constexpr std::array<const char*, 4> two{"\t1/1", "\t./.", "\t0/1", "\t0/0"};
  for (std::int64_t i = 0; i < block.samples; ++i) {
    text += (haploid.has_one(i) ? one : two)[block.at(site, i)];
  }
}

/// "\tGT" of each code.
void append_calls(const genotype::SiteBlock& block, std::int64_t site, std::string& text) {
  static constexpr std::array<const char*, 4> calls{"\t1/1", "\t./.", "\t0/1", "\t0/0"};
  const std::size_t begin = text.size();
  text.resize(begin + static_cast<std::size_t>(4 * block.samples));
  char* to = text.data() + begin;
  for (std::int64_t i = 0; i < block.samples; ++i) {
    std::memcpy(to + 4 * i, calls[block.at(site, i)], 4);
  }
}

}  // namespace

void write_bed(Context& context,
               genotype::Source& source,
               const std::string& prefix,
               const SampleTable& table,
               OutputFiles& outputs) {
  check_table(source, table, "write_bed");
  AtomicFile& bed = outputs.add(prefix + ".bed");
  AtomicFile& bim = outputs.add(prefix + ".bim");
  outputs.add(prefix + ".fam").write(fam_text(table));
  bed.write(std::string_view("\x6c\x1b\x01", 3));
  for_each_block(context, source, "write .bed", [&](const genotype::SiteBlock& block) {
    const auto row_bytes = static_cast<std::size_t>(divide_up(block.samples, 4));
    std::string lines;
    for (std::int64_t site = 0; site < block.sites; ++site) {
      check_plink_site(block.names[site], bim.path());
      bed.write(block.row(site), row_bytes);
      append_bim(block.names[site], lines);
    }
    bim.write(lines.data(), lines.size());
  });
}

void write_vcf(Context& context,
               genotype::Source& source,
               const std::string& path,
               OutputFiles& outputs) {
  Haploid haploid(source.sexes(), source.autosomes());
  TextOut out(context, outputs.add(path), path.ends_with(".gz"));
  out.text() = vcf_header(source);
  for_each_block(context, source, "write VCF", [&](const genotype::SiteBlock& block) {
    std::string& text = out.text();
    text.reserve(text.size() + static_cast<std::size_t>(block.sites * (4 * block.samples + 64)));
    for (std::int64_t site = 0; site < block.sites; ++site) {
      const genotype::SiteName& name = block.names[site];
      const std::string_view ref = written_allele(name.a2);
      append_formatted(text,
                       "{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT",
                       name.chromosome,
                       name.position,
                       name.name,
                       ref == "." ? "N" : ref,
                       written_allele(name.a1));
      haploid.is_in_some(name.chromosome) ? append_haploid_calls(block, site, haploid, text)
                                          : append_calls(block, site, text);
      text += '\n';
    }
    out.flush(false);
  });
  out.flush(true);
}

void write_genotypes_npy(Context& context,
                         genotype::Source& source,
                         const std::string& path,
                         OutputFiles& outputs) {
  static constexpr std::array<char, 4> values{2, '\xff', 1, 0};  // by Code; \xff is int8's -1
  const std::string prefix = path.substr(0, path.size() - std::string_view(".npy").size());
  AtomicFile& npy = outputs.add(path);
  AtomicFile& bim = outputs.add(path + ".bim");
  AtomicFile& ids = outputs.add(prefix + ".ids");
  for (const std::string& id : source.samples()) ids.write(id + "\n");
  const std::int64_t samples = std::ssize(source.samples());
  auto offset = std::ssize(npy_genotypes_preamble(samples, 0));
  std::int64_t sites = 0;
  for_each_block(context, source, "write .npy", [&](const genotype::SiteBlock& block) {
    std::string cells;
    cells.reserve(static_cast<std::size_t>(block.sites * samples));
    std::string lines;
    for (std::int64_t site = 0; site < block.sites; ++site) {
      for (std::int64_t i = 0; i < samples; ++i) cells += values[block.at(site, i)];
      append_bim(block.names[site], lines);
    }
    npy.write_at(offset, cells.data(), cells.size());
    bim.write(lines.data(), lines.size());
    offset += std::ssize(cells);
    sites += block.sites;
  });
  const std::string header = npy_genotypes_preamble(samples, sites);
  npy.write_at(0, header.data(), header.size());
}

}  // namespace yupana::io
