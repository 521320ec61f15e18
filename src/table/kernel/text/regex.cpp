// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/regex.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "atoll/base/validate.hpp"
#include "kernel/text/families.hpp"

namespace atl::table {
namespace {

pcre2_code* code(void* pointer) { return static_cast<pcre2_code*>(pointer); }
pcre2_match_data* match_data(void* pointer) { return static_cast<pcre2_match_data*>(pointer); }

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

Regex::Regex(const std::string& pattern, std::int64_t flags) {
  // Columns of bytes may hold what is no UTF-8, which matches nothing. Patterns are checked: of one that is no UTF-8,
  // PCRE2's compiler would write behind its memory.
  std::uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  if ((flags & ascii) == 0) options |= PCRE2_UCP;
  if ((flags & ignore_case) != 0) options |= PCRE2_CASELESS;
  if ((flags & multi_line) != 0) options |= PCRE2_MULTILINE;
  if ((flags & dot_all) != 0) options |= PCRE2_DOTALL;
  if ((flags & verbose) != 0) options |= PCRE2_EXTENDED;
  int error = 0;
  PCRE2_SIZE place = 0;
  std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options, &error, &place,
                        context.get());
  ATOLL_VALIDATE(code_ != nullptr || error > 0, ValueError, "the pattern is no valid UTF-8 (from byte {} on)", place);
  ATOLL_VALIDATE(code_ != nullptr, ValueError, "the pattern {} is not understood: {} at position {}", pattern,
                 message_of(error), place);
  (void)pcre2_jit_compile(code(code_), PCRE2_JIT_COMPLETE);  // where it cannot, patterns are interpreted
  std::uint32_t groups = 0;
  pcre2_pattern_info(code(code_), PCRE2_INFO_CAPTURECOUNT, &groups);
  groups_ = groups;
}

Regex::~Regex() { pcre2_code_free(code(code_)); }

Regex::Search::Search(const Regex& regex)
    : regex_(regex),
      match_(pcre2_match_data_create_from_pattern(code(regex.code_), nullptr)),
      context_(pcre2_match_context_create(nullptr)),
      stack_(pcre2_jit_stack_create(std::size_t{32} << 10, std::size_t{8} << 20, nullptr)) {
  pcre2_jit_stack_assign(static_cast<pcre2_match_context*>(context_), nullptr, stack_);
}

Regex::Search::~Search() {
  pcre2_jit_stack_free(static_cast<pcre2_jit_stack*>(stack_));
  pcre2_match_context_free(static_cast<pcre2_match_context*>(context_));
  pcre2_match_data_free(match_data(match_));
}

bool Regex::Search::find(std::string_view text, std::size_t begin, bool after_empty) {
  const int found = pcre2_match(code(regex_.code_), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), begin,
                                after_empty ? PCRE2_NOTEMPTY_ATSTART : 0, match_data(match_),
                                static_cast<pcre2_match_context*>(context_));
  if (found == PCRE2_ERROR_NOMATCH) return false;
  ATOLL_VALIDATE(found > 0, ValueError,
                 "the pattern needs too many steps in a string of {} bytes ({}). Say more precisely what repeats in it",
                 text.size(), message_of(found));
  return true;
}

std::pair<std::size_t, std::size_t> Regex::Search::span(std::size_t group) const {
  const PCRE2_SIZE* spans = pcre2_get_ovector_pointer(match_data(match_));
  return {spans[2 * group], spans[2 * group + 1]};
}

std::string_view Regex::Search::group(std::string_view text, std::size_t group) const {
  const auto [begin, end] = span(group);
  return begin == PCRE2_UNSET ? std::string_view() : text.substr(begin, end - begin);
}

void Regex::split(std::string_view text, std::int64_t most, std::vector<std::string_view>& parts) const {
  Search search(*this);
  std::size_t done = 0;
  if (most != 0) {
    search.for_each(text, [&] {
      const auto [begin, end] = search.span(0);
      parts.push_back(text.substr(done, begin - done));
      for (std::size_t group = 1; group <= groups_; ++group) parts.push_back(search.group(text, group));
      done = end;
      return --most != 0;
    });
  }
  parts.push_back(text.substr(done));
}

void Regex::find_all(std::string_view text, bool groups, std::vector<std::string_view>& parts) const {
  Search search(*this);
  search.for_each(text, [&] {
    if (!groups || groups_ == 0) parts.push_back(search.group(text, 0));
    else
      for (std::size_t group = 1; group <= groups_; ++group) parts.push_back(search.group(text, group));
    return true;
  });
}

// -- the family --

namespace {

std::shared_ptr<const Regex> regex_of(const TextCall& call) {
  return std::make_shared<const Regex>(call.texts.at(0), call.numbers.at(0));
}

Measure matches(const TextCall& call) {
  return {array::DType::b1, [regex = regex_of(call)](const TextView& texts, void* values) {
            Regex::Search search(*regex);
            for (std::size_t i = 0; i < texts.count; ++i) static_cast<bool*>(values)[i] = search.find(texts[i], 0);
          }};
}

Measure count_matches(const TextCall& call) {
  return {array::DType::i64, [regex = regex_of(call)](const TextView& texts, void* values) {
            Regex::Search search(*regex);
            for (std::size_t i = 0; i < texts.count; ++i) {
              std::int64_t count = 0;
              search.for_each(texts[i], [&] { return ++count, true; });
              static_cast<std::int64_t*>(values)[i] = count;
            }
          }};
}

/// numbers[1]: the group. Whether it took part in the first match.
Measure has_group(const TextCall& call) {
  return {array::DType::b1, [regex = regex_of(call), group = static_cast<std::size_t>(call.numbers.at(1))](
                                const TextView& texts, void* values) {
            Regex::Search search(*regex);
            for (std::size_t i = 0; i < texts.count; ++i)
              static_cast<bool*>(values)[i] = search.find(texts[i], 0) && search.span(group).first != PCRE2_UNSET;
          }};
}
TextMap extract(const TextCall& call) {
  return {[regex = regex_of(call), group = static_cast<std::size_t>(call.numbers.at(1))](
              const TextView& texts, const char** data, std::int64_t* lengths) {
            Regex::Search search(*regex);
            for (std::size_t i = 0; i < texts.count; ++i) {
              const std::string_view found =
                  search.find(texts[i], 0) ? search.group(texts[i], group) : std::string_view();
              data[i] = found.data() == nullptr ? texts.bytes : found.data();
              lengths[i] = static_cast<std::int64_t>(found.size());
            }
          },
          nullptr};
}

/// texts: the pattern, then pieces of what replaces a match; numbers: flags, how often at most, and behind each piece
/// the group that follows (negative: none).
TextMap replace_matches(const TextCall& call) {
  return {nullptr, [regex = regex_of(call), call](const TextView& texts, TextBuilder& out) {
            Regex::Search search(*regex);
            for (std::size_t i = 0; i < texts.count; ++i) {
              const std::string_view text = texts[i];
              std::size_t done = 0;
              std::int64_t left = call.numbers.at(1);
              if (left != 0) {
                search.for_each(text, [&] {
                  const auto [begin, end] = search.span(0);
                  out.append(text.substr(done, begin - done));
                  for (std::size_t piece = 1; piece < call.texts.size(); ++piece) {
                    out.append(call.texts[piece]);
                    const std::int64_t group = call.numbers.at(piece + 1);
                    if (group >= 0) out.append(search.group(text, static_cast<std::size_t>(group)));
                  }
                  done = end;
                  return --left != 0;
                });
              }
              out.append(text.substr(done));
              out.end();
            }
          }};
}

constexpr std::array measures{
    MeasureEntry{"regex.matches", matches},
    MeasureEntry{"regex.matches.count", count_matches},
    MeasureEntry{"regex.has_group", has_group},
};
constexpr std::array maps{
    TextMapEntry{"regex.extract", extract},
    TextMapEntry{"regex.replace", replace_matches},
};

}  // namespace

std::span<const MeasureEntry> regex_measures() { return measures; }
std::span<const TextMapEntry> regex_maps() { return maps; }

}  // namespace atl::table
