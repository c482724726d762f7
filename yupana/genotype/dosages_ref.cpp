#include <algorithm>

#include "yupana/genotype/dosages_backends.hpp"

namespace yupana::genotype::reference {

bool fill_planes(const Dosages& dosages, Range sites, PlaneBlock& planes, bool& missing) {
  std::fill(planes.bytes.begin(), planes.bytes.end(), std::uint8_t{0});
  missing = false;
  for (std::int64_t i = 0; i < dosages.samples; ++i) {
    for (std::int64_t k = 0; k < sites.size(); ++k) {
      const std::int8_t x = dosages.at(i, sites.begin + k);
      if (x > 2) return false;
      const std::int64_t chunk = k / chunk_sites;
      std::uint8_t* at = planes.row(i) + chunk * planes.planes * chunk_bytes + k % chunk_sites / 8;
      const auto bit = static_cast<std::uint8_t>(1 << k % 8);
      if (x >= 1) at[0] |= bit;
      if (x == 1) at[chunk_bytes] |= bit;
      if (planes.planes == 3 && x >= 0) at[2 * chunk_bytes] |= bit;
      missing |= x < 0;
    }
  }
  return true;
}

}  // namespace yupana::genotype::reference
