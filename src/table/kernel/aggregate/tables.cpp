// SPDX-License-Identifier: Apache-2.0
#include "kernel/aggregate/tables.hpp"

#include <algorithm>
#include <cstring>

namespace atl::table {

RowWords::RowWords(std::span<const StateSpec> specs) {
  for (const StateSpec& spec : specs) {
    if (spec.needs_column() && std::find(columns.begin(), columns.end(), spec.column) == columns.end())
      columns.push_back(spec.column);
    row_number = row_number || spec.needs_rows();
  }
  std::sort(columns.begin(), columns.end());
  for (const StateSpec& spec : specs) {
    const auto at = std::find(columns.begin(), columns.end(), spec.column);
    place.push_back(spec.needs_column() ? static_cast<std::uint32_t>(at - columns.begin()) : 0);
  }
}

StateTables::StateTables(Memory& memory, std::span<const StateSpec> specs, std::size_t capacity)
    : specs_(specs), capacity_(capacity), rests_(specs.size()) {
  for (const StateSpec& spec : specs) tables_.emplace_back(memory, capacity * spec.bytes());
}

void StateTables::clear(std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    clear_states(specs_[i], tables_[i].data() + begin * specs_[i].bytes(), end - begin);
}

void StateTables::update(const RowWords& layout, const std::uint32_t* codes, const std::uint64_t* const* words,
                         std::size_t n, std::int64_t first_row) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const std::uint64_t* column = specs_[i].needs_column() ? words[layout.place[i]] : nullptr;
    update_states(specs_[i], tables_[i].data(), codes, column, n, first_row, rests_[i]);
  }
}

void StateTables::update_moved(const RowWords& layout, const std::uint32_t* codes, const std::uint64_t* const* words,
                               std::size_t n) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].needs_rows()) {
      join_states(specs_[i], tables_[i].data(), codes, words[layout.columns.size()], n);
    } else {
      const std::uint64_t* column = specs_[i].needs_column() ? words[layout.place[i]] : nullptr;
      update_states(specs_[i], tables_[i].data(), codes, column, n, 0, rests_[i]);
    }
  }
}

void StateTables::join(const StateTables& other, const std::uint32_t* codes, std::size_t n) {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    join_states(specs_[i], tables_[i].data(), codes, other.tables_[i].data(), n);
}

bool StateTables::present(std::size_t presence, std::size_t code) const {
  const std::byte* table = tables_[presence].data();
  if (specs_[presence].is_sum()) return reinterpret_cast<const ExactSum*>(table)[code].rows != 0;
  return reinterpret_cast<const std::uint64_t*>(table)[code] != 0;
}

void StateTables::copy_to(std::vector<Buffer<std::byte>>& out, std::size_t at,
                          std::span<const std::uint32_t> codes) const {
  auto copy = [&]<class State>(std::size_t i, State*) {
    State* to = reinterpret_cast<State*>(out[i].data()) + at;
    const State* from = reinterpret_cast<const State*>(tables_[i].data());
    for (const std::uint32_t code : codes) *to++ = from[code];
  };
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].is_sum()) copy(i, static_cast<ExactSum*>(nullptr));
    else copy(i, static_cast<std::uint64_t*>(nullptr));
  }
}

Aggregated make_aggregated(Memory& memory, std::span<const StateSpec> specs, std::size_t count) {
  Aggregated made;
  made.count = count;
  made.keys = Buffer<std::uint64_t>(memory, count);
  for (const StateSpec& spec : specs) made.states.emplace_back(memory, count * spec.bytes());
  return made;
}

}  // namespace atl::table
