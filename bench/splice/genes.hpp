#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/splice/align.hpp"

/// Simulated genes that both benches of spliced alignment measure.
namespace yupana::bench {

inline std::string letters(RandomSequence& random, std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), 'A');
  for (char& letter : text) letter = "ACGT"[random.word() & 3];
  return text;
}

/// Log-normal with the mean given and a long tail (sigma 0.8), at least 1.
inline std::int64_t long_tailed(RandomSequence& random, double mean) {
  constexpr double sigma = 0.8;
  const double u = random.uniform() + 1e-12, v = random.uniform();
  const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979 * v);
  return std::max<std::int64_t>(1,
                                std::llround(mean * std::exp(sigma * normal - sigma * sigma / 2)));
}

struct Gene {
  std::string bases;
  std::vector<splice::Exon> exons;
  std::string target;
  splice::Case view() const { return {bases, exons, target}; }
};

/// Candidates of the sizes given at random places of a sequence; the target is every fifth that
/// does not overlap the last, with one letter in eight changed, cut or drawn out to its length.
inline Gene make_gene(RandomSequence& random,
                      std::int64_t exons,
                      double exon_mean,
                      std::int64_t target) {
  Gene gene;
  gene.bases = letters(random, exons * 1150);
  const auto size = std::ssize(gene.bases);
  for (std::int64_t k = 0; k < exons; ++k) {
    splice::Exon x;
    const std::int64_t length = std::min(size, long_tailed(random, exon_mean));
    x.first = 1 + static_cast<std::int64_t>(random.word() %
                                            static_cast<std::uint64_t>(size - length + 1));
    x.last = x.first + length - 1;
    gene.exons.push_back(x);
  }
  std::sort(gene.exons.begin(), gene.exons.end(), [](const splice::Exon& a, const splice::Exon& b) {
    return a.first < b.first;
  });
  std::int64_t end = 0;
  for (std::int64_t k = 0; k < exons; k += 5) {
    const splice::Exon& x = gene.exons[static_cast<std::size_t>(k)];
    if (x.first <= end) continue;
    gene.target += gene.bases.substr(static_cast<std::size_t>(x.first - 1),
                                     static_cast<std::size_t>(x.length()));
    end = x.last;
  }
  for (char& letter : gene.target) {
    if (random.word() % 8 == 0) letter = "ACGT"[random.word() & 3];
  }
  gene.target.resize(static_cast<std::size_t>(target), 'A');
  return gene;
}

/// A third as long as the gene's target.
inline std::string random_protein(RandomSequence& random, const Gene& gene) {
  std::string protein;
  while (3 * protein.size() < gene.target.size()) {
    protein += "ACDEFGHIKLMNPQRSTVWY"[random.word() % 20];
  }
  return protein;
}

/// Genes of the shapes of the published set: 55 exons of 149 bases and 1,460 target letters in the
/// mean, with long tails.
inline std::vector<Gene> published_genes(RandomSequence& random, int count) {
  std::vector<Gene> genes;
  for (int g = 0; g < count; ++g) {
    const std::int64_t exons = long_tailed(random, 55);
    genes.push_back(
        make_gene(random, exons, 149, std::min<std::int64_t>(6000, long_tailed(random, 1460))));
  }
  return genes;
}

}  // namespace yupana::bench
