#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "yupana/splice/plan.hpp"
#include "yupana/splice/protein.hpp"

/// Private to the family. Inputs are checked; backends leave rescoring to the caller.
namespace yupana::splice {

/// The bases of a codon not complete: 0 is none, 1 + a is base a, 6 + 5 a + b is a, then b.
using Carry = int;
inline constexpr Carry carries = 1 + base_codes + base_codes * base_codes;
/// Carries of `size` bases are [first_carry[size], first_carry[size + 1]).
inline constexpr Carry first_carry[] = {0, 1, 1 + base_codes, carries};

inline int carry_size(Carry carry) { return carry == 0 ? 0 : carry < first_carry[2] ? 1 : 2; }
/// One base more; carries of two bases do not grow.
inline Carry longer(Carry carry, int base) {
  return carry == 0 ? 1 + base : first_carry[2] + (carry - 1) * base_codes + base;
}
/// The carry of one base that a carry of two begins with.
inline Carry shorter(Carry carry) { return 1 + (carry - first_carry[2]) / base_codes; }

/// Codons that end in `bases` bases behind a carry.
inline std::int64_t codons(int carried, std::int64_t bases) { return (carried + bases) / 3; }

/// Amino acid of the first codon that ends in the bases from `next` on.
inline char first_amino(const GeneticCode& code, Carry carry, const char* next) {
  if (carry == 0) return code.translate(next[0], next[1], next[2]);
  if (carry < first_carry[2]) {
    return code.translate_codes(carry - 1, base_code(next[0]), base_code(next[1]));
  }
  const int pair = carry - first_carry[2];
  return code.translate_codes(pair / base_codes, pair % base_codes, base_code(next[0]));
}

/// What is carried out of `bases` bases that end before `end`, with `carry` carried in.
inline Carry carried_out(Carry carry, const char* end, std::int64_t bases) {
  const int size = carry_size(carry);
  const auto left = static_cast<int>((size + bases) % 3);
  Carry out = codons(size, bases) == 0 ? carry : 0;
  for (int i = left - carry_size(out); i > 0; --i) out = longer(out, base_code(end[-i]));
  return out;
}

/// Whether ProteinParams::stops_end holds for a protein: not where it reads over stop codons
/// itself.
bool stops_end(const Case& problem, const ProteinParams& params);

/// The codons of a start that are of use after so many bases carried in, where stop codons end
/// chains.
class OpenCodons {
 public:
  /// `any_stop`: all are. `first` is the start's first base.
  OpenCodons(
      const GeneticCode& code, bool any_stop, const char* first, int carried, std::int64_t codons);

  /// Whether the first codon may be read after a carry: it is no stop codon over a junction.
  bool reads(Carry carry) const {
    return any_stop_ || carry == 0 || first_amino(code_, carry, first_) != '*';
  }
  /// Whether an exon of so many codons, at least one, is of use: as the last one of a chain, where
  /// it is left with this carry, and before another one.
  bool ends(std::int64_t codons, Carry out) const {
    return codons < stop_ || (codons == stop_ && out == 0);
  }
  bool continues(std::int64_t codons) const { return codons < stop_; }
  /// Of so many codons those up to the first stop codon.
  std::int64_t within(std::int64_t codons) const { return std::min(codons, stop_); }

 private:
  const GeneticCode& code_;
  const bool any_stop_;
  const char* const first_;
  std::int64_t stop_ = INT64_MAX;  ///< the first that is a stop codon, from 1
};

/// '=' or 'X'.
inline char column_of_amino(const Substitution& substitution, char amino, char target) {
  const auto code = [&](char letter) {
    return substitution.code[static_cast<unsigned char>(letter)];
  };
  return code(amino) == code(target) && code(amino) != code('X') ? '=' : 'X';
}

/// Throws usage if scores that are reached may be beyond 2^28, or ones that are not may reach
/// them.
void check_protein_range(const Case& problem, const ProteinParams& params, const Plan& plan);

namespace reference {
SplicedAlignment align_protein(const Case& problem, const ProteinParams& params);
}
namespace cpu {
std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params);
}
namespace cuda {

struct DeviceSeconds;

/// What tests vary; results do not depend on it.
struct ProteinTuning {
  std::uint64_t memory = 0;          ///< bytes for the cases of a batch; 0: chosen
  DeviceSeconds* seconds = nullptr;  ///< where wanted, with one device: the time taken
};

std::vector<SplicedAlignment> align_protein(Context& context,
                                            std::span<const Case> problems,
                                            const ProteinParams& params,
                                            const ProteinTuning& tuning = {});
}  // namespace cuda

}  // namespace yupana::splice
