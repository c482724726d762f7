#include "yupana/genotype/simulate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/simulate_backends.hpp"

namespace yupana::genotype {
namespace {

constexpr double unit = 0x1p32;  ///< thresholds of a probability

std::uint64_t threshold(double probability) {
  return static_cast<std::uint64_t>(std::llround(probability * unit));
}

[[noreturn]] void refuse(std::string_view what) { throw usage_error("simulate: {}", what); }

/// "2000", "2k", "1.2M", "3G".
std::int64_t count_from(std::string_view key, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  if (suffix == "k" || suffix == "K") value *= 1e3;
  if (suffix == "M") value *= 1e6;
  if (suffix == "G") value *= 1e9;
  const bool known = suffix.empty() || std::string_view("kKMG").find(suffix) != text.npos;
  // 2^53: the largest count a double holds exactly.
  if (error != std::errc() || !known || !(value >= 0 && value <= 0x1p53) ||
      value != std::floor(value)) {
    refuse(fmt::format("{}: expected a count such as 2000, 2k or 1.2M, got '{}'", key, text));
  }
  return static_cast<std::int64_t>(value);
}

/// All 64 bits of a seed in digits; "2k" as a count.
std::uint64_t seed_from(std::string_view key, std::string_view text) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last) return value;
  return static_cast<std::uint64_t>(count_from(key, text));
}

double number_from(std::string_view key, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("{}: expected a number, got '{}'", key, text));
  }
  return value;
}

Structure structure_from(std::string_view text) {
  if (text == "island") return Structure::island;
  if (text == "line") return Structure::line;
  if (text == "ring") return Structure::ring;
  refuse(fmt::format("structure: expected island, line or ring, got '{}'", text));
}

void set(SimulateParams& params, std::string_view item) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) refuse(fmt::format("expected key=value, got '{}'", item));
  const std::string_view key = item.substr(0, equals);
  const std::string_view value = item.substr(equals + 1);
  if (key == "populations") {
    params.populations = count_from(key, value);
  } else if (key == "structure") {
    params.structure = structure_from(value);
  } else if (key == "fst") {
    params.fst = number_from(key, value);
  } else if (key == "missing") {
    params.missing = number_from(key, value);
  } else if (key == "seed") {
    params.seed = seed_from(key, value);
  } else if (key == "family-size") {
    params.family_size = count_from(key, value);
  } else {
    refuse(fmt::format(
        "expected populations, structure, fst, missing, seed or family-size, got '{}'", key));
  }
}

const SimulateParams& checked(const SimulateParams& params) {
  if (params.samples < 1 || params.sites < 1 || params.populations < 1) {
    refuse(fmt::format("expected at least 1 sample, site and population, got {}, {} and {}",
                       params.samples,
                       params.sites,
                       params.populations));
  }
  if (!(params.fst >= 0 && params.fst < 1)) {
    refuse(fmt::format("fst: expected a number from 0 to below 1, got {}", params.fst));
  }
  if (!(params.missing >= 0 && params.missing <= 1)) {
    refuse(fmt::format("missing: expected a number from 0 to 1, got {}", params.missing));
  }
  if (params.family_size < 1 || params.family_size == 2) {
    refuse(
        fmt::format("family-size: expected 1, or 3 and more for two parents and their children, "
                    "got {}",
                    params.family_size));
  }
  return params;
}

/// Where `lost` has a missing call, `row` has one too.
void lose_calls(const std::vector<std::uint8_t>& lost, std::uint8_t* row) {
  for (std::size_t b = 0; b < lost.size(); ++b) {
    const unsigned missing = lost[b] & ~(lost[b] >> 1u) & 0x55u;
    row[b] = static_cast<std::uint8_t>((row[b] & ~(3 * missing)) | missing);
  }
}

/// Pieces of populations that begin at the samples bounds[k]; the last bound is the end of all.
std::vector<PopulationPiece> population_pieces(std::span<const std::int64_t> bounds) {
  std::vector<PopulationPiece> pieces;
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    for (std::int64_t i = bounds[k]; i < bounds[k + 1]; ++i) {
      const std::int64_t block = i / (64 * block_words);
      if (i == bounds[k] || pieces.back().block != block) {
        pieces.push_back(
            {.samples = {}, .block = block, .population = static_cast<std::int64_t>(k)});
      }
      pieces.back().samples[i / 64 % block_words] |= std::uint64_t{1} << (i % 64);
    }
  }
  return pieces;
}

}  // namespace

SimulateParams simulate_params(std::string_view text) {
  SimulateParams params;
  const std::string_view sizes = text.substr(0, text.find(','));
  const std::size_t cross = sizes.find('x');
  if (cross == std::string_view::npos) {
    refuse(fmt::format("expected SAMPLESxSITES, as in simulate:2000x1M, got '{}'", sizes));
  }
  params.samples = count_from("samples", sizes.substr(0, cross));
  params.sites = count_from("sites", sizes.substr(cross + 1));
  std::set<std::string_view> keys;
  for (std::size_t at = sizes.size(); at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at + 1), text.size());
    const std::string_view item = text.substr(at + 1, comma - at - 1);
    const std::string_view key = item.substr(0, item.find('='));
    if (!keys.insert(key).second) refuse(fmt::format("'{}' is given twice; give it once", key));
    set(params, item);
    at = comma;
  }
  return checked(params);
}

SimulatedSource::SimulatedSource(const SimulateParams& params, Backend backend)
    : params_(checked(params)),
      backend_(backend),
      // Populations beyond the samples stay out.
      model_(
          params.structure, std::min(params.populations, params.samples), params.fst, params.seed) {
  ids_.reserve(static_cast<std::size_t>(params.samples));
  for (std::int64_t i = 1; i <= params.samples; ++i) ids_.push_back(fmt::format("s{}", i));
  // The first sample i with floor(i K / n) >= k.
  const std::int64_t populations = model_.populations();
  for (std::int64_t k = 0; k <= populations; ++k) {
    bounds_.push_back((k * params.samples + populations - 1) / populations);
  }
  pieces_ = population_pieces(bounds_);
  families_ = SimulatedFamilies(bounds_, params.family_size);
  for (std::int64_t i = 0; i < params.samples && !families_.empty(); ++i) {
    nonfounders_.push_back(families_.is_child(i));
  }
}

SimulatedSource::SimulatedSource(Context& context, const SimulateParams& params)
    : SimulatedSource(params, context.backend()) {
  context_ = &context;
}

SimulatedSource::~SimulatedSource() = default;

std::int64_t SimulatedSource::population(std::int64_t sample) const {
  return std::upper_bound(bounds_.begin(), bounds_.end(), sample) - bounds_.begin() - 1;
}

std::vector<std::string> SimulatedSource::labels() const {
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(params_.samples));
  for (std::int64_t i = 0; i < params_.samples; ++i) {
    result.push_back(fmt::format("pop{}", population(i) + 1));
  }
  return result;
}

bool SimulatedSource::skip(SiteBlock& block) {
  block.sites = std::min(block.capacity, params_.sites - account_.read);
  account_.read += block.sites;
  account_.kept += block.sites;
  return block.sites > 0;
}

void SimulatedSource::draw(std::int64_t site, std::uint8_t* row, std::int64_t stride) const {
  std::vector<double> in_populations;
  frequencies(site, in_populations);
  std::vector<std::uint64_t> thresholds(in_populations.size());
  std::transform(in_populations.begin(), in_populations.end(), thresholds.begin(), threshold);
  const auto number = static_cast<std::uint64_t>(site);
  const auto draw_row = [&](double missing, std::uint8_t* to) {
    const SiteDraw draw{
        Random(params_.seed, 2 * number + 1), pieces_, thresholds, threshold(missing)};
    backend_ == Backend::reference ? reference::simulate_row(draw, to, stride)
                                   : cpu::simulate_row(draw, to, stride);
  };
  if (families_.empty()) return draw_row(params_.missing, row);
  // Parents hand down what is in them, whether or not it was called.
  draw_row(0, row);
  families_.inherit(Random(params_.seed, (std::uint64_t{1} << 63) + number), row);
  if (params_.missing == 0) return;
  std::vector<std::uint8_t> lost(static_cast<std::size_t>(stride));
  draw_row(params_.missing, lost.data());
  lose_calls(lost, row);
}

bool SimulatedSource::read(SiteBlock& block) {
  block.sites = std::min(block.capacity, params_.sites - account_.read);
  const auto draw_rows = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) draw(account_.read + i, block.row(i), block.stride);
  };
  constexpr std::int64_t piece_bytes = 16 << 10;
  if (context_ == nullptr) {
    draw_rows(0, block.sites);
  } else {
    context_->parallel_for(
        block.sites, std::max<std::int64_t>(1, piece_bytes / block.stride), draw_rows);
  }
  account_.read += block.sites;
  account_.kept += block.sites;
  return block.sites > 0;
}

void SimulatedSource::rewind() { account_ = {}; }

}  // namespace yupana::genotype
