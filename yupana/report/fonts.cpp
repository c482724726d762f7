#include "yupana/report/fonts.hpp"

#include <fontconfig/fontconfig.h>

#include <memory>

namespace yupana::report {
namespace {

/// As fontconfig's own, for where the system has none.
constexpr const char* fallback =
    "<fontconfig><dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir>"
    "<dir prefix=\"xdg\">fonts</dir><cachedir>/var/cache/fontconfig</cachedir>"
    "<cachedir prefix=\"xdg\">fontconfig</cachedir>"
    "<include ignore_missing=\"yes\">/etc/fonts/conf.d</include></fontconfig>";

/// Whether any file of configuration was read: without one, parsing succeeds as well.
bool has_files(FcConfig* config) {
  const std::unique_ptr<FcStrList, decltype(&FcStrListDone)> files(FcConfigGetConfigFiles(config),
                                                                   FcStrListDone);
  return files && FcStrListNext(files.get()) != nullptr;
}

/// A configuration that is there stays as the process has it, with fonts that others added.
bool load_fallback() {
  const std::unique_ptr<FcConfig, decltype(&FcConfigDestroy)> config(FcConfigCreate(),
                                                                     FcConfigDestroy);
  if (!config) return false;
  FcConfigParseAndLoad(config.get(), nullptr, FcFalse);
  if (has_files(config.get())) return false;
  const auto* const text = reinterpret_cast<const FcChar8*>(fallback);
  FcConfigParseAndLoadFromMemory(config.get(), text, FcFalse);
  return FcConfigSetCurrent(config.get()) != FcFalse;  // it keeps a reference
}

}  // namespace

void find_fonts() { [[maybe_unused]] static const bool is_fallback = load_fallback(); }

}  // namespace yupana::report
