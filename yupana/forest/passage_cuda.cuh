#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/table.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/upload_cuda.hpp"

/// Rows from the host through a device and their results back.
namespace yupana::forest::cuda {

/// Rows in flight through one device: while some are copied to it, those that arrived are predicted
/// and the results of those before go to the host.
template <class T, class R, class Run>
class Passage {
 public:
  /// pieces: of a Staging; null: values and results go as they are, and so do values that are
  /// locked. rows: most of one call of send(), which go in parts.
  Passage(Context& context,
          unsigned char* pieces,
          bool is_locked,
          unsigned slots,
          std::int64_t rows,
          std::int64_t part,
          std::int64_t columns,
          std::int64_t width,
          const Run& run)
      : staged_(pieces != nullptr && !is_locked),
        part_(part),
        width_(width),
        run_(run),
        upload_(context, is_locked ? nullptr : pieces),
        download_(context.threads(), pieces) {
    for (unsigned s = 0; s < slots; ++s) {
      slots_.emplace_back(rows * columns, rows * width, divide_up(rows, part));
    }
  }

  ~Passage() {
    // After an error rows may still be in flight.
    for (const auto* stream : {&in_, &main_, &out_}) cudaStreamSynchronize(*stream);
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  /// All threads fill one piece after the other of all parts of `part` rows: between two calls they
  /// would wait for the last piece, and the bus for them.
  void send(TableView<T> table, R* to) {
    Slot& slot = slots_[next_++ % slots_.size()];
    slot.predicted.hold(in_);
    slot.returned.hold(main_);
    const std::int64_t whole = table.rows / part_ * part_;
    send_parts(slot, table, {0, whole}, part_, to);
    if (whole < table.rows) send_parts(slot, table, {whole, table.rows}, table.rows - whole, to);
  }
  void wait() { download_.wait(out_); }

 private:
  /// Parts on the bus before a prediction is queued: what the calls for one take, and the packing
  /// of the trees before the first, passes meanwhile. All of them would keep the trees waiting.
  static constexpr std::int64_t ahead = 4;

  struct Slot {
    Slot(std::int64_t values_, std::int64_t results_, std::int64_t parts)
        : values(values_), results(results_), arrived(static_cast<std::size_t>(parts)) {}
    yupana::cuda::DeviceArray<T> values;  ///< part after part, each column after column
    yupana::cuda::DeviceArray<R> results;
    std::vector<yupana::cuda::Event> arrived;  ///< parts
    yupana::cuda::Event predicted, returned;
  };

  void send_parts(Slot& slot, TableView<T> table, Range rows, std::int64_t part, R* to) {
    const std::int64_t columns = table.columns;
    const auto first = static_cast<std::size_t>(rows.begin / part_);
    const auto has_arrived = [&](std::int64_t p) -> const yupana::cuda::Event& {
      return slot.arrived[first + static_cast<std::size_t>(p)];
    };
    const auto predict = [&](std::int64_t p) {
      has_arrived(p).hold(main_);
      predict_part(slot, columns, rows.begin + p * part, part, to);
    };
    T* const values = slot.values.data() + rows.begin * columns;
    const std::int64_t parts = (rows.end - rows.begin) / part;
    if (staged_) {
      const auto column = [&](std::int64_t c) {
        return table.column(c % columns) + rows.begin + c / columns * part;
      };
      const auto ready = [&](std::int64_t c) {
        if ((c + 1) % columns != 0) return;
        has_arrived(c / columns).record(in_);
        predict(c / columns);
      };
      upload_.columns(values, column, parts * columns, nullptr, part, in_, ready);
      return;
    }
    for (std::int64_t p = 0; p < parts + ahead; ++p) {
      if (p < parts) {
        upload_.context().check_cancelled();
        copy_part(values, table, rows.begin, p, part);
        has_arrived(p).record(in_);
      }
      if (p >= ahead) predict(p - ahead);
    }
  }

  void copy_part(
      T* values, TableView<T> table, std::int64_t begin, std::int64_t p, std::int64_t part) {
    const std::size_t bytes = static_cast<std::size_t>(part) * sizeof(T);
    yupana::cuda::copy_rows(
        "copy rows",
        {values + p * part * table.columns, bytes},
        {table.data + begin + p * part, static_cast<std::size_t>(table.stride) * sizeof(T)},
        bytes,
        table.columns,
        in_);
    upload_.context().count_moved(bytes * static_cast<std::size_t>(table.columns));
  }

  void predict_part(
      Slot& slot, std::int64_t columns, std::int64_t first, std::int64_t rows, R* to) {
    R* const results = slot.results.data() + first * width_;
    run_(slot.values.data() + first * columns, rows, results, main_);
    slot.predicted.record(main_);
    slot.predicted.hold(out_);
    const auto bytes = static_cast<std::size_t>(rows * width_) * sizeof(R);
    download_.copy(to + first * width_, results, bytes, out_);
    slot.returned.record(out_);
    upload_.context().count_moved(bytes);
  }

  bool staged_;
  std::int64_t part_;
  std::int64_t width_;
  const Run& run_;
  Upload upload_;
  Download download_;
  yupana::cuda::Stream in_, main_, out_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;
};

/// Rows that are predicted at a time: many pieces of page-locked memory, and few enough that the
/// last ones, for which the bus waits, are soon done.
inline std::int64_t rows_of_part(std::int64_t row_bytes, bool is_locked) {
  const std::int64_t most = is_locked ? 1 << 17 : 1 << 18;
  return std::clamp<std::int64_t>((std::int64_t{64} << 20) / row_bytes, 1 << 14, most);
}

/// Of values in one slot on a device: threads that fill pieces wait for each other at its end, and
/// page-locked rows are copied by few calls, to blocks that are kept for the next passage.
inline std::int64_t most_slot_bytes(bool is_locked) {
  return std::int64_t{1} << (is_locked ? 27 : 30);
}

}  // namespace yupana::forest::cuda
