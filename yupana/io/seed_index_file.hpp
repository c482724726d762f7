#pragma once

#include <span>
#include <string>
#include <string_view>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::io {

/// Writes the index of these sequences: a header with the version, the genetic code, the words'
/// parameters, how many sequences, bases and words there are, and checksums of the sequences'
/// letters (either case) and of the words; then the words.
///   work: the letters and the words read once; all threads
void write_seed_index(Context& context,
                      AtomicFile& file,
                      const splice::SeedIndex& index,
                      std::span<const std::string_view> sequences);

/// The index of such a file, for cDNAs or for proteins of that genetic code, mapped: the system
/// reads what is looked up, and may take its memory back. Every byte is compared with the checksums
/// first, and released again.
///   work: the letters and the words read once; all threads
///   memory: a mapping of the file; none of its own
///   errors: bad_input for a file of another form, version, code or genome, cut short or damaged
splice::SeedIndex map_seed_index(Context& context,
                                 const std::string& path,
                                 std::span<const std::string_view> sequences,
                                 int genetic_code = 0);

}  // namespace yupana::io
