#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/job/splice.hpp"

/// Private to the job: reads sequences, exons and targets.
namespace yupana::job {

/// One strand of one sequence, with its exons.
struct Strand {
  std::string sequence;
  char sign = '+';
  const std::string* bases = nullptr;  ///< on this strand, in reading direction
  std::vector<splice::Exon> exons;
  std::string reversed;  ///< what `bases` points to on the - strand
};

/// A target and the strands it is tried on.
struct Task {
  std::string target;
  const std::string* letters = nullptr;
  std::vector<const Strand*> strands;
  bool from_signals = false;
  bool is_protein = false;
  const std::string* with_stop = nullptr;  ///< the letters and '*', where it was added
};

/// Reads inputs, each file once, and keeps the texts that tasks point to. Counts the bytes it holds
/// against the context's memory; throws out_of_resources before they pass it.
class SpliceInputs {
 public:
  SpliceInputs(Context& context, const SpliceJobParams& params, bool any_protein)
      : context_(context), params_(params), any_protein_(any_protein) {}

  std::vector<Task> tasks(const std::vector<SpliceInput>& inputs);
  /// Bytes of sequences and exons.
  std::uint64_t held_bytes() const { return held_; }

 private:
  void hold(std::uint64_t bytes);
  std::uint64_t left() const { return context_.memory() - held_; }
  const std::vector<io::FastaRecord>& fasta(const std::string& path, bool is_protein);
  const std::list<Strand>& strands_of(const SpliceInput& input);
  void find_exons(const SpliceInput& input, std::list<Strand>& strands);
  void place_exons(const SpliceInput& input, std::list<Strand>& strands);
  void place(const SpliceInput& input,
             const io::ExonRecord& record,
             Strand& forward,
             Strand& backward) const;
  void merge_copies(const SpliceInput& input, std::list<Strand>& strands) const;
  void reverse(Strand& strand);

  Context& context_;
  const SpliceJobParams& params_;
  const bool any_protein_;
  std::uint64_t held_ = 0;
  std::map<std::pair<std::string, bool>, std::vector<io::FastaRecord>> fastas_;
  std::list<std::string> with_stop_;
  std::map<std::tuple<std::string, std::string, bool>, std::list<Strand>> strands_;
};

}  // namespace yupana::job
