#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <complex>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/analysis/matrices.hpp"
#include "tests/forest/samples.hpp"
#include "tests/geometry/points.hpp"
#include "tests/graph/graphs.hpp"
#include "tests/som/samples.hpp"
#include "tests/sparse/systems.hpp"
#include "tests/splice/cases.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/pack_planes.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/sort.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/som/train.hpp"
#include "yupana/spectral/fft.hpp"

// Two contexts on one GPU, each in a thread of its own: every family beside every other, and beside
// itself, gives the bits that it gives alone.
namespace yupana {
namespace {

template <class T>
std::string bytes(const T* values, std::int64_t count) {
  return {reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T)};
}
template <class T>
std::string bytes(const std::vector<T>& values) {
  return bytes(values.data(), std::ssize(values));
}
template <class T>
std::string bytes(const Matrix<T>& m) {
  return bytes(m.data(), m.rows() * m.cols());
}

/// One call of a family, and all that it answers.
struct Job {
  std::string family;
  std::function<std::string(Context&)> run;
};

Job scans_and_sorts() {
  std::vector<float> values(1'000'003);
  RandomSequence random(1);
  for (float& x : values) x = static_cast<float>(random.uniform() - 0.5);
  return {"arrays", [values](Context& context) {
            const std::int64_t n = std::ssize(values);
            std::vector<float> sums(values.size()), sorted = values, merged = values;
            arrays::inclusive_scan(context, values.data(), n, sums.data());
            arrays::sort(context, sorted.data(), n);
            arrays::merge_sort(context, merged.data(), n, std::greater<float>());
            return bytes(sums) + bytes(sorted) + bytes(merged);
          }};
}

Job transforms() {
  RandomSequence random(2);
  std::vector<std::complex<float>> values(1 << 18);
  for (auto& x : values) {
    x = {static_cast<float>(random.uniform()), static_cast<float>(random.uniform())};
  }
  return {"spectral", [values](Context& context) {
            std::string all;
            for (const std::int64_t n : {1 << 18, 1000, 4099}) {
              const std::int64_t batch = std::ssize(values) / n;
              std::vector<std::complex<float>> out(static_cast<std::size_t>(n * batch));
              spectral::fft(context,
                            spectral::Signals<const std::complex<float>>(values.data(), n, batch),
                            spectral::Signals<std::complex<float>>(out.data(), n, batch),
                            spectral::Direction::forward,
                            {.library = spectral::FftLibrary::own});
              all += bytes(out);
            }
            return all;
          }};
}

Job pair_counts() {
  const auto block = std::make_shared<genotype::PlaneBlock>(
      testing::pack_planes(testing::random_genotypes(300, 20'000, 0.01, 3)));
  return {"genotype", [block](Context& context) {
            genotype::PairCounter counter(context, 300, {.hethet = true, .rows = {}});
            counter.add(*block);
            const genotype::PairCounts counts = counter.take();
            std::vector<std::uint64_t> all;
            for (std::int64_t i = 0; i < 300; ++i) {
              for (std::int64_t j = 0; j < i; ++j) {
                all.insert(all.end(),
                           {counts.ibs1.at(i, j),
                            counts.ibs0.at(i, j),
                            counts.shared_at(i, j),
                            counts.hethet_at(i, j)});
              }
            }
            return bytes(all);
          }};
}

Job closures() {
  return {"graph", [](Context& context) {
            auto lengths = graph::random_graph<std::int32_t>(1100);
            graph::shortest_paths(context, lengths.view());
            auto float_lengths = graph::random_graph<float>(700);
            graph::shortest_paths(context, float_lengths.view());
            return bytes(lengths) + bytes(float_lengths);
          }};
}

Job maps() {
  const auto narrow = std::make_shared<Matrix<float>>(som::clouds(20'000, 18, 4));
  const auto wide = std::make_shared<Matrix<float>>(som::clouds(2000, 200, 5));
  return {"som", [narrow, wide](Context& context) {
            som::SomParams params;
            params.grid = {8, 7};
            params.schedule = {4, 1, 2, 0.3, 0};
            std::string all = bytes(som::train(context, narrow->view(), params));
            params.grid = {20, 20};
            return all + bytes(som::train(context, wide->view(), params));
          }};
}

Job forests() {
  const auto sample = std::make_shared<forest::Sample<float>>(
      forest::make_sample<float>({.rows = 20'000, .features = 12, .classes = 3, .missing = 0.02}));
  return {"forest", [sample](Context& context) {
            forest::ForestParams params;
            params.trees = 4;
            params.tree.max_depth = 8;
            forest::Model model;
            model.features.resize(12);
            model.classes = {"a", "b", "c"};
            model.trees =
                forest::fit_forest(context, sample->table.view(), sample->target(), params);
            return bytes(forest::predict_shares(context, model, sample->table.view()));
          }};
}

Job spliced_alignments() {
  splice::Draw draw(6);
  auto cases = std::make_shared<std::vector<splice::OwnCase>>();
  for (int i = 0; i < 40; ++i) {
    cases->push_back(splice::random_case(
        draw, {.bases = 3000, .letters = 500, .exons = 30, .longest = 200, .junction = 5}));
  }
  return {"splice", [cases](Context& context) {
            std::vector<splice::Case> problems;
            for (const splice::OwnCase& c : *cases) problems.push_back(c.view());
            std::vector<std::int64_t> all;
            for (const auto& a : splice::align(context, problems)) {
              all.push_back(a.score);
              for (const auto& x : a.chain) {
                all.insert(all.end(), {x.exon, x.target_begin, x.target_end});
              }
            }
            return bytes(all);
          }};
}

Job triangular_solves() {
  const auto matrix = std::make_shared<sparse::CsrMatrix<double, std::int32_t>>(
      sparse::random_system<double, std::int32_t>(
          30'000, 0, [](std::int64_t i) { return i % 23; }));
  return {"sparse", [matrix](Context& context) {
            const sparse::TriangularSystem<double, std::int32_t> system(
                context, matrix->view(), {.method = sparse::SolveMethod::sync_free});
            Matrix<double> b(matrix->rows, 2), x(matrix->rows, 2);
            for (std::int64_t i = 0; i < 2 * b.rows(); ++i) {
              b.data()[i] = static_cast<double>(i % 17) - 8;
            }
            system.solve(context, b.view(), x.view());
            return bytes(x) + bytes(system.analysis().order.data(), matrix->rows);
          }};
}

Job closest_pairs() {
  const auto points =
      std::make_shared<Matrix<double>>(geometry::testing::uniform<double>(200'000, 3));
  return {"geometry", [points](Context& context) {
            const auto pair = geometry::closest_pair<double>(context, points->view());
            return bytes(&pair.i, 1) + bytes(&pair.j, 1) + bytes(&pair.distance, 1);
          }};
}

Job embeddings() {
  // From so many individuals on, the GPU multiplies.
  const auto distances =
      std::make_shared<SquareMatrix<float>>(analysis::test::random_distances<float>(4000, 0, 9));
  return {"analysis", [distances](Context& context) {
            const auto result = analysis::mds(
                context, analysis::test::view(*distances), Entries::distances, {.dimensions = 2});
            return bytes(result.points) + bytes(result.eigenvalues);
          }};
}

double seconds_of_a_pair() {
  const char* const wanted = std::getenv("YUPANA_SECONDS_TOGETHER");
  return wanted == nullptr ? 0.3 : std::atof(wanted);
}

/// Runs the job again and again in a context of its own; counts the runs that answered otherwise.
void repeat(const Job& job,
            const std::string& alone,
            std::chrono::steady_clock::time_point end,
            std::atomic<int>& different) {
  Context context({.device = "cuda:0", .threads = 2});
  do {
    if (job.run(context) != alone) ++different;
  } while (std::chrono::steady_clock::now() < end);
}

using Makers = std::pair<Job (*)(), Job (*)()>;

std::vector<Makers> pairs() {
  Job (*const all[])() = {scans_and_sorts,
                          transforms,
                          pair_counts,
                          closures,
                          maps,
                          forests,
                          spliced_alignments,
                          triangular_solves,
                          closest_pairs,
                          embeddings};
  std::vector<Makers> pairs;
  for (std::size_t a = 0; a < std::size(all); ++a) {
    for (std::size_t b = a; b < std::size(all); ++b) pairs.emplace_back(all[a], all[b]);
  }
  return pairs;
}

class TwoContextsOnOneGpu : public ::testing::TestWithParam<Makers> {};

TEST_P(TwoContextsOnOneGpu, HaveTheBitsTheyHaveAlone) {
  YUPANA_NEEDS_GPU();
  const Job one = GetParam().first(), other = GetParam().second();
  Context context({.device = "cuda:0"});
  const std::string one_alone = one.run(context), other_alone = other.run(context);
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double>(seconds_of_a_pair()));
  std::atomic<int> first = 0, second = 0;
  std::thread beside([&] { repeat(other, other_alone, end, second); });
  repeat(one, one_alone, end, first);
  beside.join();
  EXPECT_EQ(first, 0) << one.family << " beside " << other.family;
  EXPECT_EQ(second, 0) << other.family << " beside " << one.family;
}

INSTANTIATE_TEST_SUITE_P(EachFamilyBesideEachOther,
                         TwoContextsOnOneGpu,
                         ::testing::ValuesIn(pairs()));

}  // namespace
}  // namespace yupana
