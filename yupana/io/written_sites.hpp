#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "yupana/core/context.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_names.hpp"
#include "yupana/genotype/source.hpp"
#include "yupana/io/sample_table.hpp"

namespace yupana::io {

/// Sites of a block that is written at a time.
inline std::int64_t written_block_sites(std::int64_t samples) {
  constexpr std::int64_t block_bytes = 1 << 20;
  return std::clamp<std::int64_t>(block_bytes / genotype::SiteBlock(samples, 0).stride, 16, 4096);
}

/// Calls each(block) for all the source delivers, with the names of the sites.
template <class Each>
void for_each_block(Context& context,
                    genotype::Source& source,
                    const std::string& stage_name,
                    const Each& each) {
  const std::int64_t samples = std::ssize(source.samples());
  genotype::SiteBlock block(samples, written_block_sites(samples));
  const double announced = static_cast<double>(std::max<std::int64_t>(source.sites(), 0));
  Stage stage(context, stage_name, announced, "sites");
  source.name_sites();
  for (std::int64_t sites = 0; source.read(block); sites += block.sites) {
    genotype::name_numbered_sites(block, sites, source.sites());
    each(block);
    stage.advance(static_cast<double>(block.sites));
    block.names.clear();
  }
}

/// Throws usage where a table has not one row a sample.
inline void check_table(const genotype::Source& source,
                        const SampleTable& table,
                        std::string_view caller) {
  if (table.rows.size() == source.samples().size()) return;
  throw usage_error("{}: expected a table of {} samples, got {}",
                    caller,
                    source.samples().size(),
                    table.rows.size());
}

}  // namespace yupana::io
