// SPDX-License-Identifier: Apache-2.0
// Lines of a width, as Python's textwrap breaks them.
#include <algorithm>
#include <array>
#include <memory>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/regex.hpp"
#include "kernel/text/unicode.hpp"

namespace atl::table {
namespace {

/// Bits of `Wrapping::options`, by the names of TextWrapper's.
enum Options : std::int64_t {
  expand_tabs = 1,
  replace_whitespace = 2,
  drop_whitespace = 4,
  break_long_words = 8,
  break_on_hyphens = 16
};

struct Wrapping {
  std::shared_ptr<const Regex> separator;
  std::string initial, subsequent;
  std::int64_t width, options, tab_size;

  bool has(Options option) const { return (options & option) != 0; }
};

std::int64_t length_of(std::string_view text) { return static_cast<std::int64_t>(count_points(text)); }

bool is_blank(std::string_view text) {
  for (const char* at = text.data(); at < text.data() + text.size();)
    if (!is_space(next_point(at))) return false;
  return true;
}

/// The string with blanks for tabs and for other white space, as far as that is wanted.
std::string prepared(std::string_view text, const Wrapping& how) {
  std::string result;
  std::int64_t column = 0;
  for (char byte : text) {
    if (byte == '\t' && how.has(expand_tabs)) {
      const std::int64_t blanks = how.tab_size > 0 ? how.tab_size - column % how.tab_size : 0;
      result.append(static_cast<std::size_t>(blanks), ' ');
      column += blanks;
      continue;
    }
    if (byte == '\n' || byte == '\r') column = 0;
    else if (is_lead(byte)) ++column;
    const bool white = byte == '\t' || byte == '\n' || byte == '\v' || byte == '\f' || byte == '\r';
    result.push_back(white && how.has(replace_whitespace) ? ' ' : byte);
  }
  return result;
}

/// How many code points of a word that is too long go into the rest of a line: up to a hyphen, if there is one.
std::int64_t break_of(std::string_view word, std::int64_t room, const Wrapping& how) {
  if (!how.has(break_on_hyphens)) return room;
  std::int64_t place = 0, hyphen = -1, first_other = -1;
  for (const char* at = word.data(); at < word.data() + word.size() && place < room; ++place) {
    if (next_point(at) == '-') hyphen = place;
    else if (first_other < 0) first_other = place;
  }
  return hyphen > 0 && first_other >= 0 && first_other < hyphen ? hyphen + 1 : room;
}

/// Appends the lines of a string, with '\n' between them.
void wrap(std::string_view original, const Wrapping& how, TextBuilder& out) {
  const std::string text = prepared(original, how);
  std::vector<std::string_view> chunks;
  how.separator->split(text, -1, chunks);
  std::erase_if(chunks, [](std::string_view chunk) { return chunk.empty(); });
  std::reverse(chunks.begin(), chunks.end());  // the next one is the last
  std::vector<std::string_view> line;
  bool any = false;
  while (!chunks.empty()) {
    const std::string& indent = any ? how.subsequent : how.initial;
    const std::int64_t width = how.width - length_of(indent);
    if (how.has(drop_whitespace) && any && is_blank(chunks.back())) chunks.pop_back();
    line.clear();
    std::int64_t used = 0;
    while (!chunks.empty() && used + length_of(chunks.back()) <= width) {
      used += length_of(chunks.back());
      line.push_back(chunks.back());
      chunks.pop_back();
    }
    if (!chunks.empty() && length_of(chunks.back()) > width) {
      if (how.has(break_long_words)) {
        std::string_view& word = chunks.back();
        const std::int64_t room = width - used;
        const std::size_t end =
            place_of_point(word, static_cast<std::size_t>(length_of(word) > room ? break_of(word, room, how) : room));
        line.push_back(word.substr(0, end));
        word.remove_prefix(end);
      } else if (line.empty()) {
        line.push_back(chunks.back());
        chunks.pop_back();
      }
    }
    if (how.has(drop_whitespace) && !line.empty() && is_blank(line.back())) line.pop_back();
    if (line.empty()) continue;
    if (any) out.append('\n');
    out.append(any ? how.subsequent : how.initial);
    for (std::string_view part : line) out.append(part);
    any = true;
  }
}

/// texts: the pattern of what separates words, indents; numbers: the pattern's flags, width, options, size of tabs.
TextMap wrap_each(const TextCall& call) {
  const Wrapping how{std::make_shared<const Regex>(call.texts.at(0), call.numbers.at(0)),
                     call.texts.at(1),
                     call.texts.at(2),
                     call.numbers.at(1),
                     call.numbers.at(2),
                     call.numbers.at(3)};
  ATOLL_VALIDATE(how.width > 0, ValueError, "invalid width {} (must be > 0)", how.width);
  const std::int64_t indent = std::max(length_of(how.initial), length_of(how.subsequent));
  // Python's loop may not end there.
  ATOLL_VALIDATE(indent < how.width, ValueError, "an indent of {} characters leaves no room in a line of {}", indent,
                 how.width);
  return {nullptr, [how](const TextView& texts, TextBuilder& out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              wrap(texts[i], how, out);
              out.end();
            }
          }};
}

constexpr std::array maps{TextMapEntry{"wrap", wrap_each}};

}  // namespace

std::span<const TextMapEntry> wrapping_maps() { return maps; }

}  // namespace atl::table
