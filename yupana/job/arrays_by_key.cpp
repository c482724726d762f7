#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/number_text.hpp"
#include "yupana/job/array_folds.hpp"
#include "yupana/job/arrays.hpp"
#include "yupana/job/run_files.hpp"

namespace yupana::job {
namespace {

/// Numbers folded at a time: part of the results of floats, so that it must not depend on memory.
constexpr std::int64_t fold_chunk = std::int64_t{1} << 18;

/// Numbers and, next to each, the number of its run of equal keys; one run where no keys are.
template <class T>
class KeyedReader {
 public:
  KeyedReader(Context& context, io::ColumnReader& numbers, io::ColumnReader* keys)
      : context_(context),
        numbers_(numbers),
        keys_(keys),
        stage_(context, "read", static_cast<double>(numbers.size().value_or(0)), "numbers"),
        values(fold_chunk),
        run(Array<std::int64_t>::zeros(fold_chunk)) {
    if (keys_ == nullptr) return;
    with_widest_type(keys_->type(), [&](auto zero) { read_keys_of<decltype(zero)>(); });
  }

  /// How many were read; 0 after the last.
  std::int64_t read() {
    context_.check_cancelled();
    done_ += count_;
    count_ = numbers_.read_as(values.data(), fold_chunk);
    if (keys_ != nullptr) check_keys();
    if (count_ == 0) {
      note_comments(context_, numbers_);
      if (keys_ != nullptr) note_comments(context_, *keys_);
    }
    stage_.advance(static_cast<double>(count_));
    return count_;
  }
  std::int64_t done() const { return done_; }  ///< numbers before those

 private:
  template <class K>
  void read_keys_of() {
    const auto chunk = std::make_shared<Array<K>>(fold_chunk);
    key = [chunk](std::int64_t i) {
      std::string text;
      io::append_number(text, (*chunk)[i]);
      return text;
    };
    read_keys_ =
        [this, chunk, before = std::optional<K>(), runs = std::int64_t{0}](std::int64_t n) mutable {
          std::int64_t got = 0;
          for (std::int64_t more = 1; got < n && more > 0; got += more) {
            more = keys_->read_as(chunk->data() + got, n - got);
          }
          for (std::int64_t i = 0; i < got; ++i) {
            runs += !before || !arrays::Equal{}(*before, (*chunk)[i]);
            before = (*chunk)[i];
            run[i] = runs;
          }
          return got;
        };
  }

  void check_keys() {
    // After the last number one key more is looked for.
    const std::int64_t got = read_keys_(std::max<std::int64_t>(count_, 1));
    if (got == count_) return;
    throw bad_file(keys_->path(),
                   "expected a key for each number of {}, got {}{}",
                   numbers_.path(),
                   counted(got < count_ ? done_ + got : done_, "key"),
                   got < count_ ? " alone" : " and more");
  }

  Context& context_;
  io::ColumnReader& numbers_;
  io::ColumnReader* keys_;
  std::function<std::int64_t(std::int64_t)> read_keys_;  ///< up to so many, and numbers their runs
  Stage stage_;
  std::int64_t done_ = 0, count_ = 0;

 public:
  Array<T> values;
  Array<std::int64_t> run;
  std::function<std::string(std::int64_t)> key;  ///< next to a number
};

/// body(folding) with the types of the numbers.
template <class Body>
auto with_types(const FoldFileParams& params, const io::ColumnReader& numbers, const Body& body) {
  return with_widest_type(numbers.type(), [&](auto zero) {
    using T = decltype(zero);
    switch (params.op) {
      case ArrayOperator::sum:
        return body(std::pair<Summing<T>, T>());
      case ArrayOperator::product:
        return body(std::pair<Multiplying<T>, T>());
      case ArrayOperator::min:
        return body(std::pair<Picking<T, arrays::Min>, T>());
      default:
        return body(std::pair<Picking<T, arrays::Max>, T>());
    }
  });
}

/// The keys' file; null: there is none.
std::unique_ptr<io::ColumnReader> open_keys(Context& context,
                                            const FoldFileParams& params,
                                            const io::ColumnReader& numbers,
                                            std::uint64_t item_bytes) {
  const std::int64_t most = std::min(fold_chunk, numbers.size().value_or(fold_chunk));
  check_memory(context, params.in, static_cast<std::uint64_t>(most) * item_bytes);
  return params.by.empty() ? nullptr
                           : open_column(params.by,
                                         params.key_type,
                                         "--key-type",
                                         {.as_f8 = "give --key-type f8",
                                          .as_i8 = "give --key-type i8",
                                          .as_u8 = "give --key-type u8"});
}

template <class Folding, class T>
[[noreturn]] void refuse(const std::string& path, TextType type, const std::string& which) {
  throw bad_file(path,
                 "the {} {} is beyond what {} holds; pass --wrap for {}s modulo 2^64, or {}",
                 Folding::name,
                 which,
                 io::number_type<T>().name(),
                 Folding::name,
                 as_floats(type));
}

/// Counts totals of floats that are infinite or NaN, and notes them.
template <class T>
class NotFiniteTotals {
 public:
  void add(T total) {
    if constexpr (std::is_floating_point_v<T>) count_ += !std::isfinite(total);
  }
  void note(Context& context, const char* command, const char* name) const {
    if (count_ == 0 || std::string_view(name) == "extreme") return;
    context.note(fmt::format(
        "{}: {} infinite or NaN", command, counted(count_, name) + (count_ == 1 ? " is" : " are")));
  }

 private:
  std::int64_t count_ = 0;
};

/// A fold and whether a run begins with it or in it.
template <class Fold>
struct Segment {
  Fold fold;
  bool begins;
};
template <class Fold, class Operator>
struct JoinSegments {
  Segment<Fold> operator()(const Segment<Fold>& a, const Segment<Fold>& b) const {
    if (b.begins) return b;
    return {Operator{}(a.fold, b.fold), a.begins};
  }
};

template <class Folding, class T>
class RunScanner {
  using One = Segment<typename Folding::Fold>;

 public:
  RunScanner(Context& context, const FoldFileParams& params)
      : context_(context), params_(params), segments_(fold_chunk), out_(fold_chunk) {}

  std::int64_t scan(KeyedReader<T>& reader, io::ColumnWriter& writer) {
    while (const std::int64_t n = reader.read()) {
      for (std::int64_t i = 0; i < n; ++i) {
        segments_[i] = {Folding::of(reader.values[i]), reader.run[i] != before_};
        before_ = reader.run[i];
      }
      if (params_.exclusive) put_identities(n);
      using Join = JoinSegments<typename Folding::Fold, typename Folding::Operator>;
      One* const data = segments_.data();
      if (carry_) {
        arrays::inclusive_scan_from(context_, *carry_, data, n, data, Join{});
      } else {
        arrays::inclusive_scan(context_, data, n, data, Join{});
      }
      carry_ = data[n - 1];
      if (params_.exclusive) {
        for (std::int64_t i = 0; i < n; ++i) {
          if (!begins_[i]) out_[i] = total(i > 0 ? data[i - 1] : last_, reader.done() + i);
        }
        last_ = data[n - 1];
      } else {
        for (std::int64_t i = 0; i < n; ++i) out_[i] = total(data[i], reader.done() + i + 1);
      }
      writer.write(out_.data(), n);
    }
    not_finite_.note(context_, "scan", Folding::name);
    return writer.size();
  }

 private:
  /// The identity, where runs begin.
  void put_identities(std::int64_t n) {
    if (begins_.size() == 0) begins_ = Array<bool>(fold_chunk);
    for (std::int64_t i = 0; i < n; ++i) {
      begins_[i] = segments_[i].begins;
      out_[i] = Folding::identity;
    }
  }

  T total(const One& segment, std::int64_t number) {
    if (!params_.wrap && !Folding::holds(segment.fold)) {
      refuse<Folding, T>(params_.in, params_.text_type, fmt::format("up to number {}", number));
    }
    const T value = Folding::value(segment.fold);
    not_finite_.add(value);
    return value;
  }

  Context& context_;
  const FoldFileParams& params_;
  Array<One> segments_;
  Array<T> out_;
  Array<bool> begins_;
  std::int64_t before_ = -1;  ///< the run of the number before
  std::optional<One> carry_;
  One last_{};
  NotFiniteTotals<T> not_finite_;
};

template <class Folding, class T>
class RunReducer {
  using Fold = typename Folding::Fold;

 public:
  RunReducer(Context& context, const FoldFileParams& params) : context_(context), params_(params) {}

  /// Lines of key and total; without keys the total alone.
  ReduceFileResult reduce(KeyedReader<T>& reader, AtomicFile* out) {
    Array<Fold> folds(fold_chunk), totals(fold_chunk);
    Array<std::int64_t> numbers(fold_chunk);
    ReduceFileResult result;
    while (const std::int64_t n = reader.read()) {
      for (std::int64_t i = 0; i < n; ++i) folds[i] = Folding::of(reader.values[i]);
      const std::int64_t runs = arrays::reduce_by_key(context_,
                                                      reader.run.data(),
                                                      folds.data(),
                                                      n,
                                                      numbers.data(),
                                                      totals.data(),
                                                      typename Folding::Operator{});
      result.count = reader.done() + n;
      std::int64_t first = 0;  // number of a run
      for (std::int64_t run = 0; run < runs; ++run) {
        if (open_ && number_ == numbers[run]) {
          open_ = typename Folding::Operator{}(*open_, totals[run]);
          continue;
        }
        if (open_) put(out);
        while (reader.run[first] != numbers[run]) ++first;
        open_ = totals[run];
        number_ = numbers[run];
        if (reader.key) key_ = reader.key(first);
      }
    }
    if (params_.by.empty()) {
      result.value = total(open_ ? *open_ : Folding::of(Folding::identity), "of all numbers");
    } else if (open_) {
      put(out);
    }
    result.runs = runs_;
    if (out != nullptr && !params_.by.empty()) out->write(text_);
    not_finite_.note(context_, "reduce", Folding::name);
    return result;
  }

 private:
  T total(const Fold& fold, const std::string& which) {
    if (!params_.wrap && !Folding::holds(fold))
      refuse<Folding, T>(params_.in, params_.text_type, which);
    const T value = Folding::value(fold);
    not_finite_.add(value);
    return value;
  }

  void put(AtomicFile* out) {
    const T value =
        total(*open_, fmt::format("of run {} (from 1), whose key is {},", runs_ + 1, key_));
    text_ += key_ + (params_.out.ends_with(".csv") ? ',' : '\t');
    io::append_number(text_, value);
    text_ += '\n';
    ++runs_;
    if (text_.size() < (1 << 20)) return;
    out->write(text_);
    text_.clear();
  }

  Context& context_;
  const FoldFileParams& params_;
  std::optional<Fold> open_;  ///< of a run that the next numbers may continue
  std::int64_t number_ = 0;   ///< of that run
  std::string key_;           ///< its first
  std::string text_;
  std::int64_t runs_ = 0;
  NotFiniteTotals<T> not_finite_;
};

}  // namespace

ArrayFileResult scan_runs(Context& context,
                          const FoldFileParams& params,
                          io::ColumnReader& numbers) {
  const auto keys = open_keys(context, params, numbers, 65);
  AtomicFile out(params.out);
  return with_types(params, numbers, [&](auto kinds) {
    using Folding = typename decltype(kinds)::first_type;
    using T = typename decltype(kinds)::second_type;
    io::ColumnWriter writer(out, io::number_type<T>());
    KeyedReader<T> reader(context, numbers, keys.get());
    RunScanner<Folding, T>(context, params).scan(reader, writer);
    writer.finish();
    out.commit();
    return ArrayFileResult{writer.size(), io::number_type<T>().name(), 0};
  });
}

ReduceFileResult reduce_runs(Context& context,
                             const FoldFileParams& params,
                             io::ColumnReader& numbers) {
  const auto keys = open_keys(context, params, numbers, 88);
  const std::string& name = params.out;
  if (!params.by.empty() && (name.empty() || io::is_npy_name(name) || names_no_text(name))) {
    throw usage_error("reduce --by: expected -o FILE.tsv for keys and totals, got '{}'",
                      params.out);
  }
  std::optional<AtomicFile> out;
  if (!params.out.empty()) out.emplace(params.out);
  return with_types(params, numbers, [&](auto kinds) {
    using Folding = typename decltype(kinds)::first_type;
    using T = typename decltype(kinds)::second_type;
    KeyedReader<T> reader(context, numbers, keys.get());
    const ReduceFileResult result =
        RunReducer<Folding, T>(context, params).reduce(reader, out ? &*out : nullptr);
    if (!out) return result;
    if (params.by.empty()) {
      io::ColumnWriter writer(*out, io::number_type<T>());
      const T value = std::get<T>(result.value);
      writer.write(&value, 1);
      writer.finish();
    }
    out->commit();
    return result;
  });
}

}  // namespace yupana::job
