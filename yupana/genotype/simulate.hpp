#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/frequencies.hpp"
#include "yupana/genotype/source.hpp"

namespace yupana::genotype {

struct PopulationPiece;

/// A cohort whose populations have the frequencies of frequencies.hpp.
struct SimulateParams {
  std::int64_t samples = 0;
  std::int64_t sites = 0;
  std::int64_t populations = 3;
  Structure structure = Structure::island;
  double fst = 0.1;    ///< F_ST between the populations farthest apart, 0 <= F < 1
  double missing = 0;  ///< probability of a missing call
  std::uint64_t seed = 1;
  std::int64_t family_size = 1;  ///< 3 or more: two parents and their children; 1: unrelated
};

/// "SAMPLESxSITES[,populations=3][,structure=island][,fst=0.1][,missing=0][,seed=1]
/// [,family-size=1]", counts also as 2k, 1.2M, 3G. Throws usage.
SimulateParams simulate_params(std::string_view text);

/// Simulated genotypes as a stream of sites. At every site, independently of all others:
///   frequencies q of the populations as in frequencies.hpp
///   genotype  x ~ Binomial(2, q), of a child one allele of each parent; then missing with
///             probability `missing`
/// Probabilities are rounded to multiples of 2^-32. Sample i of n belongs to population
/// floor(i min(K, n) / n) of K; identifiers are s1, s2, ...
///   the same genotypes for every block size, number of threads and backend
///   work: about 20 random bits a genotype, drawn in vectors on all threads; memory: none to speak
///   of
class SimulatedSource : public Source {
 public:
  /// On one thread. Throws usage for parameters out of range.
  explicit SimulatedSource(const SimulateParams& params, Backend backend = Backend::cpu);
  /// On the threads of the context, which outlives the source.
  SimulatedSource(Context& context, const SimulateParams& params);

  ~SimulatedSource() override;

  const std::vector<std::string>& samples() const override { return ids_; }
  std::int64_t sites() const override { return params_.sites; }
  bool read(SiteBlock& block) override;
  bool skip(SiteBlock& block) override;
  void rewind() override;
  const SiteAccount& account() const override { return account_; }
  const std::vector<bool>& nonfounders() const override { return nonfounders_; }
  const SimulatedFamilies& families() const { return families_; }

  /// Population of a sample, 0 .. populations - 1.
  std::int64_t population(std::int64_t sample) const;
  /// "pop1", "pop2", ... per sample.
  std::vector<std::string> labels() const;
  const SimulateParams& params() const { return params_; }

  /// Frequencies of A1 in every population that has samples, at one site.
  void frequencies(std::int64_t site, std::vector<double>& result) const {
    model_.draw(site, result);
  }

 private:
  void draw(std::int64_t site, std::uint8_t* row, std::int64_t stride) const;

  SimulateParams params_;
  Backend backend_;
  Context* context_ = nullptr;  ///< null: one thread
  std::vector<std::string> ids_;
  std::vector<std::int64_t> bounds_;  ///< first sample of each population, and their end
  std::vector<PopulationPiece> pieces_;
  SimulatedFamilies families_;
  std::vector<bool> nonfounders_;  ///< empty without families
  PopulationFrequencies model_;
  SiteAccount account_;
};

}  // namespace yupana::genotype
