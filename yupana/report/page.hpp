#pragma once

#include <string_view>

/// The files of page/, embedded at build time (cmake/Embed.cmake).
namespace yupana::report::page {

extern const std::string_view head_html;
extern const std::string_view begin_html;
extern const std::string_view scheme_html;
extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view values_js;
extern const std::string_view canvas_js;
extern const std::string_view blend_js;
extern const std::string_view scatter_js;
extern const std::string_view embeddings_js;
extern const std::string_view pointer_js;
extern const std::string_view legend_js;
extern const std::string_view heat_map_js;
extern const std::string_view tree_js;
extern const std::string_view charts_js;
extern const std::string_view export_js;
extern const std::string_view page_js;
extern const std::string_view som_map_html;
extern const std::string_view som_map_js;
extern const std::string_view genes_html;
extern const std::string_view trees_html;

}  // namespace yupana::report::page
