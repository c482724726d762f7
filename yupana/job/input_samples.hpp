#pragma once

#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/io/fam.hpp"

namespace yupana::job {

/// The samples that a --keep or --remove file names; a note counts names that the input does not
/// have.
std::vector<std::string> listed_samples(Context& context,
                                        const char* option,
                                        const std::string& path,
                                        const io::SampleNames& names);

/// The samples that --keep-fam or --remove-fam leaves out: families are in the first column of the
/// file; those that no sample has are passed over, as in PLINK, with a note.
genotype::LeftOut left_out_families(Context& context,
                                    const char* option,
                                    const std::string& path,
                                    const io::SampleNames& names);

/// PLINK and GCTA cut lines at blanks. Throws bad_input where `file`, a list of theirs, would hold
/// a name with one.
void refuse_blanks(const io::SampleNames& names, const std::string& file);
/// Notes that `file`, a table between tabs, holds one.
void note_blanks(Context& context, const io::SampleNames& names, const std::string& file);

/// Throws for a packed file, or a prefix of packed PLINK files: it must be unpacked first; and for
/// a prefix of files that are named whole.
void refuse_near_name(const std::string& path);

}  // namespace yupana::job
