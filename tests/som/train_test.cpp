#include "yupana/som/train.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/som/samples.hpp"
#include "tests/support/text_files.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"
#include "yupana/som/nearest.hpp"

namespace yupana::som {
namespace {

bool same(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.rows() * a.cols()) * 4) == 0;
}

/// The batch rule sample by sample, as it is written in books.
Matrix<float> by_the_book(const Matrix<float>& samples, Matrix<float> w, const SomParams& params) {
  const Schedule schedule = resolved(params.schedule, params.grid);
  for (std::int64_t t = 0; t < schedule.iterations; ++t) {
    const double sigma = schedule.sigma(t);
    Matrix<double> numerator(w.rows(), w.cols());
    std::fill_n(numerator.data(), w.rows() * w.cols(), 0.0);
    std::vector<double> denominator(static_cast<std::size_t>(w.rows()), 0.0);
    for (std::int64_t s = 0; s < samples.rows(); ++s) {
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < w.rows(); ++i) {
        if (squared_distance(samples.row(s), w.row(i), w.cols()) <
            squared_distance(samples.row(s), w.row(best), w.cols())) {
          best = i;
        }
      }
      for (std::int64_t i = 0; i < w.rows(); ++i) {
        const double square =
            static_cast<double>(four_squares(params.grid, offset_between(params.grid, best, i))) /
            4;
        const double h = std::exp(-square / (2 * sigma * sigma));
        denominator[static_cast<std::size_t>(i)] += h;
        for (std::int64_t j = 0; j < w.cols(); ++j) numerator(i, j) += h * double{samples(s, j)};
      }
    }
    for (std::int64_t i = 0; i < w.rows(); ++i) {
      const double total = denominator[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < w.cols() && total > 0; ++j) {
        w(i, j) = static_cast<float>(numerator(i, j) / total);
      }
    }
  }
  return w;
}

TEST(Som, BatchTrainingFollowsItsRule) {
  const Matrix<float> samples = clouds(300, 7, 1);
  SomParams params;
  params.grid = {4, 5};
  params.schedule = {12, 4, 2, 0.5, 0};
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device});
    const Matrix<float> start = initial_codebook(context, samples.view(), params);
    Matrix<float> copy(start.rows(), start.cols());
    std::copy_n(start.data(), start.rows() * start.cols(), copy.data());
    const Matrix<float> expected = by_the_book(samples, std::move(copy), params);
    const Matrix<float> trained = train(context, samples.view(), params);
    for (std::int64_t i = 0; i < trained.rows() * trained.cols(); ++i) {
      EXPECT_NEAR(trained.data()[i], expected.data()[i], 1e-5) << device;
    }
  }
}

TEST(Som, RanksTrainTheMapOfOneProcess) {
  const Matrix<float> samples = clouds(301, 7, 1);
  SomParams params;
  params.grid = {4, 5};
  params.schedule = {6, 4, 2, 0.5, 0};
  for (const Training training : {Training::batch, Training::online}) {
    params.training = training;
    Context context({.device = "cpu"});
    const Matrix<float> one = train(context, samples.view(), params);
    for (const int ranks : {1, 2, 3}) {
      ThreadRanks(ranks).run([&](Comm& comm) {
        Context mine({.device = "cpu", .threads = 1, .comm = &comm});
        EXPECT_TRUE(same(train(mine, samples.view(), params), one)) << ranks;
      });
    }
  }
}

struct Shape {
  std::int64_t n, d, rows, cols;
};

// Around twelve rows of a block, lanes of every width, panels of 32 and 64 neurons.
TEST(Som, EveryBackendAndThreadCountHasTheSameBits) {
  for (const Shape& shape : {Shape{1, 1, 1, 1},
                             Shape{11, 3, 1, 2},
                             Shape{12, 8, 4, 4},
                             Shape{13, 9, 3, 11},
                             Shape{131, 17, 4, 8},
                             Shape{257, 31, 5, 13},
                             Shape{1009, 18, 8, 7},
                             Shape{97, 130, 9, 15}}) {
    const Matrix<float> samples = clouds(shape.n, shape.d, 7);
    SomParams params;
    params.grid = {shape.rows, shape.cols};
    params.schedule = {4, 1, 2, 0.3, 0};
    for (const Initial initial : {Initial::uniform, Initial::samples, Initial::pca}) {
      params.initial = initial;
      Context reference({.device = "reference"});
      const Matrix<float> expected = train(reference, samples.view(), params);
      for (const int threads : {1, 2, 7}) {
        Context context({.device = "cpu", .threads = threads});
        EXPECT_TRUE(same(train(context, samples.view(), params), expected))
            << shape.n << " x " << shape.d << ", " << threads << " threads";
      }
    }
  }
}

TEST(Som, EveryLatticeAndNeighborhoodHasTheBitsOfTheReference) {
  const Matrix<float> samples = clouds(500, 5, 3);
  for (const Lattice lattice : {Lattice::rectangular, Lattice::hexagonal}) {
    for (const bool toroidal : {false, true}) {
      for (const Neighborhood neighborhood :
           {Neighborhood::gaussian, Neighborhood::truncated, Neighborhood::bubble}) {
        SomParams params;
        params.grid = {6, 5, lattice, toroidal};
        params.neighborhood = neighborhood;
        params.schedule = {6, 2, 2.5, 0.6, 0};
        Context reference({.device = "reference"}), cpu({.device = "cpu"});
        EXPECT_TRUE(
            same(train(reference, samples.view(), params), train(cpu, samples.view(), params)));
      }
    }
  }
}

TEST(Som, DoubleDecidesWhereFloatsCannot) {
  for (const double offset : {1e3, 1e6}) {
    const Matrix<float> samples = clouds(400, 6, 11, offset);
    SomParams params;
    params.grid = {7, 9};
    params.schedule = {3, 0, 2, 0.5, 0};
    Context reference({.device = "reference"}), cpu({.device = "cpu"});
    EXPECT_TRUE(same(train(reference, samples.view(), params), train(cpu, samples.view(), params)));
  }
}

TEST(Som, HugeValuesDoNotOverflow) {
  Matrix<float> samples(40, 3);
  const Random random(5);
  for (std::int64_t i = 0; i < 120; ++i) {
    samples.data()[i] =
        static_cast<float>((random.uniform(static_cast<std::uint64_t>(i)) - 0.5) * 6e38);
  }
  SomParams params;
  params.grid = {3, 3};
  params.schedule = {3, 0, 1.5, 0.5, 0};
  Context reference({.device = "reference"}), cpu({.device = "cpu"});
  const Matrix<float> trained = train(cpu, samples.view(), params);
  EXPECT_TRUE(same(train(reference, samples.view(), params), trained));
  for (std::int64_t i = 0; i < 27; ++i) EXPECT_TRUE(std::isfinite(trained.data()[i]));
}

TEST(Som, NeuronsThatNothingReachesStayAsTheyAre) {
  Matrix<float> samples(2, 1), codebook(6, 1);
  samples(0, 0) = 0, samples(1, 0) = 0.5f;
  for (std::int64_t i = 0; i < 6; ++i) codebook(i, 0) = static_cast<float>(100 * i);
  SomParams params;
  params.grid = {1, 6};
  params.neighborhood = Neighborhood::bubble;
  params.schedule = {1, 0, 1, 1, 1};
  Context context({.device = "cpu"});
  const Matrix<float> trained = train_from(context, samples.view(), std::move(codebook), params);
  EXPECT_EQ(trained(0, 0), 0.25f);
  EXPECT_EQ(trained(1, 0), 0.25f);
  EXPECT_EQ(trained(2, 0), 200);
  EXPECT_EQ(trained(5, 0), 500);
}

TEST(Som, OrderOfTheSamplesDoesNotMatter) {
  const Matrix<float> samples = clouds(700, 4, 2);
  Matrix<float> backwards(700, 4);
  for (std::int64_t i = 0; i < 700; ++i) {
    std::copy_n(samples.row(699 - i), 4, backwards.row(i));
  }
  SomParams params;
  params.grid = {5, 5};
  params.initial = Initial::uniform;
  Context context({.device = "cpu"});
  EXPECT_TRUE(
      same(train(context, samples.view(), params), train(context, backwards.view(), params)));
}

TEST(Som, OnlineTrainingComesNearTheSamples) {
  const Matrix<float> samples = clouds(600, 4, 9);
  SomParams params;
  params.grid = {5, 5};
  params.training = Training::online;
  params.initial = Initial::uniform;
  Context context({.device = "cpu"});
  const Matrix<float> start = initial_codebook(context, samples.view(), params);
  const Matrix<float> trained = train(context, samples.view(), params);
  const auto error = [&](const Matrix<float>& codebook) {
    return quality(nearest_neurons(context, samples.view(), codebook.view()), params.grid)
        .quantization_error;
  };
  EXPECT_LT(error(trained), 0.6 * error(start));
  Context other({.device = "cpu", .threads = 7});
  EXPECT_TRUE(same(train(other, samples.view(), params), trained));
}

TEST(Som, OnlineTrainingStopsInTheMiddleOfAnIteration) {
  const Matrix<float> samples = clouds(20000, 16, 3);
  SomParams params;
  params.grid = {40, 40};
  params.training = Training::online;
  Context context({.device = "cpu"});
  double done = 0;
  context.on_progress([&](const Progress& now) {
    done = now.done;
    context.cancel();
  });
  test::refusal([&] { train(context, samples.view(), params); }, ErrorCode::interrupted);
  EXPECT_GT(done, 0);
  EXPECT_LT(done, static_cast<double>(samples.rows())) << "told after a whole iteration only";
}

TEST(Som, PcaSpansThePlaneOfTheData) {
  Matrix<float> samples(101, 3);
  for (std::int64_t i = 0; i < 101; ++i) {
    samples(i, 0) = static_cast<float>(i), samples(i, 1) = 7, samples(i, 2) = 0;
  }
  SomParams params;
  params.grid = {1, 3};
  params.initial = Initial::pca;
  Context context({.device = "cpu"});
  const Matrix<float> codebook = initial_codebook(context, samples.view(), params);
  EXPECT_NEAR(codebook(1, 0), 50, 1e-4);
  const double deviation = std::sqrt((101.0 * 101.0 - 1) / 12);
  EXPECT_NEAR(codebook(2, 0) - codebook(0, 0), 4 * deviation, 1e-3);
  EXPECT_NEAR(codebook(2, 1), 7, 1e-5);
}

TEST(Som, SamplesAreDrawnWithoutRepetition) {
  const Matrix<float> samples = clouds(30, 2, 4);
  SomParams params;
  params.grid = {5, 6};
  Context context({.device = "cpu"});
  const Matrix<float> codebook = initial_codebook(context, samples.view(), params);
  for (std::int64_t a = 0; a < 30; ++a) {
    for (std::int64_t b = 0; b < a; ++b) {
      EXPECT_NE(std::memcmp(codebook.row(a), codebook.row(b), 8), 0);
    }
  }
}

template <class Body>
void expect_error(ErrorCode code, const std::string& text, const Body& body) {
  test::expect_refusal(body, text, code);
}

TEST(Som, BadInputIsNamed) {
  Context context({.device = "cpu"});
  Matrix<float> samples = clouds(20, 3, 1);
  SomParams params;
  params.grid = {2, 2};
  samples(6, 1) = std::nanf("");
  expect_error(ErrorCode::bad_input, "row 7, column 2 of the samples", [&] {
    train(context, samples.view(), params);
  });
  samples(6, 1) = INFINITY;
  expect_error(
      ErrorCode::bad_input, "row 7, column 2", [&] { train(context, samples.view(), params); });
  const Matrix<float> none(0, 3);
  expect_error(
      ErrorCode::bad_input, "at least 1 sample", [&] { train(context, none.view(), params); });
  params.learning_rate = 0;
  const Matrix<float> fine = clouds(20, 3, 1);
  expect_error(ErrorCode::usage, "--learning-rate", [&] { train(context, fine.view(), params); });
  expect_error(ErrorCode::bad_input, "expected samples of 3 features", [&] {
    nearest_neurons(context, clouds(5, 2, 1).view(), clouds(5, 3, 1).view());
  });
}

TEST(Som, FewerSamplesThanNeuronsAreNoted) {
  Context context({.device = "cpu"});
  std::string noted;
  context.on_note([&](const std::string& note) { noted = note; });
  SomParams params;
  params.grid = {3, 3};
  train(context, clouds(4, 2, 1).view(), params);
  EXPECT_EQ(noted, "som: 4 samples for 9 neurons");
}

TEST(Som, AMapThatTakesMinutesSaysSo) {
  Context context({.device = "cpu"});
  std::string noted;
  context.on_note([&](const std::string& note) { noted = note; });
  SomParams params;
  params.grid = {1000, 1000};
  params.schedule.iterations = 1;
  train(context, clouds(100, 1, 1).view(), params);
  EXPECT_EQ(noted,
            "som: 100 samples for 1000000 neurons: each iteration weighs 1e+08 pairs of them; "
            "a smaller map is faster");
  params.schedule.iterations = 0;
  train(context, clouds(100, 1, 1).view(), params);
  EXPECT_EQ(noted, "som: 100 samples for 1000000 neurons");
}

}  // namespace
}  // namespace yupana::som
