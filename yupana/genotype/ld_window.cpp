#include "yupana/genotype/ld_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/filtered_source.hpp"

namespace yupana::genotype {
namespace {

/// PLINK's tolerance on thresholds (2^-44).
constexpr double tolerance = 0x1p-44;

/// The even bits of a word, side by side.
std::uint64_t even_bits(std::uint64_t x) {
  x &= 0x5555555555555555;
  x = (x | x >> 1) & 0x3333333333333333;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0f;
  x = (x | x >> 4) & 0x00ff00ff00ff00ff;
  x = (x | x >> 8) & 0x0000ffff0000ffff;
  return (x | x >> 16) & 0xffffffff;
}

/// Planes of `samples` codes, 32 at a time; `bits` are zero.
void set_planes(const std::uint8_t* codes, std::int64_t samples, Array<std::uint64_t>& bits) {
  const std::int64_t words = bits.size() / 3;
  for (std::int64_t i = 0; i < samples; i += 32) {
    std::uint64_t low = 0;
    std::memcpy(&low, codes + i / 4, 8);
    const std::uint64_t high = low >> 1;
    const std::uint64_t mask = samples - i < 32 ? (std::uint64_t{1} << (samples - i)) - 1 : ~0ULL;
    const std::uint64_t planes[] = {~(low ^ high), ~(low | high), ~(low & ~high)};
    for (int k = 0; k < 3; ++k) {
      bits[k * words + i / 64] |= (even_bits(planes[k]) & mask) << (i % 64);
    }
  }
}

}  // namespace

LdSite make_ld_site(const std::uint8_t* codes,
                    const std::vector<std::int64_t>& founders,
                    const std::vector<std::int64_t>& counted,
                    Backend backend) {
  LdSite site;
  site.founders = std::ssize(founders);
  const std::int64_t words = round_up(divide_up(site.founders, 64), 8);
  site.bits = Array<std::uint64_t>::zeros(3 * words);
  if (founders.back() + 1 == site.founders) {
    set_planes(codes, site.founders, site.bits);
  } else {
    std::vector<std::uint8_t> gathered(static_cast<std::size_t>(8 * divide_up(site.founders, 32)));
    gather_codes(codes, founders, gathered.data());
    set_planes(gathered.data(), site.founders, site.bits);
  }
  const LdPlanes planes = site.planes();
  site.own = backend == Backend::reference ? reference::ld_sums(planes, planes)
                                           : cpu::ld_sums(planes, planes);
  // The sum of y is the copies of A1 less the called samples.
  std::int64_t copies = site.own.a + site.own.called;
  site.called = site.own.called;
  if (std::ssize(counted) != site.founders) {
    copies = site.called = 0;
    for (const std::int64_t at : counted) {
      const int code = codes[at / 4] >> (2 * (at % 4)) & 3;
      site.called += code != missing_call;
      copies += code == homozygous_a1 ? 2 : code == heterozygous ? 1 : 0;
    }
  }
  site.minor = std::min(copies, 2 * site.called - copies);
  return site;
}

void LdWindow::add(std::vector<LdSite> sites, bool is_end) {
  for (LdSite& site : sites) sites_.push_back(std::move(site));
  while (!sites_.empty() && is_whole(is_end)) {
    compare_new();
    if (is_end && window_ == end()) return pop(std::ssize(sites_));
    pop(std::min(params_.step, std::ssize(sites_)));
  }
}

/// The end of the window that begins at the first site, among the sites that are there.
std::int64_t LdWindow::window_end() const {
  if (!params_.in_base_pairs) return std::min(first_ + params_.window, end());
  const std::int64_t last = sites_.front().name.position + params_.window;
  std::int64_t index = std::max(window_, first_);
  while (index < end() && sites_[static_cast<std::size_t>(index - first_)].name.position <= last) {
    ++index;
  }
  return index;
}

/// True where later sites are not in the window.
bool LdWindow::is_whole(bool is_end) const {
  if (is_end) return true;
  if (!params_.in_base_pairs) return std::ssize(sites_) > std::max(params_.window, params_.step);
  return sites_.back().name.position > sites_.front().name.position + params_.window;
}

/// Compares the sites that are new in the window with those before them.
void LdWindow::compare_new() {
  context_.check_cancelled();
  const std::int64_t known = std::max(window_, first_);
  window_ = std::max(window_, window_end());
  const std::size_t first_new = live_.size();
  // PLINK 2 does not look at sites without another near them, not even at constant ones.
  const bool is_alone = window_ - first_ < 2 && (params_.in_base_pairs || first_ == 0);
  for (std::int64_t index = known; index < window_; ++index) {
    LdSite& added = site(index);
    if (!added.is_constant()) {
      live_.push_back({index, 0});
    } else if (!is_alone) {
      drop(added);
    }
  }
  if (live_.size() == first_new) return;
  for (std::size_t k = 0; k < live_.size(); ++k) live_[k].next = std::max(k + 1, first_new);
  for (bool changed = true; changed;) {
    changed = false;
    for (Live& live : live_) changed = compare_first(live) || changed;
  }
  std::erase_if(live_, [&](const Live& live) { return !site(live.index).stays; });
}

/// Compares a site with those after it, up to the first that it is correlated with; true where one
/// of the two was dropped.
bool LdWindow::compare_first(Live& live) {
  LdSite& a = site(live.index);
  if (!a.stays) return false;
  while (live.next < live_.size()) {
    LdSite& b = site(live_[live.next++].index);
    if (!b.stays || !correlated(a, b)) continue;
    // Frequencies are compared as fractions of integers.
    const auto a_minor = static_cast<__int128>(a.minor) * b.called;
    const auto b_minor = static_cast<__int128>(b.minor) * a.called;
    drop(a_minor < b_minor ? a : b);
    return true;
  }
  return false;
}

bool LdWindow::correlated(const LdSite& a, const LdSite& b) const {
  const bool is_reference = context_.backend() == Backend::reference;
  const LdPlanes x = a.planes(), y = b.planes();
  LdSums sums;
  if (a.is_complete() && b.is_complete()) {
    sums = {a.founders, a.own.a, a.own.a_squares, b.own.a, b.own.a_squares, 0};
    sums.product = is_reference ? reference::ld_product(x, y) : cpu::ld_product(x, y);
  } else {
    sums = is_reference ? reference::ld_sums(x, y) : cpu::ld_sums(x, y);
  }
  const auto covariance = static_cast<double>(sums.called * sums.product - sums.a * sums.b);
  const auto a_variance = static_cast<double>(sums.called * sums.a_squares - sums.a * sums.a);
  const auto b_variance = static_cast<double>(sums.called * sums.b_squares - sums.b * sums.b);
  return covariance * covariance > params_.max_r2 * (1 + tolerance) * a_variance * b_variance;
}

void LdWindow::drop(LdSite& site) {
  site.stays = false;
  site.bits = {};
}

/// Moves the window on by `count` sites.
void LdWindow::pop(std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    sites_.front().bits = {};
    decided_.push_back(std::move(sites_.front()));
    sites_.pop_front();
  }
  first_ += count;
  std::erase_if(live_, [&](const Live& live) { return live.index < first_; });
}

std::vector<LdSite> LdWindow::take_decided() { return std::exchange(decided_, {}); }

}  // namespace yupana::genotype
