// Error texts made comparable between releases, machines and runs (INTERPRETING.md section 5).
#pragma once

#include <string>
#include <string_view>

namespace cudasem {

/// Drops what CUDA and c10 append (hints, driver log, backtrace) and what other processes occupy, replaces
/// paths, line numbers, addresses, process ids and sizes by `<path>`, `<line>`, `<address>`, `<pid>` and
/// `<size>`, and makes the result `printable`. Takes any bytes. Normalising twice changes nothing.
std::string normalise(std::string_view raw);

/// Valid UTF-8: control bytes other than newline and tab, and bytes that are not UTF-8, become `\x00` (four
/// characters).
std::string printable(std::string_view raw);

/// Valid UTF-8 with as little change as possible: only bytes that are not UTF-8 are escaped, control bytes
/// stay (JSON can hold them). For raw texts on their way into the log.
std::string valid_utf8(std::string_view raw);

}  // namespace cudasem
