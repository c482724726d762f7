#pragma once

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
