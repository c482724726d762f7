#pragma once

namespace yupana::report {

/// Before the first letter is drawn: where the system has no configuration of fonts, the usual
/// folders take its place without a word. fontconfig itself would print an error.
void find_fonts();

}  // namespace yupana::report
