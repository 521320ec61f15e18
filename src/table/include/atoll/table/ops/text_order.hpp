// SPDX-License-Identifier: Apache-2.0
// Strings in order, and by number.
#pragma once

#include <vector>

#include "atoll/table/kernel/text/encode.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// The stable order of the strings, int64: by bytes, which is by code points, a string before those that begin with it.
///
/// Many strings are dealt into buckets with their first bytes, by all PEs of one node, and buckets are sorted in a
/// cache. On several nodes, of few strings, and where too many begin alike, the first eight bytes that are not common
/// to all are sorted as numbers. Only rows that tie are looked at again: where a run of them lies on one PE, by that
/// PE, with each text read where it is; a run across PEs is a smaller sort of its own, behind what its strings have in
/// common. Collective.
Array text_argsort(Engine& engine, Text text);

/// The strings in that order.
Text text_sort(Engine& engine, Text text);

/// Strings by number.
struct Numbering {
  Array numbers;  ///< int64: for each row, which of the distinct strings it is; null when they are not wanted
  Array first;  ///< int64: the first row of each distinct text
  Text distinct;  ///< ascending
};
template <class F>
void for_each_array(const Numbering& numbering, F&& visit) {
  visit(numbering.numbers);
  visit(numbering.first);
  for_each_array(numbering.distinct, visit);
}
/// The distinct strings, and which each row has. Where strings repeat, each PE numbers its own by a hash table first
/// (strings are compared, a hash alone decides nothing), and distinct ones are sorted. Collective.
Numbering text_number(Engine& engine, Text text, Numbers wanted);

}  // namespace atl::table
