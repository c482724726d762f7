#include <algorithm>
#include <numeric>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/dealt_rows_cuda.hpp"

namespace yupana::graph::cuda {

using namespace yupana::cuda;

std::vector<TilePlace> tiles_of_part(const SquareShape& shape,
                                     const StripDeal& deal,
                                     std::size_t part,
                                     std::int64_t tile_rows,
                                     std::int64_t tile_columns,
                                     bool symmetric) {
  const std::int64_t band = 16 * deal.devices;
  const std::int64_t group = tile_columns / tile_rows;  // tiles one above the other, a square
  const std::int64_t side = divide_up(shape.size, tile_columns);
  std::vector<TilePlace> tiles;
  const auto add = [&](std::int64_t row, std::int64_t column) {
    for (std::int64_t r = row * group; r < (row + 1) * group; ++r) {
      if (r * tile_rows >= shape.size) continue;
      const std::int64_t owner = deal.owner(r * tile_rows / shape.strip);
      if (owner != static_cast<std::int64_t>(part)) continue;
      tiles.push_back({static_cast<std::int32_t>(r), static_cast<std::int32_t>(column)});
    }
  };
  if (symmetric) {
    for (std::int64_t t = 0; t < side * (side + 1) / 2; ++t) {
      const Tile tile = triangle_tile(t, side, band);
      add(tile.row, tile.column);
    }
    return tiles;
  }
  for (std::int64_t first = 0; first < side; first += band) {
    for (std::int64_t column = 0; column < side; ++column) {
      for (std::int64_t row = first; row < std::min(side, first + band); ++row) add(row, column);
    }
  }
  return tiles;
}

template <class Stored>
DealtRows<Stored>::DealtRows(const std::vector<DevicePart<Stored>>& parts,
                             const SquareShape& shape,
                             Comm* comm)
    : shape_(shape), deal_{static_cast<std::int64_t>(parts.size()), shape.strips()}, comm_(comm) {
  if (parts.size() == 1) {
    only_ = parts.front().rows;
    members_.push_back({parts.front().device, {}, {}});
    return;
  }
  std::vector<Stored*> all;
  for (std::int64_t strip = 0; strip < shape_.strips(); ++strip) {
    const DevicePart<Stored>& part = parts[static_cast<std::size_t>(deal_.owner(strip))];
    all.push_back(part.rows + deal_.place(strip) * shape_.strip * shape_.stride);
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const DeviceScope scope(parts[p].device);
    std::vector<Stored*> own = all;
    for (std::size_t strip = 0; strip < own.size(); ++strip) {
      if (deal_.owner(static_cast<std::int64_t>(strip)) != static_cast<std::int64_t>(p)) {
        own[strip] = nullptr;
      }
    }
    members_.push_back({parts[p].device,
                        yupana::cuda::uploaded("copy a table", own),
                        yupana::cuda::uploaded("copy a table", all)});
  }
}

template <class Stored>
std::vector<std::size_t> DealtRows<Stored>::own_parts() const {
  if (comm_ != nullptr) return {static_cast<std::size_t>(comm_->rank())};
  std::vector<std::size_t> all(parts());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

template <class Stored>
StripRows<Stored> DealtRows<Stored>::rows_of(const DeviceArray<Stored*>& strips) const {
  StripRows<Stored> rows;
  rows.strips = strips.data();
  rows.base = only_;
  rows.held = {0, shape_.size};
  rows.strip = shape_.strip;
  rows.stride = shape_.stride;
  rows.size = shape_.size;
  return rows;
}

template <class Stored>
StripMemory<Stored>::StripMemory(const std::vector<int>& devices,
                                 const SquareShape& shape,
                                 Comm* comm) {
  const std::size_t count =
      comm != nullptr ? static_cast<std::size_t>(comm->size()) : devices.size();
  const std::int64_t cells =
      divide_up(shape.strips(), static_cast<std::int64_t>(count)) * shape.strip * shape.stride;
  std::vector<DevicePart<Stored>> parts;
  for (const int device : devices) {
    const DeviceScope scope(device);
    memory_.push_back(comm != nullptr ? yupana::cuda::shareable<Stored>(cells)
                                      : DeviceArray<Stored>(cells));
    parts.push_back({device, memory_.back().data()});
  }
  if (comm != nullptr) {
    const DeviceScope scope(devices.front());
    shared_.emplace(*comm, memory_.front().data());
    parts.clear();
    for (std::size_t rank = 0; rank < count; ++rank) {
      parts.push_back({devices.front(), static_cast<Stored*>(shared_->of(rank))});
    }
  }
  rows_.emplace(parts, shape, comm);
}

template <class Stored>
void StripMemory<Stored>::close() {
  if (shared_) shared_->close();
}

template <class Stored>
std::int64_t mirror(const DealtRows<Stored>& rows) {
  std::vector<DeviceArray<unsigned long long>> counts;
  for (std::size_t part = 0; part < rows.parts(); ++part) {
    const DeviceScope scope(rows.device(part));
    counts.push_back(yupana::cuda::uploaded("copy a table", std::vector<unsigned long long>{0}));
    launch_mirror(rows.own(part), rows.all(part), counts.back().data(), nullptr);
  }
  std::int64_t unchanged = 0;
  for (std::size_t part = 0; part < rows.parts(); ++part) {
    const DeviceScope scope(rows.device(part));
    unsigned long long mine = 0;
    check(cudaMemcpy(&mine, counts[part].data(), sizeof(mine), cudaMemcpyDeviceToHost),
          "read a count");
    unchanged += static_cast<std::int64_t>(mine);
  }
  return unchanged;
}

#define YUPANA_STORED(make, name) YUPANA_DISTANCES(make, name) make(name, std::uint16_t)
YUPANA_CLASSES(YUPANA_STORED, DealtRows, StripMemory)
YUPANA_FUNCTIONS(YUPANA_DISTANCES, mirror)

}  // namespace yupana::graph::cuda
