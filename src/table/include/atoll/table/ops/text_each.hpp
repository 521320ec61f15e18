// SPDX-License-Identifier: Apache-2.0
// Operations on each string by itself, without communication.
#pragma once

#include "atoll/table/kernel/text/call.hpp"
#include "atoll/table/kernel/text/compare.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// The strings' values, an array of the operation's type.
Array text_measure(Engine& engine, Text text, TextCall call);
/// The strings that the operation makes of them.
Text text_map(Engine& engine, Text text, TextCall call);
/// What the call splits each string into (kernel/text/split.hpp): how many parts each row has, int64, and all parts.
struct Parts {
  Array counts;
  Text parts;
};
template <class F>
void for_each_array(const Parts& parts, F&& visit) {
  visit(parts.counts);
  for_each_array(parts.parts, visit);
}
Parts text_parts(Engine& engine, Text text, TextCall call);
/// Row by row the columns' strings, one behind the other, with `separator` between them; all of one length.
Text text_join(Engine& engine, std::vector<Text> columns, std::string separator);
/// Each string as often as `counts` (int64) says; none where it is negative.
Text text_repeat(Engine& engine, Text text, Array counts);
/// Numbers as Python writes them.
Text text_of_numbers(Engine& engine, Array values);
/// Two hashes of 64 bits each, the same on every machine: uint64.
std::vector<Array> text_hash(Engine& engine, Text text);
/// Two columns of one length, row by row.
Array text_compare(Engine& engine, Text a, Text b, Comparison comparison);

}  // namespace atl::table
