// Any bytes as the description and a chunk of one array of a VCF-Zarr store, whose other arrays are
// whole: refused with one line, or a stream of sites that keeps its promises. The first byte says
// which array, its version and its compressor where the description is not the input's.
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_sites.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/genotype_sources.hpp"

namespace {

struct Member {
  const char* name;
  const char* shape;
  const char* type;
  const char* chunk;  ///< its file
  std::string_view bytes;
};

using namespace std::string_view_literals;

/// Three variants of two samples.
constexpr std::array<Member, 7> members = {{
    {"call_genotype", "[3,2,2]", "|i1", "0.0.0", "\0\1\1\1\xff\xff\0\0\1\xfe\2\0"sv},
    {"variant_position", "[3]", "<i4", "0", "\1\0\0\0\2\0\0\0\3\0\0\0"sv},
    {"variant_contig", "[3]", "|i1", "0", "\0\0\0"sv},
    {"variant_allele",
     "[3,3]",
     "|O",
     "0.0",
     "\x9\0\0\0\1\0\0\0A\1\0\0\0C\0\0\0\0\1\0\0\0A\1\0\0\0C\0\0\0\0\1\0\0\0A\1\0\0\0C\1\0\0\0G"sv},
    {"variant_id", "[3]", "|O", "0", "\3\0\0\0\1\0\0\0v\1\0\0\0w\1\0\0\0x"sv},
    {"contig_id", "[1]", "|O", "0", "\1\0\0\0\1\0\0\0001"sv},
    {"sample_id", "[2]", "|O", "0", "\2\0\0\0\1\0\0\0a\1\0\0\0b"sv},
}};

std::string description(const Member& member, const std::string& compressor) {
  const std::string filters = member.type == "|O"sv ? R"([{"id":"vlen-utf8"}])" : "null";
  return std::string(R"({"zarr_format":2,"order":"C","fill_value":0,"shape":)") + member.shape +
         R"(,"chunks":)" + member.shape + R"(,"dtype":")" + member.type + R"(","filters":)" +
         filters + R"(,"compressor":)" + compressor + "}";
}

void put_member(const Member& member,
                const char* file,
                const std::string& text,
                std::string_view bytes) {
  const std::string folder = std::string("c.zarr/") + member.name + '/';
  const char* const other = file == ".zarray"sv ? "zarr.json" : ".zarray";
  std::remove((yupana::fuzz::folder() / (folder + other)).c_str());
  yupana::fuzz::put(folder + file, text);
  yupana::fuzz::put(folder + member.chunk, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static std::size_t damaged = members.size();
  if (damaged == members.size()) {
    for (const Member& member : members) {
      std::filesystem::create_directories(yupana::fuzz::folder() / "c.zarr" / member.name);
      put_member(member, ".zarray", description(member, "null"), member.bytes);
    }
  } else if (damaged != data[0] % members.size()) {
    const Member& member = members[damaged];
    put_member(member, ".zarray", description(member, "null"), member.bytes);
  }
  damaged = data[0] % members.size();
  std::string rest(reinterpret_cast<const char*>(data + 2), size - 2);
  constexpr std::array<const char*, 4> compressors = {
      "null", R"({"id":"blosc"})", R"({"id":"zstd"})", R"({"id":"zlib"})"};
  const bool is_own = (data[1] & 4) != 0;
  const std::string text = is_own ? yupana::fuzz::take_part(rest)
                                  : description(members[damaged], compressors[data[1] & 3]);
  const bool is_third = is_own && (data[1] & 8) != 0;
  put_member(members[damaged], is_third ? "zarr.json" : ".zarray", text, rest);
  yupana::io::SiteRules rules;
  rules.records.multiallelic = static_cast<yupana::io::Multiallelic>((data[1] >> 4) % 3);
  static yupana::Context context({.device = "cpu", .threads = 1});
  yupana::fuzz::expect_one_line([&] {
    const std::string store = (yupana::fuzz::folder() / "c.zarr").string();
    const auto source = yupana::io::open_zarr(context, store, yupana::io::HalfCall::missing, rules);
    yupana::fuzz::expect_sites_again(*source);
  });
  return 0;
}
