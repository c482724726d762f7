#pragma once

#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/ibd.hpp"
#include "yupana/genotype/kinship.hpp"

namespace yupana::io {

/// PLINK 2's table of kinships (.kin0, --make-king-table) with the relationship as one column more:
/// the header for samples named "FID<TAB>IID", or "IID" where `families` is false; with `ibd` also
/// PLINK 1.9's Z0, Z1, Z2 and PI_HAT.
void begin_kinship_table(AtomicFile& file, bool families, bool ibd);

/// Appends the pairs of the rows that the counts hold, each with the samples before it, whose
/// kinship is `least` or more; without a bound (-infinity) also those without a kinship, as nan.
/// HETHET and IBS0 are shares of NSNP; numbers are the shortest text that reads back as the same
/// double. With `expected` the shares by descent follow. Returns the pairs written. Bands of rows
/// written one after the other make the same bytes as all rows at once.
///   work: pairs of the band; memory: a few MiB and a row a thread; errors: full disk, interrupted
genotype::RelationshipCounts write_kinships(Context& context,
                                            AtomicFile& file,
                                            const std::vector<std::string>& samples,
                                            const genotype::PairCounts& counts,
                                            double least,
                                            const genotype::ExpectedIbs* expected = nullptr);

}  // namespace yupana::io
