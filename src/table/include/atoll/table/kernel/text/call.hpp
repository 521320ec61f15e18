// SPDX-License-Identifier: Apache-2.0
// Operations on each string by itself, by name: what they need, and what they give for a piece of a column.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/table/kernel/text/builder.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// A name with its arguments; what these mean is up to the operation.
struct TextCall {
  std::string name;
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers;

  template <class Archive>
  void fields(Archive& archive) {
    archive(name, texts, numbers);
  }
};

/// Strings to values of a type: writes one for each string. Called by several threads at once.
struct Measure {
  array::DType type;
  std::function<void(const TextView& texts, void* values)> run;
};

/// Strings to texts: either parts of them (or of the operation itself), or new ones. Called by several threads at once.
struct TextMap {
  std::function<void(const TextView& texts, const char** data, std::int64_t* lengths)> cut;
  std::function<void(const TextView& texts, TextBuilder& out)> build;
};

/// A family's operations: name and maker.
struct MeasureEntry {
  std::string_view name;
  Measure (*make)(const TextCall& call);
};
struct TextMapEntry {
  std::string_view name;
  TextMap (*make)(const TextCall& call);
};

/// Throws ValueError for a name that no family has, and what the operation's arguments make it throw.
Measure make_measure(const TextCall& call);
TextMap make_text_map(const TextCall& call);

}  // namespace atl::table
