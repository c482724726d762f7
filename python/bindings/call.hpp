#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "yupana/core/context.hpp"

/// How Python calls the library: a context for each call, without the interpreter's lock.
namespace yupana::python {

namespace nb = nanobind;

/// The keywords that every function of the package has.
struct Options {
  std::string device = "auto";
  int threads = 0;
  std::uint64_t memory = 0;
  nb::object progress = nb::none();  ///< callable(stage, done, total, unit, seconds), or None
  /// Where the library of an array on a GPU queues its work; none: not known.
  std::optional<std::uintptr_t> stream;
};

/// Where a function can run: one without a CUDA version takes "auto" for the processor. Work of
/// less than a millisecond is done at once where the processor may do it, or where it is only
/// queued on a GPU: on the calling thread, since to start another takes 50 us, and without a look
/// at signals.
enum class Runs { anywhere, on_the_processor, at_once };

/// body(context) on a thread of its own, while this one waits without the interpreter's lock and
/// polls for signals and progress about twenty times a second. So Ctrl-C, or an exception of the
/// progress callable, cancels the context; it is raised once the body has ended. Notes of the
/// context become Python warnings. The body must not touch Python.
void run_in_context(const Options& options, Runs runs, FunctionView<void(Context&)> body);

template <class Body>
auto call(const Options& options, Runs runs, const Body& body) {
  using Result = std::invoke_result_t<Body, Context&>;
  if constexpr (std::is_void_v<Result>) {
    run_in_context(options, runs, FunctionView<void(Context&)>(body));
  } else {
    std::optional<Result> result;
    const auto keep = [&](Context& context) { result.emplace(body(context)); };
    run_in_context(options, runs, FunctionView<void(Context&)>(keep));
    return Result(std::move(*result));
  }
}
template <class Body>
auto call(const Options& options, const Body& body) {
  return call(options, Runs::anywhere, body);
}

/// Names of a function's arguments, between blanks: "_" is none, and an argument whose name ends
/// with
/// "?" may be None.
template <std::size_t size>
struct Arguments {
  char text[size];

  consteval Arguments(const char (&names)[size]) { std::copy_n(names, size, text); }
  constexpr std::size_t count() const { return 1 + std::ranges::count(text, ' '); }
  constexpr std::string_view operator[](std::size_t i) const {
    std::string_view rest(text);
    for (; i > 0; --i) rest.remove_prefix(rest.find(' ') + 1);
    return rest.substr(0, rest.find(' '));
  }
};

template <Arguments arguments, std::size_t i>
auto argument() {
  constexpr bool or_none = arguments[i].ends_with('?');
  static const std::string name(arguments[i].substr(0, arguments[i].size() - or_none));
  const char* const own = name == "_" ? nullptr : name.c_str();
  if constexpr (or_none) {
    return nb::arg(own).none();
  } else {
    return nb::arg(own);
  }
}

/// Defines a function with the names of its arguments.
template <Arguments arguments, class Scope, class Function>
void def(Scope& scope, const char* name, Function&& function) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    scope.def(name, std::forward<Function>(function), argument<arguments, i>()...);
  }
  (std::make_index_sequence<arguments.count()>());
}

/// Each family's file binds itself.
void bind_call(nb::module_& module);
void bind_arrays(nb::module_& module);
void bind_genotype(nb::module_& module);
void bind_graph(nb::module_& module);
void bind_splice(nb::module_& module);
void bind_som(nb::module_& module);
void bind_forest(nb::module_& module);
void bind_spectral(nb::module_& module);
void bind_geometry(nb::module_& module);
void bind_sparse(nb::module_& module);
void bind_analysis(nb::module_& module);
void bind_device(nb::module_& module);
void bind_report(nb::module_& module);

}  // namespace yupana::python
