// SPDX-License-Identifier: Apache-2.0
// What we use of fmt's shared library, for builds that link none (ATOLL_STANDALONE): compiled here from its headers.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace {
[[gnu::used]] std::string (*const keep)(fmt::string_view, fmt::format_args) = &fmt::vformat;
[[gnu::used]] fmt::detail::thousands_sep_result<char> (*const keep_separator)(fmt::detail::locale_ref) =
    &fmt::detail::thousands_sep_impl<char>;
[[gnu::used]] bool (*const keep_printable)(std::uint32_t) = &fmt::detail::is_printable;
[[gnu::used]] void (*const keep_error)(const char*) = &fmt::detail::throw_format_error;
}  // namespace
