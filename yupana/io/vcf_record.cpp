#include "yupana/io/vcf_record.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace yupana::io {
namespace {

/// A, C, G, T, U, N and the IUPAC letters of several bases, upper or lower case.
bool is_base(char letter) {
  constexpr std::string_view bases = "ACGTUNRYSWKMBDHVacgtunryswkmbdhv";
  return bases.find(letter) != std::string_view::npos;
}

bool same_letter(char a, char b) { return (a | 0x20) == (b | 0x20); }

}  // namespace

std::string_view reason_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept:
      return "kept";
    case Verdict::no_alt:
      return "monomorphic (no ALT allele)";
    case Verdict::multiallelic:
      return "multiallelic (several ALT alleles)";
    case Verdict::symbolic:
      return "symbolic allele, '*' or breakend";
    case Verdict::indel:
      return "insertion or deletion";
    case Verdict::several_bases:
      return "substitution of several bases";
    case Verdict::no_genotypes:
      return "no GT in FORMAT";
    case Verdict::malformed:
      break;
  }
  return "malformed";
}

Verdict verdict_of(std::string_view ref, std::string_view alt) {
  if (alt == ".") return Verdict::no_alt;
  if (alt.find(',') != std::string_view::npos) return Verdict::multiallelic;
  if (!std::all_of(ref.begin(), ref.end(), is_base) ||
      !std::all_of(alt.begin(), alt.end(), is_base)) {
    return Verdict::symbolic;
  }
  if (ref.size() != alt.size()) return Verdict::indel;
  if (std::equal(ref.begin(), ref.end(), alt.begin(), same_letter)) return Verdict::no_alt;
  return ref.size() == 1 ? Verdict::kept : Verdict::several_bases;
}

void VcfBatch::reserve(std::int64_t capacity) {
  if (bytes.size() >= capacity + padding) return;
  Array<char> larger(capacity + padding);
  if (size > 0) std::memcpy(larger.data(), bytes.data(), static_cast<std::size_t>(size));
  bytes = std::move(larger);
}

}  // namespace yupana::io
