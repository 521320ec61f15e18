// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <tuple>

#include "atoll/base/validate.hpp"

namespace atl::coll::detail {
namespace {

template <class T>
bool read_number(const std::string& word, T& number) {
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size() && number != 0;
}

enum class Shape { one_node, single_pes, levels };
Shape shape_of(std::uint32_t pes, std::uint32_t nodes) {
  return nodes == 1 ? Shape::one_node : nodes == pes ? Shape::single_pes : Shape::levels;
}

}  // namespace

TunedTable::TunedTable(const std::string& path, Lookup kind_named, Lookup algorithm_named) {
  if (path.empty()) return;
  std::ifstream file(path);
  ATOLL_VALIDATE(file.good(), ValueError, "ATOLL_COLL_TABLE: cannot read {} ({}). `atoll tune` writes such a file",
                 path, std::strerror(errno));
  digest_ = 0xCBF29CE484222325ull;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.size(), line.find('#')));
    std::istringstream words(line);
    std::string collective, pes, nodes, bytes, algorithm, more;
    if (!(words >> collective)) continue;
    words >> pes >> nodes >> bytes >> algorithm;
    Row row{};
    auto kind = kind_named(collective, 0);
    ATOLL_VALIDATE(kind, ValueError, "{}:{}: '{}' is not a collective. `atoll info --collectives` lists them", path,
                   number, collective);
    auto known = algorithm_named(algorithm, *kind);
    ATOLL_VALIDATE(known, ValueError, "{}:{}: {} has no algorithm '{}'. `atoll info --collectives` lists them", path,
                   number, collective, algorithm);
    bool read = read_number(pes, row.pes) && read_number(nodes, row.nodes) && row.nodes <= row.pes && !(words >> more);
    if (bytes == "*") row.bytes = UINT64_MAX;
    else read = read && read_number(bytes, row.bytes);
    ATOLL_VALIDATE(
        read, ValueError,
        "{}:{}: accepted are collective, PEs, nodes, most bytes or *, algorithm: allreduce 2 1 4096 recursive_doubling",
        path, number);
    row.kind = *kind;
    row.algorithm = *known;
    rows_.push_back(row);
    for (std::uint64_t part : {std::uint64_t{row.kind}, std::uint64_t{row.algorithm}, std::uint64_t{row.pes},
                               std::uint64_t{row.nodes}, row.bytes})
      digest_ = (digest_ ^ part) * 0x100000001B3ull;
  }
}

std::optional<std::uint8_t> TunedTable::choose(std::uint8_t kind, std::uint64_t bytes,
                                               const Placement& placement) const {
  const auto size = static_cast<std::uint32_t>(placement.size()), nodes = static_cast<std::uint32_t>(placement.nodes());
  const Row* found = nullptr;
  for (const Row& row : rows_) {
    if (row.kind != kind || row.bytes < bytes) continue;
    if (row.pes > size || size / 2 >= row.pes || row.nodes > nodes ||
        shape_of(row.pes, row.nodes) != shape_of(size, nodes))
      continue;
    auto rank = [](const Row& one) { return std::tuple(one.pes, one.nodes, ~one.bytes); };
    if (found == nullptr || rank(row) > rank(*found)) found = &row;
  }
  if (found == nullptr) return std::nullopt;
  return found->algorithm;
}

}  // namespace atl::coll::detail
