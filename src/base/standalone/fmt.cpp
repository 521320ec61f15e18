// SPDX-License-Identifier: Apache-2.0
// What we use of fmt's shared library, for builds that link none (ATOLL_STANDALONE): compiled here from its headers.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace {
[[gnu::used]] std::string (*const keep)(fmt::string_view, fmt::format_args) = &fmt::vformat;
}
