#include "yupana/genotype/ld_window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

void LdBytes::add(std::uint64_t bytes) {
  const std::uint64_t held = held_ += bytes;
  for (std::uint64_t peak = peak_; held > peak && !peak_.compare_exchange_weak(peak, held);) {
  }
  if (held <= most_) return;
  throw resource_error(
      "--indep-pairwise: the sites of its windows need more than {}, their share of --memory; take "
      "a shorter window or fewer samples (--keep), or raise --memory",
      allowed_bytes(static_cast<double>(most_)));
}

void gather_founders(const std::uint8_t* row,
                     const std::vector<std::int64_t>& founders,
                     std::uint8_t* to,
                     std::int64_t bytes) {
  const std::int64_t count = std::ssize(founders), used = divide_up(count, 4);
  if (founders.back() + 1 == count) {
    std::memcpy(to, row, static_cast<std::size_t>(used));
  } else {
    gather_codes(row, founders, to);
  }
  std::memset(to + used, 0x55, static_cast<std::size_t>(bytes - used));
  const int known = count % 4 == 0 ? 0xff : (1 << (2 * (count % 4))) - 1;
  to[used - 1] = static_cast<std::uint8_t>((to[used - 1] & known) | (0x55 & ~known));
}

LdSite make_ld_site(const std::uint8_t* row,
                    const LdSamples& samples,
                    Backend backend,
                    LdMemory& memory) {
  const std::int64_t words = round_up(divide_up(std::ssize(samples.founders), 64), 8);
  if (memory.codes.size() != 2 * words) memory.codes = Array<std::uint64_t>(2 * words);
  auto* const codes = reinterpret_cast<std::uint8_t*>(memory.codes.data());
  gather_founders(row, samples.founders, codes, 16 * words);
  LdSite site;
  if (memory.bits.empty()) {
    site.bits = Array<std::uint64_t>(3 * words);
  } else {
    site.bits = std::move(memory.bits.back());
    memory.bits.pop_back();
  }
  const auto make = backend == Backend::reference ? reference::ld_planes : cpu::ld_planes;
  site.own = make(memory.codes.data(), site.bits.data(), words);
  site.complete = site.own.called == std::ssize(samples.founders);
  // The sum of y is the copies of A1 less the called samples.
  std::int64_t copies = site.own.a + site.own.called;
  site.called = site.own.called;
  if (samples.counted.size() != samples.founders.size()) {
    copies = site.called = 0;
    for (const std::int64_t at : samples.counted) {
      const int code = row[at / 4] >> (2 * (at % 4)) & 3;
      site.called += code != missing_call;
      copies += code == homozygous_a1 ? 2 : code == heterozygous ? 1 : 0;
    }
  }
  site.minor = std::min(copies, 2 * site.called - copies);
  return site;
}

void LdWindow::add(SiteBlock& block, Range sites, const LdNear* near) {
  for (std::int64_t k = sites.begin; k < sites.end; ++k) {
    SiteName& name = block.names[static_cast<std::size_t>(k)];
    const bool is_new = memory_.bits.empty();
    LdSite& site =
        sites_.emplace_back(make_ld_site(block.row(k), samples_, context_.backend(), memory_));
    bytes_.add(sizeof(LdSite) + (is_new ? static_cast<std::uint64_t>(site.bits.bytes()) : 0));
    site.name = std::move(name.name);
    site.position = name.position;
    site.number = name.number;
    site.index = end() - 1;
    if (near != nullptr) {
      site.near = near[k - sites.begin];
      keep_bits(site);  // Nobody compares them.
    }
    while (is_whole()) {
      compare_new();
      pop(std::min(params_.step, std::ssize(sites_)));
    }
  }
}

void LdWindow::finish() {
  while (!sites_.empty()) {
    compare_new();
    pop(window_ == end() ? std::ssize(sites_) : std::min(params_.step, std::ssize(sites_)));
  }
  for (const auto& bits : memory_.bits) bytes_.remove(static_cast<std::uint64_t>(bits.bytes()));
  memory_ = {};
}

/// The end of the window that begins at the first site, among the sites that are there.
std::int64_t LdWindow::window_end() {
  if (!params_.in_base_pairs) return std::min(first_ + params_.window, end());
  const std::int64_t last = sites_.front().position + params_.window;
  std::int64_t index = std::max(window_, first_);
  while (index < end() && site(index).position <= last) ++index;
  return index;
}

/// True where later sites are not in the window.
bool LdWindow::is_whole() const {
  if (sites_.empty()) return false;
  if (!params_.in_base_pairs) return std::ssize(sites_) > std::max(params_.window, params_.step);
  return sites_.back().position > sites_.front().position + params_.window;
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
      live_.push_back({&added, 0});
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
  std::erase_if(live_, [&](const Live& live) { return !live.site->stays; });
}

/// Compares a site with those after it, up to the first that it is correlated with; true where one
/// of the two was dropped.
bool LdWindow::compare_first(Live& live) {
  LdSite& a = *live.site;
  if (!a.stays) return false;
  while (live.next < live_.size()) {
    LdSite& b = *live_[live.next++].site;
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
  if (b.near.words) return b.near.has(a.index);
  const bool is_reference = context_.backend() == Backend::reference;
  const LdPlanes x = a.planes(), y = b.planes();
  LdSums sums;
  if (a.complete && b.complete) {
    sums = {a.own.called, a.own.a, a.own.a_squares, b.own.a, b.own.a_squares, 0};
    sums.product = is_reference ? reference::ld_product(x, y) : cpu::ld_product(x, y);
  } else {
    sums = is_reference ? reference::ld_sums(x, y) : cpu::ld_sums(x, y);
  }
  const auto covariance = static_cast<double>(sums.called * sums.product - sums.a * sums.b);
  const auto a_variance = static_cast<double>(sums.called * sums.a_squares - sums.a * sums.a);
  const auto b_variance = static_cast<double>(sums.called * sums.b_squares - sums.b * sums.b);
  return covariance * covariance > params_.max_r2 * (1 + ld_tolerance) * a_variance * b_variance;
}

void LdWindow::drop(LdSite& site) {
  site.stays = false;
  keep_bits(site);
}

/// Keeps the memory of its planes, if it has them still, for a later site.
void LdWindow::keep_bits(LdSite& site) {
  if (!site.bits.empty()) memory_.bits.push_back(std::exchange(site.bits, {}));
}

/// Moves the window on by `count` sites.
void LdWindow::pop(std::int64_t count) {
  auto live = live_.begin();
  for (std::int64_t k = 0; k < count; ++k) {
    LdSite& site = sites_.front();
    decided_.push_back({std::move(site.name), site.number, site.stays});
    if (live != live_.end() && live->site == &site) ++live;
    keep_bits(site);
    sites_.pop_front();
    bytes_.remove(sizeof(LdSite));
  }
  first_ += count;
  live_.erase(live_.begin(), live);
}

std::vector<LdDecision> LdWindow::take_decided() { return std::exchange(decided_, {}); }

}  // namespace yupana::genotype
