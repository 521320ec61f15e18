// SPDX-License-Identifier: Apache-2.0
#include "kernel/date/format.hpp"

#include <utility>

#include "atoll/base/validate.hpp"

namespace atl::table {
namespace {

/// What stands for several.
constexpr std::pair<char, std::string_view> shorthands[] = {
    {'F', "%Y-%m-%d"},
    {'T', "%H:%M:%S"},
    {'R', "%H:%M"},
    {'D', "%m/%d/%y"},
    {'x', "%m/%d/%y"},
    {'X', "%H:%M:%S"},
    {'c', "%a %b %e %H:%M:%S %Y"},
    {'r', "%I:%M:%S %p"},
};

void append_text(std::vector<FormatPiece>& pieces, char byte) {
  if (pieces.empty() || pieces.back().letter != 0) pieces.emplace_back();
  pieces.back().text += byte;
}

}  // namespace

std::vector<FormatPiece> take_apart(std::string_view format, std::string_view known) {
  std::vector<FormatPiece> pieces;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      append_text(pieces, format[i]);
      continue;
    }
    FormatPiece piece;
    for (++i; i < format.size(); ++i) {
      if (format[i] == '-') piece.bare = true;
      else if (format[i] == ':') piece.colon = true;
      else if (format[i] >= '1' && format[i] <= '9') piece.digits = format[i] - '0';
      else break;
    }
    ATOLL_VALIDATE(i < format.size(), ValueError, "stray % in format '{}'", format);
    piece.letter = format[i];
    if (piece.letter == '%' || piece.letter == 'n' || piece.letter == 't') {
      append_text(pieces, piece.letter == '%' ? '%' : piece.letter == 'n' ? '\n' : '\t');
      continue;
    }
    if (piece.letter == 'h') piece.letter = 'b';
    bool shorthand = false;
    for (const auto& [letter, meaning] : shorthands) {
      if (letter != piece.letter) continue;
      shorthand = true;
      for (FormatPiece& part : take_apart(meaning, known)) {
        if (part.letter != 0) pieces.push_back(std::move(part));
        else
          for (char byte : part.text) append_text(pieces, byte);
      }
    }
    if (shorthand) continue;
    ATOLL_VALIDATE(known.find(piece.letter) != std::string_view::npos, ValueError,
                   "'{}' is a bad directive in format '{}'", piece.letter, format);
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace atl::table
