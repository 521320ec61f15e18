// SPDX-License-Identifier: Apache-2.0
#include "datatype/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "atoll/base/error.hpp"
#include "datatype/cursor.hpp"
#include "datatype/external32.hpp"
#include "model.hpp"

namespace atl::mpi::datatype::test {
namespace {

struct Memory {
  std::vector<std::byte> bytes;
  std::byte* base;
  explicit Memory(const std::vector<Count>& offsets, std::byte fill = std::byte{0xee}) {
    Count low = 0, high = 0;
    for (Count at : offsets) low = std::min(low, at), high = std::max(high, at + 1);
    bytes.assign(static_cast<std::size_t>(high - low), fill);
    base = bytes.data() - low;
  }
};

std::byte value(std::size_t i) { return std::byte(static_cast<unsigned char>(i * 131 + (i >> 8) * 7 + 1)); }

TEST(Datatype, MatchesTheModelOfTheStandard) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    auto [type, model] = maker.make(1 + static_cast<int>(seed % 4));
    type->commit();
    Count elements = static_cast<Count>(model.map.size()), size = 0, low = 0, high = 0;
    Signature signature;
    for (const auto& one : model.map) {
      low = size == 0 ? one.at : std::min(low, one.at);
      high = size == 0 ? one.at + one.element->size : std::max(high, one.at + one.element->size);
      size += one.element->size;
      signature = signature.then(named(one.element->handle)->signature());
    }
    ASSERT_EQ(type->size(), size);
    ASSERT_EQ(type->elements(), elements);
    ASSERT_EQ(type->lb(), model.lb);
    ASSERT_EQ(type->ub(), model.ub);
    ASSERT_EQ(type->true_lb(), low);
    ASSERT_EQ(type->true_extent(), high - low);
    ASSERT_TRUE(type->signature() == signature);
    ASSERT_EQ(type->layout()->size, size);
  }
}

TEST(Datatype, PacksAndUnpacksAnyRange) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    auto [type, model] = maker.make(1 + static_cast<int>(seed % 4));
    type->commit();
    Count count = maker.number(4);
    std::vector<Count> offsets = model.bytes(count);
    Memory memory(offsets);
    for (std::size_t i = 0; i < memory.bytes.size(); ++i) memory.bytes[i] = value(i);
    Region region = type->region(count);
    Count size = static_cast<Count>(offsets.size());
    ASSERT_EQ(region.size(), size);
    std::vector<Count> walked;
    for (Cursor cursor(region); static_cast<Count>(walked.size()) < size;) {
      Count bytes = cursor.here().bytes;
      for (Count b = 0; b < bytes; ++b) walked.push_back(cursor.here().offset + b);
      cursor.advance(bytes);
    }
    ASSERT_EQ(walked, offsets);
    for (int round = 0; round < 6; ++round) {
      Count from = round == 0 ? 0 : maker.number(size + 1),
            to = round == 0 ? size : from + maker.number(size - from + 1);
      std::vector<std::byte> packed(static_cast<std::size_t>(to - from));
      pack(region, memory.base, from, to, packed.data());
      for (std::size_t i = 0; i < packed.size(); ++i)
        ASSERT_EQ(packed[i], memory.base[offsets[i + static_cast<std::size_t>(from)]]) << from << ' ' << to << ' ' << i;
      if (from < size) {
        Cursor cursor(region, from);
        ASSERT_EQ(cursor.here().offset, offsets[static_cast<std::size_t>(from)]);
      }
      for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = value(i * 3);
      Memory other(offsets), expected(offsets);
      unpack(region, other.base, from, to, packed.data());
      for (std::size_t i = 0; i < packed.size(); ++i)
        expected.base[offsets[i + static_cast<std::size_t>(from)]] = packed[i];
      ASSERT_EQ(other.bytes, expected.bytes) << from << ' ' << to;
    }
  }
}

TEST(Datatype, CopiesBetweenLayouts) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed + 77777);
    auto [left, left_model] = maker.make(static_cast<int>(seed % 4));
    auto [right, right_model] = seed % 5 == 0 ? Made{left, left_model} : maker.make(static_cast<int>(seed % 3));
    left->commit(), right->commit();
    Count left_count = 1 + maker.number(300), right_count = 1 + maker.number(300);
    std::vector<Count> sources = left_model.bytes(left_count), targets = right_model.bytes(right_count);
    Count most = static_cast<Count>(std::min(sources.size(), targets.size()));
    Count bytes = seed % 2 == 0 ? most : maker.number(most + 1);
    Count from = maker.number(static_cast<Count>(sources.size()) - bytes + 1);
    Count into = maker.number(static_cast<Count>(targets.size()) - bytes + 1);
    Memory source(sources), target(targets), expected(targets);
    for (std::size_t i = 0; i < source.bytes.size(); ++i) source.bytes[i] = value(i);
    for (Count i = 0; i < bytes; ++i)
      expected.base[targets[static_cast<std::size_t>(into + i)]] =
          source.base[sources[static_cast<std::size_t>(from + i)]];
    copy(left->region(left_count), source.base, from, from + bytes, right->region(right_count), target.base, into);
    // A target that has a byte twice gets either.
    std::vector<Count> sorted = targets;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) { ASSERT_EQ(target.bytes, expected.bytes); }
  }
}

TEST(Datatype, RegularTypesBecomeLoops) {
  const TypePtr& real = named(0x214);
  auto committed = [](TypePtr type) {
    type->commit();
    return type->layout();
  };
  EXPECT_EQ(committed(make_vector(Form::large, 10, 3, 3, real))->kind, Node::Kind::leaf);
  std::vector<Count> places(1000), lengths(1000, 2);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<Count>(5 * i);
  NodePtr rows = committed(make_indexed(Form::large, lengths, places, real));
  ASSERT_EQ(rows->kind, Node::Kind::repeat);
  EXPECT_EQ(rows->count, 1000);
  EXPECT_EQ(rows->stride, 40);
  EXPECT_EQ(rows->child->size, 16);
  // A face of a cube, given as a list: two loops.
  places.clear();
  for (Count y = 0; y < 20; ++y)
    for (Count z = 0; z < 30; ++z) places.push_back(y * 7 * 100 + z * 7);
  NodePtr face = committed(make_indexed_block(Form::large, 1, places, real));
  ASSERT_EQ(face->kind, Node::Kind::repeat);
  EXPECT_EQ(face->count, 20);
  ASSERT_EQ(face->child->kind, Node::Kind::repeat);
  EXPECT_EQ(face->child->count, 30);
  EXPECT_EQ(face->child->child->kind, Node::Kind::leaf);
  // Structs of neighbours are one run; nests of loops that join are one loop.
  std::vector<Count> at{0, 8, 12}, one{1, 1, 1};
  std::vector<TypePtr> types{real, named(int_handle), named(int_handle)};
  EXPECT_EQ(committed(make_struct(Form::small, one, at, types))->size, 16);
  EXPECT_EQ(committed(make_struct(Form::small, one, at, types))->kind, Node::Kind::leaf);
  NodePtr joined = committed(make_hvector(Form::small, 5, 1, 80, make_vector(Form::small, 5, 1, 2, real)));
  ASSERT_EQ(joined->kind, Node::Kind::repeat);
  EXPECT_EQ(joined->count, 25);
}

TEST(Datatype, DarraysShareAnArrayOut) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    std::size_t dimensions = 1 + maker.random(3);
    std::vector<Count> sizes;
    std::vector<int> how, arguments, processes;
    Count all = 1;
    int size = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      sizes.push_back(1 + maker.number(9));
      processes.push_back(1 + static_cast<int>(maker.random(3)));
      how.push_back(16 + static_cast<int>(maker.random(3)));
      if (how[d] == 16) processes[d] = 1;
      int fair = static_cast<int>((sizes[d] + processes[d] - 1) / processes[d]);
      arguments.push_back(maker.random(2) != 0 ? 19 : how[d] == 17 ? fair : 1 + static_cast<int>(maker.random(3)));
      all *= sizes[d], size *= processes[d];
    }
    std::vector<int> owner(static_cast<std::size_t>(all), -1);
    Order order = maker.random(2) != 0 ? Order::c : Order::fortran;
    for (int rank = 0; rank < size; ++rank) {
      TypePtr type = make_darray(Form::small, {size, rank, sizes, how, arguments, processes, order}, named(int_handle));
      type->commit();
      ASSERT_EQ(type->extent(), all * 4);
      Count last = -1;
      Region region = type->region(1);
      Count left = region.size();
      for (Cursor cursor(region); left > 0;) {
        Count bytes = cursor.here().bytes;
        for (Count at = cursor.here().offset; at < cursor.here().offset + bytes; at += 4) {
          ASSERT_GT(at, last);
          last = at;
          int& mine = owner[static_cast<std::size_t>(at / 4)];
          ASSERT_EQ(mine, -1);
          mine = rank;
        }
        left -= bytes;
        cursor.advance(bytes);
      }
    }
    ASSERT_EQ(std::ranges::count(owner, -1), 0);
  }
}

TEST(Datatype, ReturnsItsContents) {
  const TypePtr& real = named(0x214);
  std::vector<Count> lengths{1, 2}, places{3, 5};
  TypePtr small = make_hindexed(Form::small, lengths, places, real);
  EXPECT_EQ(small->contents().integers, (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(small->contents().addresses, (std::vector<Count>{3, 5}));
  TypePtr large = make_hindexed(Form::large, lengths, places, real);
  EXPECT_EQ(large->contents().large_counts, (std::vector<Count>{2, 1, 2, 3, 5}));
  EXPECT_EQ(large->contents().types.at(0), real);
  EXPECT_TRUE(large->contents().integers.empty() && large->contents().addresses.empty());
  EXPECT_EQ(large->combiner(), Combiner::hindexed);
}

TEST(Datatype, CountsBeyond32Bits) {
  TypePtr type = make_vector(Form::large, Count{1} << 40, 3, 5, named(0x214));
  type->commit();
  EXPECT_EQ(type->size(), (Count{3} << 40) * 8);
  EXPECT_EQ(type->true_extent(), (((Count{1} << 40) - 1) * 5 + 3) * 8);
  Cursor cursor(type->region(1), (Count{3} << 39) * 8 + 8);
  EXPECT_EQ(cursor.here().offset, (Count{1} << 39) * 40 + 8);
  EXPECT_EQ(cursor.here().bytes, 16);
  EXPECT_THROW(make_contiguous(Form::large, Count{1} << 61, type), OverflowError);
}

TEST(Datatype, CountsReceivedElements) {
  std::vector<Count> lengths{2, 3}, places{0, 16};
  std::vector<TypePtr> types{named(int_handle), named(0x208)};
  TypePtr type = make_struct(Form::small, lengths, places, types);  // 4 4 2 2 2
  Count left = 0;
  EXPECT_EQ(elements_within(*type->description(), 8, left), 2);
  EXPECT_EQ(left, 0);
  EXPECT_EQ(elements_within(*type->description(), 10, left), 3);
  EXPECT_EQ(elements_within(*type->description(), 11, left), 3);
  EXPECT_EQ(left, 1);
}

TEST(Datatype, StructsArePaddedAsByACompiler) {
  struct Both {
    double real;
    char letter;
  };
  std::vector<Count> lengths{1, 1}, places{0, 8};
  std::vector<TypePtr> types{named(0x214), named(0x243)};
  EXPECT_EQ(make_struct(Form::small, lengths, places, types)->extent(), static_cast<Count>(sizeof(Both)));
  EXPECT_EQ(named(0x229)->extent(), 16);
  EXPECT_EQ(named(0x229)->size(), 12);
}

TEST(External32, IsBigEndianWithItsOwnSizes) {
  long number = -2;
  unsigned char packed[16];
  EXPECT_EQ(named(0x20a)->external_size(), 4);
  EXPECT_TRUE(pack_external32(*named(0x20a), 1, &number, packed));
  EXPECT_EQ(std::vector<int>(packed, packed + 4), (std::vector<int>{0xff, 0xff, 0xff, 0xfe}));
  long back = 0;
  EXPECT_TRUE(unpack_external32(*named(0x20a), 1, &back, packed));
  EXPECT_EQ(back, -2);
  number = 1L << 40;
  EXPECT_FALSE(pack_external32(*named(0x20a), 1, &number, packed));
  long double one = 1.0L, other = 0;
  EXPECT_TRUE(pack_external32(*named(0x220), 1, &one, packed));
  EXPECT_EQ(std::vector<int>(packed, packed + 4), (std::vector<int>{0x3f, 0xff, 0, 0}));
  EXPECT_TRUE(unpack_external32(*named(0x220), 1, &other, packed));
  EXPECT_EQ(other, 1.0L);
  struct {
    double value;
    int index;
  } pair{1.5, 7}, read{};
  EXPECT_EQ(named(0x229)->external_size(), 12);
  EXPECT_TRUE(pack_external32(*named(0x229), 1, &pair, packed));
  EXPECT_EQ(std::vector<int>(packed + 8, packed + 12), (std::vector<int>{0, 0, 0, 7}));
  EXPECT_TRUE(unpack_external32(*named(0x229), 1, &read, packed));
  EXPECT_EQ(read.value, 1.5);
  EXPECT_EQ(read.index, 7);
}

TEST(Predefined, ChosenBySizeAndPrecision) {
  EXPECT_STREQ(match_size(TypeClass::integer, 8)->name, "MPI_INTEGER8");
  EXPECT_STREQ(match_size(TypeClass::logical, 2)->name, "MPI_LOGICAL2");
  EXPECT_EQ(match_size(TypeClass::real, 3), nullptr);
  EXPECT_STREQ(select_real(6, 30)->name, "MPI_REAL4");
  EXPECT_STREQ(select_complex(15, 300)->name, "MPI_COMPLEX16");
  EXPECT_STREQ(select_integer(10)->name, "MPI_INTEGER8");
  EXPECT_EQ(select_integer(39), nullptr);
  EXPECT_STREQ(find_pair(0x214, int_handle)->name, "MPI_DOUBLE_INT");
  EXPECT_EQ(find_pair(0x214, 0x214), nullptr);
}

}  // namespace
}  // namespace atl::mpi::datatype::test
