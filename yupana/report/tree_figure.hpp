#pragma once

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {

/// A tree as a dendrogram: its root on the left, individuals in rows on the right. Of more than 120
/// individuals the lowest joins are drawn as one row each, so that a page holds it.
double tree_height(const Tree& tree);
void draw_tree(Pen& pen, const Box& box, const Report& report, const Tree& tree);

}  // namespace yupana::report
