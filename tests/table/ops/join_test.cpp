// SPDX-License-Identifier: Apache-2.0
// Joins of rows that lie on many PEs: small right sides, and large ones that are dealt out.
#include "atoll/table/ops/join.hpp"
#include "atoll/base/error.hpp"

#include <map>

#include "../../array/ops/fixture.hpp"
#include "moved.hpp"

namespace atl::array::testing {
namespace {

using table::JoinKind;

class Joins : public OnPes {};

/// Keys that `pick(i)` names, and now and then another.
template <class Pick>
std::vector<std::int64_t> keys_of(std::size_t n, unsigned seed, Pick&& pick) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> keys(n);
  for (auto& key : keys) key = pick(random);
  return keys;
}

void expect_pairs(Engine& engine, const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right) {
  std::map<std::int64_t, std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < right.size(); ++i) rows[right[i]].push_back(static_cast<std::int64_t>(i));
  for (JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti}) {
    std::vector<std::int64_t> lefts, rights;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto found = rows.find(left[i]);
      const auto row = static_cast<std::int64_t>(i);
      if (kind == JoinKind::semi || kind == JoinKind::anti) {
        if ((found != rows.end()) == (kind == JoinKind::semi)) lefts.push_back(row);
      } else if (found != rows.end()) {
        for (const std::int64_t other : found->second) lefts.push_back(row), rights.push_back(other);
      } else if (kind == JoinKind::left) {
        lefts.push_back(row), rights.push_back(-1);
      }
    }
    const auto found = table::join_rows(engine, {to_array(engine, left)}, {to_array(engine, right)}, kind);
    ASSERT_EQ(found.size(), kind == JoinKind::inner || kind == JoinKind::left ? 2u : 1u);
    ASSERT_EQ(to_vector<std::int64_t>(engine, found[0]), lefts);
    if (found.size() == 2) { ASSERT_EQ(to_vector<std::int64_t>(engine, found[1]), rights); }
  }
}

TEST_P(Joins, FindEveryPair) {
  run([](Engine& engine) {
    auto uniform = [](std::uint64_t range) {
      return [range](auto& random) { return static_cast<std::int64_t>(random() % range); };
    };
    auto sparse = [](auto& random) { return static_cast<std::int64_t>((random() % 900) * 0x9E3779B97F4A7C15ull); };
    auto heavy = [](auto& random) { return static_cast<std::int64_t>(random() % 10 == 0 ? random() % 3000 : 7); };
    auto far = [](auto& random) {
      return random() % 500 == 0 ? INT64_MAX : static_cast<std::int64_t>(random() % 1000);
    };
    std::vector<std::int64_t> unique(2000);
    for (std::size_t i = 0; i < unique.size(); ++i) unique[i] = static_cast<std::int64_t>((i * 1117) % 2000) - 500;
    const std::size_t n = 3001, m = 1500;
    expect_pairs(engine, {}, unique);
    expect_pairs(engine, unique, {});
    expect_pairs(engine, keys_of(n, 1, uniform(40)), keys_of(50, 2, uniform(40)));
    expect_pairs(engine, keys_of(n, 1, uniform(3000)), keys_of(m, 2, uniform(3000)));
    expect_pairs(engine, keys_of(n, 3, sparse), keys_of(m, 4, sparse));
    expect_pairs(engine, keys_of(n, 5, heavy), unique);
    expect_pairs(engine, keys_of(30, 6, uniform(2000)), keys_of(m, 7, heavy));
    expect_pairs(engine, keys_of(n, 8, far), keys_of(m, 9, far));
    expect_pairs(engine, std::vector<std::int64_t>(40, 3), std::vector<std::int64_t>(700, 3));
  });
}

TEST_P(Joins, EachRowCrossesOnce) {
  run(
      [](Engine& engine) {
        const std::size_t n = 400'000, m = 300'000;
        std::vector<std::int64_t> unique(m);
        for (std::size_t i = 0; i < m; ++i) unique[i] = static_cast<std::int64_t>(i * 0x9E3779B97F4A7C15ull);
        for (const bool one_key : {false, true}) {
          const auto left =
              keys_of(n, 1, [&](auto& random) { return unique[one_key && random() % 10 != 0 ? 5 : random() % m]; });
          const Array lefts = to_array(engine, left), rights = to_array(engine, unique);
          const std::uint64_t moved =
              moved_by(engine, [&] { (void)table::join_rows(engine, {lefts}, {rights}, JoinKind::inner); });
          // A left row's key and its answer, a right row's key and number; of those that stay where they are, nothing.
          const std::uint64_t left_bytes = (one_key && engine.npes() > 1 ? n / 10 : n) * 16, right_bytes = m * 16;
          EXPECT_LE(moved, (left_bytes + right_bytes) * 11 / 10 + 200'000 * engine.npes());
          if (engine.npes() > 1) { EXPECT_GE(moved, (left_bytes + right_bytes) * 4 / 10); }
        }
      },
      1024);
}

TEST_P(Joins, SmallSidesComeToAll) {
  run([](Engine& engine) {
    const std::size_t n = 400'000, m = 1000;
    const auto left = random_integers(n, 0, 2000, 1);
    const Array lefts = to_array(engine, left), rights = to_array(engine, random_integers(m, 0, 1'000'000'000, 2));
    const std::uint64_t moved =
        moved_by(engine, [&] { (void)table::join_rows(engine, {lefts}, {rights}, JoinKind::semi); });
    EXPECT_LE(moved, m * 8 * engine.npes() + 20'000 * engine.npes());
  });
}

TEST_P(Joins, PairsThatDoNotFitAreCountedFirst) {
  run([](Engine& engine) {
    const Array keys = to_array(engine, std::vector<std::int64_t>(300'000, 1));
    try {
      (void)table::join_rows(engine, {keys}, {keys}, JoinKind::inner);
      FAIL();
    } catch (const MemoryError& error) {
      EXPECT_NE(std::string(error.what()).find("the join has 90000000000 pairs"), std::string::npos) << error.what();
    }
    expect_pairs(engine, {1, 2, 3}, {3, 1});
  });
}

ATOLL_ON_PES(Joins);

}  // namespace
}  // namespace atl::array::testing
