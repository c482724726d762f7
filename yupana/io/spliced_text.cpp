#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "yupana/core/counted.hpp"
#include "yupana/io/protein_lines.hpp"
#include "yupana/io/spliced_files.hpp"
#include "yupana/io/spliced_parts.hpp"

namespace yupana::io {

void write_spliced_text(AtomicFile& file, const std::vector<SplicedHit>& hits) {
  constexpr std::size_t width = 60;
  for (const SplicedHit& hit : hits) {
    if (!hit.aligned) {
      file.write(fmt::format("{}: unaligned, E-value {}\n\n", hit.target, e_value_text(hit)));
      continue;
    }
    file.write(fmt::format("{}{} on {} ({}){}: score {}, {}, identity {:.1f} %\n\n",
                           hit.target,
                           hit.antisense ? " (reverse complement)" : "",
                           hit.sequence,
                           hit.strand,
                           isoform_text(hit),
                           score_text(hit, hit.alignment.score),
                           counted(std::ssize(hit.alignment.chain), "exon"),
                           100 * count_columns(hit).identity()));
    if (hit.protein) file.write(protein_text(hit));
    for (std::size_t k = 0; !hit.protein && k < hit.alignment.chain.size(); ++k) {
      const splice::ExonAlignment& part = hit.alignment.chain[k];
      const splice::Exon& exon = (*hit.exons)[part.exon];
      std::string bases, bars, letters;
      std::int64_t base = exon.first - 1, letter = part.target_begin;
      for (const splice::Run& run : part.runs) {
        const std::string gap(run.length, '-');
        bases += run.operation == 'I' ? gap : hit.bases->substr(base, run.length);
        letters += run.operation == 'D' ? gap : hit.letters->substr(letter, run.length);
        bars += std::string(run.length, run.operation == '=' ? '|' : ' ');
        if (run.operation != 'I') base += run.length;
        if (run.operation != 'D') letter += run.length;
      }
      const auto [first, last] = forward(hit, exon.first, exon.last);
      const auto given = given_letters(hit, part.target_begin, part.target_end);
      if (k > 0) file.write(intron_line(hit, k));
      file.write(fmt::format(
          "exon {}: {}..{}, target {}..{}\n", k + 1, first, last, given.first + 1, given.second));
      base = exon.first, letter = part.target_begin + 1;
      for (std::size_t at = 0; at < bases.size(); at += width) {
        const std::string above = bases.substr(at, width), below = letters.substr(at, width);
        const std::int64_t shown = hit.strand == '+' ? base : std::ssize(*hit.bases) + 1 - base;
        file.write(fmt::format("{:>12} {}\n{:>12} {}\n{:>12} {}\n\n",
                               shown,
                               above,
                               "",
                               bars.substr(at, width),
                               hit.antisense ? std::ssize(*hit.letters) + 1 - letter : letter,
                               below));
        const auto held = std::count(above.begin(), above.end(), '-');
        base += std::ssize(above) - held;
        letter += std::ssize(below) - std::count(below.begin(), below.end(), '-');
      }
    }
  }
}

}  // namespace yupana::io
