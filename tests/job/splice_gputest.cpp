#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/splice/cases.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/shared_data.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/job/splice.hpp"

namespace yupana::job {
namespace {

namespace fs = std::filesystem;
using splice::Draw;
using test::bytes_of;
using test::Folder;

/// A gene of a few exons in random bases, with GT and AG beside them; candidates in a table beside
/// decoys on both strands, a cDNA of its exons with every ninth letter changed, and its protein.
std::string write_case(const Folder& folder, Draw& draw, int number) {
  const std::string name = std::to_string(number);
  std::string bases = draw.letters(draw.between(1500, 6000));
  std::string cdna, exons;
  for (std::int64_t at = 200; at + 500 < std::ssize(bases); at += draw.between(350, 700)) {
    const std::int64_t length = draw.between(20, 300);
    if (!cdna.empty()) bases.replace(static_cast<std::size_t>(at) - 2, 2, "AG");
    bases.replace(static_cast<std::size_t>(at + length), 2, "GT");
    cdna += bases.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(length));
    exons += fmt::format("chr\t{}\t{}\t+\n", at + 1, at + length);
    const std::int64_t decoy = draw.between(1, std::ssize(bases) - 200);
    exons +=
        fmt::format("chr\t{}\t{}\t{}\n", decoy, decoy + draw.below(200), number % 2 ? "-" : ".");
  }
  for (std::size_t i = 4; i < cdna.size(); i += 9) cdna[i] = "ACGT"[draw.below(4)];
  folder.put(name + ".fa", ">chr\n" + bases + "\n");
  folder.put(name + ".exons.tsv", exons);
  folder.put(name + ".cdna.fa", ">cdna" + name + "\n" + cdna + "\n");
  folder.put(name + ".pep.fa", ">pep" + name + "\n" + splice::translation(cdna, {}) + "\n");
  return name;
}

SpliceJobParams job(const std::string& batch, const std::string& out) {
  SpliceJobParams params;
  params.inputs = io::read_splice_cases(batch);
  params.out = out;
  params.both_strands = true;
  return params;
}

void expect_same_files(const Folder& folder, const std::string& a, const std::string& b) {
  for (const char* kind : {".tsv", ".gff3", ".paf", ".txt"}) {
    const std::string here = bytes_of(folder / (a + kind));
    EXPECT_GT(here.size(), 100u) << a << kind;
    EXPECT_TRUE(here == bytes_of(folder / (b + kind))) << a << " and " << b << kind;
  }
}

TEST(CudaSpliceJob, BatchesHaveTheFilesOfTheCpuToTheLastByte) {
  YUPANA_NEEDS_GPU();
  const Folder folder;
  Draw draw(41);
  std::string given, automatic;
  for (int i = 0; i < 40; ++i) {
    const std::string n = write_case(folder, draw, i);
    given += fmt::format("{0}.fa\t{0}.exons.tsv\t{0}.cdna.fa\n", n);
    given += fmt::format("{0}.fa\t{0}.exons.tsv\t{0}.pep.fa\tprotein\n", n);
    if (i % 4 != 0) continue;
    automatic += fmt::format("{0}.fa\tauto\t{0}.cdna.fa\n{0}.fa\tauto\t{0}.pep.fa\tprotein\n", n);
  }
  folder.put("given.tsv", given);
  folder.put("auto.tsv", automatic);
  const bool several = yupana::cuda::device_count() > 1;
  for (const std::string batch : {"given", "auto"}) {
    for (const int open : {0, -4}) {
      for (const std::string device : {"cpu", "cuda:0", "cuda:0,0", "cuda"}) {
        if (device == "cuda" && !several) continue;
        Context context({device});
        SpliceJobParams params = job(folder / (batch + ".tsv"), folder / device);
        params.align.gap_open = open;
        if (open != 0) params.align.gap_extend = -1;
        run_splice(context, params);
        if (device != "cpu") expect_same_files(folder, "cpu", device);
      }
    }
  }
}

// With exons from signals: the homologues of real genes, cDNAs and a protein.
TEST(CudaSpliceJob, RealGenesHaveTheFilesOfTheCpu) {
  YUPANA_NEEDS_GPU();
  const std::string data = shared_data("splice");
  if (!fs::exists(data + "/vertebrate_cds")) GTEST_SKIP() << "no " << data << "/vertebrate_cds";
  const Folder folder;
  std::string batch;
  for (const auto& gene : fs::directory_iterator(data + "/vertebrate_cds")) {
    if (!fs::exists(gene.path() / "target_cdna.fa")) continue;
    const std::string path = fs::absolute(gene.path()).string();
    batch += fmt::format("{0}/genomic.fa\tauto\t{0}/target_cdna.fa\n", path);
  }
  if (fs::exists(data + "/dpp3")) {
    const std::string path = fs::absolute(data + "/dpp3").string();
    batch += fmt::format("{0}/DPP3-hs.gen.fa.gz\tauto\t{0}/DPP3-mm.pep.fa.gz\tprotein\n", path);
  }
  folder.put("batch.tsv", batch);
  for (const std::string device : {"cpu", "cuda:0"}) {
    Context context({device});
    run_splice(context, job(folder / "batch.tsv", folder / device));
  }
  expect_same_files(folder, "cpu", "cuda:0");
}

TEST(CudaSpliceJob, EstimatesAreFromTheRateOfTheGpu) {
  YUPANA_NEEDS_GPU();
  const Folder folder;
  Draw draw(42);
  std::string batch;
  for (int i = 0; i < 30; ++i) {
    const std::string n = write_case(folder, draw, i);
    for (int again = 0; again < 20; ++again) {
      batch += fmt::format("{0}.fa\t{0}.exons.tsv\t{0}.cdna.fa\n", n);
    }
  }
  folder.put("batch.tsv", batch);
  double predicted[2] = {};
  for (const int gpu : {0, 1}) {
    Context context({.device = gpu == 1 ? "cuda:0" : "cpu", .threads = 1});
    SpliceJobParams params = job(folder / "batch.tsv", "");
    params.estimate = true;
    predicted[gpu] = run_splice(context, params).predicted_seconds;
    if (gpu == 0) continue;
    // What it says is what the second run takes; the first loads kernels.
    double seconds = 0;
    for (int round = 0; round < 2; ++round) {
      seconds = run_splice(context, job(folder / "batch.tsv", folder / "out")).seconds;
    }
    EXPECT_GT(predicted[1], seconds / 6);
    EXPECT_LT(predicted[1], seconds * 6);
  }
  // A GPU that is slower than one thread of any CPU would be none.
  EXPECT_LT(predicted[1], predicted[0]);
}

}  // namespace
}  // namespace yupana::job
