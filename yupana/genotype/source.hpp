#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "yupana/genotype/chromosome.hpp"
#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// What became of the sites of an input. read = kept + the sum of skipped.
struct SiteAccount {
  std::int64_t read = 0;
  std::int64_t kept = 0;
  std::map<std::string, std::int64_t> skipped;  ///< reason in words -> sites
  std::vector<std::string> notes;               ///< facts a user should know, one line each
};

enum class Sex : std::uint8_t { unknown, male, female };

/// A stream of sites: a file reader, a simulation, an array. Delivers the sites in file order, in
/// blocks as large as the caller's, each time the same after rewind().
class Source {
 public:
  virtual ~Source() = default;
  /// Sample identifiers in file order; no duplicates.
  virtual const std::vector<std::string>& samples() const = 0;
  /// Per sample, true where a parent is named; empty where the input has no pedigree.
  virtual const std::vector<bool>& nonfounders() const {
    static const std::vector<bool> none;
    return none;
  }
  /// Per sample; empty where the input does not say.
  virtual const std::vector<Sex>& sexes() const {
    static const std::vector<Sex> none;
    return none;
  }
  /// Of the species: they say which numbers are X, Y and MT.
  virtual std::int64_t autosomes() const { return human_autosomes; }
  /// True if read() fills dosages of blocks that have them.
  virtual bool has_dosages() const { return false; }
  /// From now on the blocks that read() fills hold the names of their sites, where the input has
  /// such names.
  virtual void name_sites() {}
  /// Chromosomes that its sites may be on, each once; empty where sites have no names.
  virtual std::vector<std::string> chromosomes() const { return {}; }
  /// Sites it will deliver in all, or an upper bound; -1 if only known after reading (VCF).
  virtual std::int64_t sites() const = 0;
  /// Fills the block from its beginning; false (and no sites) at the end.
  virtual bool read(SiteBlock& block) = 0;
  /// Passes over the sites that read() would deliver: block.sites says how many, its codes mean
  /// nothing. What the account says of them is what read() would.
  virtual bool skip(SiteBlock& block) { return read(block); }
  virtual void rewind() = 0;
  /// Sites read and skipped since the last rewind.
  virtual const SiteAccount& account() const = 0;
};

}  // namespace yupana::genotype
