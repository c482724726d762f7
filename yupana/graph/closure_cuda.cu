#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/closure_cuda.hpp"

namespace yupana::graph::cuda {

using namespace yupana::cuda;

namespace {

template <class Kind>
inline constexpr bool packed = std::is_same_v<Kind, Packed16>;
// Panels are made in the arithmetic of their values.
template <class Kind>
using PanelKind = std::conditional_t<packed<Kind>, Int32, Kind>;

template <class Word, class Value>
const Word* as_words(const Value* values) {
  return reinterpret_cast<const Word*>(values);
}

}  // namespace

template <class Kind>
struct Closure<Kind>::Member {
  std::size_t index = 0;
  Stream side;  ///< strips and panels: the chain that everything waits for
  Stream main;
  Event updated, shared, ready;
  Event done[ring];
  Value* raw[2] = {};                            ///< by side: the strip before it is closed
  Value* panels[2][2] = {};                      ///< by parity of the step and side
  Value* squares[2] = {};                        ///< the strip's square, step by step
  Value* turned = nullptr;                       ///< transposed
  std::uint32_t *twice[2] = {}, *pairs[2] = {};  ///< by parity: the panel packed
  DeviceArray<std::byte> memory;                 ///< of all these
  DeviceArray<TilePlace> tiles;
  DeviceArray<std::int64_t> vertex;

  /// Places all of it one behind the other from `base` on; returns where it ends.
  std::uintptr_t place(std::uintptr_t base, const SquareShape& shape, std::int64_t sides);
};

template <class Kind>
std::uintptr_t Closure<Kind>::Member::place(std::uintptr_t base,
                                            const SquareShape& shape,
                                            std::int64_t sides) {
  const auto take = [&](auto*& array, std::int64_t size) {
    array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(base);
    base += static_cast<std::uintptr_t>(
        round_up(size * static_cast<std::int64_t>(sizeof(*array)), 256));
  };
  const std::int64_t cells = shape.strip * shape.padded_width();
  for (std::int64_t side = 0; side < sides; ++side) {
    take(raw[side], cells);
    for (auto& panel : panels) take(panel[side], cells);
  }
  for (auto& square : squares) take(square, shape.strip * shape.strip);
  take(turned, shape.strip * shape.strip);
  if (packed<Kind>) {
    for (auto& operand : twice) take(operand, cells);
    for (auto& operand : pairs) take(operand, cells / 2);
  }
  return base;
}

template <class Kind>
std::uint64_t closure_bytes(const SquareShape& shape, bool symmetric) {
  const auto cells = static_cast<std::uint64_t>(shape.strip * shape.padded_width());
  const std::uint64_t sides = symmetric ? 1 : 2;
  const std::uint64_t tiles = static_cast<std::uint64_t>(divide_up(shape.size, 128));
  return cells * (3 * sides * sizeof(typename Kind::Value) + (packed<Kind> ? 12 : 0)) +
         tiles * tiles * sizeof(TilePlace) + (std::uint64_t{1} << 22);
}

template <class Kind>
Closure<Kind>::Closure(const DealtRows<Stored>& rows, ClosurePlan plan)
    : rows_(rows), shape_(rows.shape()), plan_(plan) {
  for (std::size_t index = 0; index < rows.parts(); ++index) {
    const DeviceScope scope(rows.device(index));
    members_.emplace_back().index = index;
  }
  each([&](Member& member) {
    member.side = Stream::urgent();
    // One allocation: with several devices each of them is mapped into all.
    const std::uintptr_t bytes = member.place(0, shape_, side_count());
    member.memory = yupana::cuda::shareable<std::byte>(static_cast<std::int64_t>(bytes));
    member.place(reinterpret_cast<std::uintptr_t>(member.memory.data()), shape_, side_count());
    member.vertex = yupana::cuda::uploaded("copy a table", std::vector<std::int64_t>{-1});
    const std::int64_t rows_of_tile = tile_rows<Kind>(plan_.tiles);
    const std::int64_t columns_of_tile = tile_columns<Kind>(plan_.tiles);
    member.tiles = yupana::cuda::uploaded(
        "copy a table",
        tiles_of_part(
            shape_, rows_.deal(), member.index, rows_of_tile, columns_of_tile, plan_.symmetric));
  });
  if (rows.comm() != nullptr) map_ranks();
}

// What the other ranks' devices write to and wait for.
template <class Kind>
void Closure<Kind>::map_ranks() {
  Comm& comm = *rows_.comm();
  each([&](Member& own) {
    shared_.emplace(comm, own.memory.data());
    own.updated = Event::interprocess();
    own.shared = Event::interprocess();
    auto updated = yupana::cuda::events_of_ranks(comm, own.updated);
    auto shared = yupana::cuda::events_of_ranks(comm, own.shared);
    for (Member& other : members_) {
      if (&other == &own) continue;
      other.place(reinterpret_cast<std::uintptr_t>(shared_->of(other.index)), shape_, side_count());
      other.updated = std::move(updated[other.index]);
      other.shared = std::move(shared[other.index]);
    }
  });
}

// An event of another rank can be waited for once that rank has recorded it, and recorded again
// once all have queued their waits.
template <class Kind>
void Closure<Kind>::meet() {
  if (rows_.comm() != nullptr) rows_.comm()->barrier();
}

template <class Kind>
void Closure<Kind>::wait_for_others(Member& member, Event Member::*event) {
  for (Member& other : members_) {
    if (&other != &member) (other.*event).hold(member.side);
  }
}

template <class Kind>
Closure<Kind>::~Closure() {
  for (Member& member : members_) {
    cudaStreamSynchronize(member.side);
    cudaStreamSynchronize(member.main);
  }
}

template <class Kind>
template <class Body>
void Closure<Kind>::each(const Body& body) {
  for (const std::size_t index : rows_.own_parts()) {
    const DeviceScope scope(rows_.device(index));
    body(members_[index]);
  }
}

template <class Kind>
Side Closure<Kind>::side_of(std::int64_t side) const {
  if (plan_.symmetric) return Side::mirrored;
  return side == 0 ? Side::rows : Side::columns;
}

// The columns of the panel that a device makes.
template <class Kind>
Range Closure<Kind>::slice(std::size_t part) const {
  const std::int64_t strips = shape_.strips();
  const auto devices = static_cast<std::int64_t>(rows_.parts());
  const auto index = static_cast<std::int64_t>(part);
  const std::int64_t end = (index + 1) * strips / devices * shape_.strip;
  return {index * strips / devices * shape_.strip,
          index + 1 == devices ? shape_.padded_width() : end};
}

// W_ij <- min(W_ij, P_i' P_j) with the panels of `step`; the caller says which tiles.
template <class Kind>
MinPlusTask<Kind> Closure<Kind>::update(Member& member, std::int64_t step) {
  MinPlusTask<Kind> task;
  const auto parity = static_cast<std::size_t>(step % 2);
  const std::int64_t width = shape_.padded_width();
  if constexpr (packed<Kind>) {
    task.left = member.twice[parity];
    task.right = member.pairs[parity];
    task.right_stride = static_cast<int>(width / 2);
  } else {
    const auto& panels = member.panels[parity];
    task.left = as_words<Operand>(panels[plan_.symmetric ? 0 : 1]);
    task.right = as_words<Operand>(panels[0]);
    task.right_stride = static_cast<int>(width);
  }
  task.left_stride = static_cast<int>(width);
  task.depth = static_cast<int>(
      std::min(shape_.strip, round_up(shape_.size - step * shape_.strip, depth_unit)));
  const StripRows<Stored> own = rows_.own(member.index);
  task.strips = own.strips;
  task.c = own.base;
  task.strip = static_cast<int>(shape_.strip);
  task.stride = shape_.stride;
  task.rows = task.columns = shape_.padded ? width : shape_.size;
  task.lower = plan_.symmetric;
  return task;
}

// The tiles of strip `step` with the panels of the step before.
template <class Kind>
void Closure<Kind>::update_next_strip(Member& member, std::int64_t step) {
  MinPlusTask<Kind> task = update(member, step - 1);
  const Range strip = {step * shape_.strip, std::min(shape_.size, (step + 1) * shape_.strip)};
  const Range whole = {0, shape_.size};
  task.areas[0] = {strip, plan_.symmetric ? Range{0, strip.end} : whole};
  task.areas[1] = {plan_.symmetric ? Range{strip.end, shape_.size} : whole, strip};
  task.skipped = {strip.begin - shape_.strip, strip.begin};
  launch_min_plus(task, plan_.strip_tiles, member.side);
}

template <class Kind>
void Closure<Kind>::close_square(Member& member, std::int64_t step) {
  const std::int64_t first = step * shape_.strip;
  const Value* from = member.raw[0] + first;
  std::int64_t from_stride = shape_.padded_width();
  if (rows_.parts() > 1) {  // the slice of this device need not hold the square
    launch_gather(rows_.all(member.index),
                  side_of(0),
                  first,
                  {first, first + shape_.strip},
                  no_edge<Kind>(),
                  member.squares[0],
                  shape_.strip,
                  member.side);
    from = member.squares[0];
    from_stride = shape_.strip;
  }
  // An even number of tiles: the last step writes squares[0].
  const std::int64_t tiles = shape_.strip / square_tile;
  for (std::int64_t pivot = 0; pivot < tiles; ++pivot) {
    Value* const to = member.squares[(pivot + 1) % 2];
    launch_square_step<PanelKind<Kind>>(
        from, from_stride, to, tiles, pivot, first, member.vertex.data(), member.side);
    from = to;
    from_stride = shape_.strip;
  }
  if (!plan_.symmetric) {
    launch_transpose(member.squares[0], member.turned, shape_.strip, member.side);
  }
}

// A device's slice of the panels: P = D W_K, and of the columns' side P' = D' W_K'. Inside the
// square the panels are not used.
template <class Kind>
void Closure<Kind>::make_panel(Member& member, std::int64_t step) {
  const std::int64_t width = shape_.padded_width();
  const Range columns = slice(member.index);
  for (std::int64_t side = 0; side < side_count(); ++side) {
    launch_gather(rows_.all(member.index),
                  side_of(side),
                  step * shape_.strip,
                  columns,
                  no_edge<Kind>(),
                  member.raw[side] + columns.begin,
                  width,
                  member.side);
  }
  close_square(member, step);
  for (std::int64_t side = 0; side < side_count(); ++side) {
    using Panel = PanelKind<Kind>;
    MinPlusTask<Panel> task;
    const bool turned = !plan_.symmetric && side == 0;
    task.left = as_words<typename Panel::Word>(turned ? member.turned : member.squares[0]);
    task.left_stride = static_cast<int>(shape_.strip);
    task.right = as_words<typename Panel::Word>(member.raw[side]);
    task.right_stride = static_cast<int>(width);
    task.depth = static_cast<int>(shape_.strip);
    task.c = member.panels[step % 2][side];
    task.stride = width;
    task.rows = shape_.strip;
    task.columns = width;
    task.assign = true;
    task.areas[0] = {{0, shape_.strip}, columns};
    launch_min_plus(task, plan_.strip_tiles, member.side);
  }
}

template <class Kind>
void Closure<Kind>::share_panel(Member& member, std::int64_t step) {
  const std::int64_t width = shape_.padded_width();
  const Range columns = slice(member.index);
  for (Member& other : members_) {
    if (other.index == member.index || columns.size() == 0) continue;
    for (std::int64_t side = 0; side < side_count(); ++side) {
      const std::size_t pitch = static_cast<std::size_t>(width) * sizeof(Value);
      copy_rows("send a panel",
                {other.panels[step % 2][side] + columns.begin, pitch},
                {member.panels[step % 2][side] + columns.begin, pitch},
                static_cast<std::size_t>(columns.size()) * sizeof(Value),
                shape_.strip,
                member.side);
    }
  }
}

// The panels become operands, and the matrix's new strip.
template <class Kind>
void Closure<Kind>::finish_panel(Member& member, std::int64_t step) {
  const std::int64_t first = step * shape_.strip;
  const std::int64_t width = shape_.padded_width();
  auto& panels = member.panels[step % 2];
  if constexpr (packed<Kind>) {
    launch_pack(panels[0],
                shape_.strip * width,
                member.twice[step % 2],
                member.pairs[step % 2],
                member.side);
  }
  member.ready.record(member.side);
  for (std::int64_t side = 0; side < side_count(); ++side) {
    launch_scatter(panels[side],
                   width,
                   member.squares[0],
                   shape_.strip,
                   side_of(side),
                   first,
                   rows_.own(member.index),
                   member.side);
  }
}

// All tiles but those of this strip, which is the panel, and of the next, which is up to date.
template <class Kind>
void Closure<Kind>::update_rest(Member& member, std::int64_t step) {
  MinPlusTask<Kind> task = update(member, step);
  task.tiles = member.tiles.data();
  task.count = member.tiles.size();
  task.skipped = {step * shape_.strip, (step + 2) * shape_.strip};
  if (task.count == 0) return;
  launch_min_plus(task, plan_.tiles, member.main);
}

template <class Kind>
std::int64_t Closure<Kind>::run(Stage& stage) {
  const std::int64_t steps = shape_.strips();
  const auto size = static_cast<double>(shape_.size);
  const double work = size * size * size * (plan_.symmetric ? 0.5 : 1.0);
  const double share =
      static_cast<double>(rows_.own_parts().size()) / static_cast<double>(rows_.parts());
  // Work queued ahead of the host, of which a cancelled run waits for the end: four steps of 7 ms
  // at n = 30,000 on an H200, one of 0.3 s at 186,000.
  const std::int64_t ahead = shape_.size > 50'000 ? 1 : ring;
  for (std::int64_t step = 0; step < steps; ++step) {
    each([&](Member& member) {
      if (step >= ahead) member.done[(step - ahead) % ring].wait();
      if (step >= 2) member.done[(step - 2) % ring].hold(member.side);
      if (step >= 1) update_next_strip(member, step);
      member.updated.record(member.side);
    });
    meet();
    // The strip is up to date everywhere, and nobody reads the panels of two steps ago any more.
    each([&](Member& member) {
      wait_for_others(member, &Member::updated);
      make_panel(member, step);
      share_panel(member, step);
      member.shared.record(member.side);
    });
    meet();
    each([&](Member& member) {
      wait_for_others(member, &Member::shared);
      finish_panel(member, step);
      member.ready.hold(member.main);
      update_rest(member, step);
      member.done[step % ring].record(member.main);
    });
    stage.advance(work / static_cast<double>(steps) * share);
  }
  std::int64_t found = -1;
  each([&](Member& member) {
    member.side.wait();
    member.main.wait();
    if (found >= 0) return;
    check(cudaMemcpy(&found, member.vertex.data(), sizeof(found), cudaMemcpyDeviceToHost),
          "read a vertex");
  });
  if (shared_) shared_->close();
  return found;
}

YUPANA_FUNCTIONS(YUPANA_KINDS, closure_bytes)
YUPANA_CLASSES(YUPANA_KINDS, Closure)

}  // namespace yupana::graph::cuda
