#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/variant_sites.hpp"
#include "yupana/io/vcf.hpp"

namespace yupana::io {

/// True for a folder that holds a VCF-Zarr store, by its array call_genotype.
bool is_zarr_store(const std::string& path);

/// The genotypes of a VCF-Zarr store in a folder (Zarr of version 2 or 3; as bio2zarr and sgkit
/// write it) as a stream of sites: x = number of ALT alleles, calls as a VCF reader takes them, of
/// one or two alleles. Arrays call_genotype, variant_position, variant_contig, contig_id,
/// variant_allele and sample_id are read, variant_id where there is one.
///   work: one pass over positions and alleles when opened, then one over the chunks of calls that
///   hold kept sites, in parallel
///   memory: the rows of a chunk's sites for all samples, and a chunk unpacked for each thread
///   determinism: the same blocks for any number of threads
///   errors: bad_input for arrays that are missing, damaged, or do not fit each other; for a call
///   of an allele that the site does not have
/// The context must outlive the source.
std::unique_ptr<genotype::Source> open_zarr(Context& context,
                                            const std::string& path,
                                            HalfCall half_call,
                                            const SiteRules& rules = {});

/// Bytes that a source of these samples holds of a store.
std::uint64_t zarr_reader_bytes(const std::string& path, std::int64_t samples, int threads);

}  // namespace yupana::io
