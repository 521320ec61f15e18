// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/heap.hpp"
#include "atoll/base/error.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "atoll/base/random.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/impatience.hpp"
#include "atoll/runtime/team.hpp"

namespace atl::runtime {
namespace {

constexpr std::size_t MiB_ = std::size_t{1} << 20;

class HeapTest : public ::testing::TestWithParam<fabric::Kind> {
 protected:
  void make(std::size_t bytes, std::uint64_t limit, std::uint64_t pool, Placement placement = Placement::reuse) {
    heap_.reset();
    job_ = GetParam() == fabric::Kind::loop ? fabric::Job::create_loop({.npes = 1, .segment_bytes = bytes})
                                            : fabric::Job::create_shm({.npes = 1, .segment_bytes = bytes});
    budget_ = std::make_shared<MemoryBudget>(limit, pool);
    heap_ =
        std::make_unique<Heap>(job_->segment(PeId(0)), bytes, job_->segment(PeId(0)),
                               GetParam() == fabric::Kind::loop ? Pages::anonymous : Pages::shared, placement, budget_);
  }
  std::shared_ptr<fabric::Job> job_;
  std::shared_ptr<MemoryBudget> budget_;
  std::unique_ptr<Heap> heap_;
};

struct Block {
  unsigned char* at;
  std::size_t bytes;
  std::uint64_t pattern;
};

// Marks both ends of the block, its padding included.
void mark(const Block& block) {
  std::size_t all = block.bytes + 64;
  std::size_t part = std::min<std::size_t>(all, 4096);
  std::memset(block.at, static_cast<int>(block.pattern & 0xFF), part);
  std::memset(block.at + all - part, static_cast<int>(block.pattern & 0xFF), part);
}

bool marked(const Block& block) {
  std::size_t all = block.bytes + 64;
  std::size_t part = std::min<std::size_t>(all, 4096);
  auto right = [&](unsigned char value) { return value == (block.pattern & 0xFF); };
  return std::all_of(block.at, block.at + part, right) && std::all_of(block.at + all - part, block.at + all, right);
}

std::size_t random_size(SequentialRandom& random) {
  switch (random.below(5)) {
    case 0: return random.below(64);
    case 1: return random.below(1024);
    case 2: return random.below(100'000);
    case 3: return random.below(MiB_);
    default: return random.below(5 * MiB_);
  }
}

TEST_P(HeapTest, RandomAllocationsNeverOverlap) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    make(256 * MiB_, 200 * MiB_, 20 * MiB_);
    SequentialRandom random(seed);
    std::vector<Block> blocks;
    for (int step = 0; step < 4000; ++step) {
      if (blocks.size() > 60 || (!blocks.empty() && random.below(2) == 0)) {
        std::size_t victim = random.below(blocks.size());
        ASSERT_TRUE(marked(blocks[victim]));
        heap_->release(blocks[victim].at);
        blocks[victim] = blocks.back();
        blocks.pop_back();
      } else {
        std::size_t bytes = random_size(random);
        try {
          auto* at = static_cast<unsigned char*>(heap_->allocate(bytes));
          ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % 64, 0u);
          if (bytes >= 2 * MiB_) { ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % (2 * MiB_), 0u); }
          ASSERT_GE(heap_->size_of(at), bytes);
          blocks.push_back({at, bytes, random()});
          mark(blocks.back());
        } catch (const MemoryError&) {
          ASSERT_GT(budget_->in_use() + bytes, 150 * MiB_);  // near the limit
        }
      }
      ASSERT_LE(budget_->in_use() + heap_->stats().pooled_bytes, 200 * MiB_);
      if (step % 500 == 0) heap_->trim();
    }
    for (auto& block : blocks) {
      ASSERT_TRUE(marked(block));
      heap_->release(block.at);
    }
    EXPECT_EQ(heap_->stats().blocks, 0u);
    heap_->trim();
    // Everything is one piece again.
    void* all = heap_->allocate(150 * MiB_);
    heap_->release(all);
  }
}

TEST_P(HeapTest, SmallSizesUseTheirClass) {
  make(64 * MiB_, 60 * MiB_, MiB_);
  for (std::size_t bytes = 0; bytes <= 100'000; bytes += bytes < 2000 ? 1 : 97) {
    void* block = heap_->allocate(bytes);
    ASSERT_GE(heap_->size_of(block), bytes);
    ASSERT_LE(heap_->size_of(block) + 64,
              std::max<std::size_t>((bytes + 64) * 5 / 4 + 64, 128) + (bytes > 81000 ? 65536 : 0));
    heap_->release(block);
  }
}

TEST_P(HeapTest, ARequestBeyondTheLimitIsRefusedWithTheFigures) {
  make(1024 * MiB_, 100 * MiB_, 10 * MiB_);
  void* kept = heap_->allocate(60 * MiB_);
  std::memset(kept, 7, 60 * MiB_);
  try {
    heap_->allocate(50 * MiB_);
    FAIL() << "not refused";
  } catch (const MemoryError& error) {
    std::string text = error.what();
    EXPECT_NE(text.find("50.1 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("100 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find("ATOLL_MEMORY_LIMIT"), std::string::npos) << text;
  }
  EXPECT_THROW(heap_->allocate(SIZE_MAX), MemoryError);
  EXPECT_THROW(heap_->allocate(SIZE_MAX - 64), MemoryError);
  EXPECT_THROW(heap_->allocate(std::size_t{1} << 62), MemoryError);
  EXPECT_EQ(static_cast<unsigned char*>(kept)[60 * MiB_ - 1], 7);
  void* more = heap_->allocate(30 * MiB_);
  heap_->release(more);
  heap_->release(kept);
  EXPECT_EQ(budget_->in_use(), 0u);
}

TEST_P(HeapTest, MoreThanTheNodeHasIsRefusedBeforeTouchingIt) {
  std::uint64_t twice = round_up<std::uint64_t>(2 * topology().memory_bytes, 2 * MiB_);
  make(twice, twice, MiB_);
  EXPECT_THROW(heap_->allocate(topology().memory_bytes), MemoryError);
  EXPECT_EQ(budget_->in_use(), 0u);
}

TEST_P(HeapTest, FreedMemoryIsReusedUpToThePoolSize) {
  make(512 * MiB_, 400 * MiB_, 64 * MiB_);
  void* first = heap_->allocate(40 * MiB_);
  std::memset(first, 1, 40 * MiB_);
  heap_->release(first);
  EXPECT_GE(heap_->stats().pooled_bytes, 40 * MiB_);
  void* second = heap_->allocate(30 * MiB_);
  EXPECT_EQ(second, first);  // the touched pages
  heap_->release(second);
  void* large = heap_->allocate(100 * MiB_);
  std::memset(large, 1, 100 * MiB_);
  heap_->release(large);
  EXPECT_LE(heap_->stats().pooled_bytes, 64 * MiB_);
  EXPECT_GT(heap_->trim(), 0u);
  EXPECT_EQ(heap_->stats().pooled_bytes, 0u);
  // What was given back reads as zero: the kernel has it.
  auto* again = static_cast<unsigned char*>(heap_->allocate(40 * MiB_));
#ifdef ATOLL_EMULATED  // which does not give shared pages back
  if (GetParam() == fabric::Kind::shm) return heap_->release(again);
#endif
  EXPECT_EQ(again[0], 0);
  EXPECT_EQ(again[39 * MiB_], 0);
  heap_->release(again);
}

TEST_P(HeapTest, ThePoolMakesWayWhenTheLimitIsNear) {
  make(512 * MiB_, 100 * MiB_, 90 * MiB_);
  for (std::size_t mib : {80, 85, 90, 95, 60, 99}) {
    void* block = heap_->allocate(mib * MiB_ - 4096);
    EXPECT_LE(heap_->stats().pooled_bytes + budget_->in_use(), 100 * MiB_);
    heap_->release(block);
  }
}

TEST_P(HeapTest, StatsAndTrimCountEmptySlabsAsPooled) {
  make(64 * MiB_, 60 * MiB_, 30 * MiB_);
  void* kept = heap_->allocate(1000);
  const std::uint64_t in_use = heap_->stats().in_use_bytes;
  for (std::size_t bytes = 0; bytes <= 80'000; bytes += 500) heap_->release(heap_->allocate(bytes));
  EXPECT_EQ(heap_->stats().in_use_bytes, in_use);
  EXPECT_GT(heap_->stats().pooled_bytes, 4 * MiB_);
  EXPECT_GT(heap_->trim(), 4 * MiB_);
  EXPECT_EQ(heap_->stats().pooled_bytes, 0u);
  EXPECT_EQ(budget_->in_use(), in_use);
  heap_->release(kept);
  heap_->trim();
  EXPECT_EQ(budget_->in_use(), 0u);
}

TEST_P(HeapTest, EmptySlabsMakeWayWhenTheLimitIsNear) {
  make(64 * MiB_, 16 * MiB_, 8 * MiB_);
  for (std::size_t bytes = 0; bytes <= 80'000; bytes += 500) heap_->release(heap_->allocate(bytes));
  void* all = heap_->allocate(16 * MiB_ - 64 * 1024);
  EXPECT_THROW(heap_->allocate(100'000), MemoryError);
  EXPECT_THROW(heap_->allocate(100), MemoryError);
  heap_->release(all);
}

TEST_P(HeapTest, RepeatablePlacementGivesTheSameAddresses) {
  auto offsets = [&](std::uint64_t pool) {
    make(256 * MiB_, 200 * MiB_, pool, Placement::repeatable);
    SequentialRandom random(5);
    std::vector<std::uint64_t> found;
    std::vector<void*> blocks;
    for (int step = 0; step < 300; ++step) {
      if (!blocks.empty() && random.below(2) == 0) {
        std::size_t victim = random.below(blocks.size());
        heap_->release(blocks[victim]);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(victim));
      } else {
        blocks.push_back(heap_->allocate(random_size(random)));
        found.push_back(heap_->offset_of(blocks.back()).value());
      }
    }
    return found;
  };
  EXPECT_EQ(offsets(MiB_), offsets(100 * MiB_));
}

TEST_P(HeapTest, ThreadsAllocateAndReleaseEachOthersBlocks) {
  make(256 * MiB_, 200 * MiB_, 16 * MiB_);
  std::mutex mutex;
  std::vector<Block> shared;
  auto body = [&](std::uint64_t seed) {
    SequentialRandom random(seed);
    for (int step = 0; step < 3000; ++step) {
      std::size_t bytes = random.below(4) == 0 ? random.below(300'000) : random.below(2000);
      Block mine{static_cast<unsigned char*>(heap_->allocate(bytes)), bytes, random()};
      mark(mine);
      Block other{nullptr, 0, 0};
      {
        std::lock_guard lock(mutex);
        shared.push_back(mine);
        if (shared.size() > 50) {
          std::swap(shared[random.below(shared.size())], shared.back());
          other = shared.back();
          shared.pop_back();
        }
      }
      if (other.at != nullptr) {
        EXPECT_TRUE(marked(other));
        heap_->release(other.at);
      }
    }
  };
  std::thread second(body, 2), third(body, 3);
  body(1);
  second.join();
  third.join();
  for (auto& block : shared) heap_->release(block.at);
  EXPECT_EQ(heap_->stats().blocks, 0u);
}

TEST_P(HeapTest, ThreadsReturnSlabsBesideOneAnother) {
  make(256 * MiB_, 256 * MiB_, 256 * MiB_);
  // Each slab holds eight blocks of these sizes and goes back when it is empty, beside slabs that other threads return.
  auto body = [&](std::size_t bytes) {
    std::vector<void*> blocks(24);
    for (int round = 0; round < 4000; ++round) {
      for (void*& block : blocks) block = heap_->allocate(bytes);
      for (void* block : blocks) heap_->release(block);
    }
  };
  std::thread second(body, 20'000), third(body, 40'000), fourth(body, 79'000);
  body(60'000);
  second.join();
  third.join();
  fourth.join();
  EXPECT_EQ(heap_->stats().blocks, 0u);
}

TEST_P(HeapTest, AllocateAsksWhetherItIsInterruptedAndEndsEarly) {
  make(256 * MiB_, 256 * MiB_, 0);
  auto asked_by_allocation = [&](bool answer) {
    int asked = 0;
    auto is_interrupted = [&] { return ++asked, answer; };
    void* block = nullptr;
    {
      const Impatience impatience(Condition::of(is_interrupted));
      block = heap_->allocate(64 * MiB_);
    }
    std::memset(block, 1, 64 * MiB_);
    heap_->release(block);
    heap_->trim();
    const int before = asked;
    heap_->release(heap_->allocate(64 * MiB_));  // outside of the scope
    heap_->trim();
    EXPECT_EQ(asked, before);
    return asked;
  };
  // The kernel refuses when it has no 2 MiB pages.
  if (asked_by_allocation(false) < 2) GTEST_SKIP() << "this memory gets no 2 MiB pages here";
  EXPECT_LE(asked_by_allocation(true), 1);
}

TEST_P(HeapTest, AdviseHugeKeepsTheContents) {
  make(64 * MiB_, 60 * MiB_, MiB_);
  auto* block = static_cast<unsigned char*>(heap_->allocate(8 * MiB_));
  for (std::size_t i = 0; i < 8 * MiB_; i += 1000) block[i] = static_cast<unsigned char>(i / 1000);
  std::uint64_t huge = heap_->advise_huge(block);
  EXPECT_TRUE(huge == 0 || huge == 8 * MiB_);
  for (std::size_t i = 0; i < 8 * MiB_; i += 1000) ASSERT_EQ(block[i], static_cast<unsigned char>(i / 1000));
  void* small = heap_->allocate(1000);
  EXPECT_EQ(heap_->advise_huge(small), 0u);
  heap_->release(small);
  heap_->release(block);
}

TEST_P(HeapTest, AllocateSparseTouchesNothing) {
  make(64 * MiB_, 60 * MiB_, MiB_);
  constexpr std::size_t bytes = 16 * MiB_;
  void* block = heap_->allocate_sparse(bytes);
  std::vector<unsigned char> resident(bytes / 4096);
  ASSERT_EQ(::mincore(block, bytes, resident.data()), 0);
  EXPECT_EQ(std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; }), 0);
  heap_->release(block);
  EXPECT_EQ(heap_->stats().blocks, 0u);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, HeapTest, ::testing::Values(fabric::Kind::loop, fabric::Kind::shm),
                         [](auto& info) { return info.param == fabric::Kind::loop ? "loop" : "shm"; });

TEST(TeamTest, StridedAndListedTeamsTranslate) {
  Team world = Team::world(12, PeId(5));
  EXPECT_EQ(world.rank(), 5u);
  Team odd = world.split_strided(1, 2, 6);  // 1 3 5 7 9 11
  EXPECT_EQ(odd.rank(), 2u);
  EXPECT_EQ(odd.pe_of(5), PeId(11));
  EXPECT_EQ(odd.rank_of(PeId(4)), std::nullopt);
  Team third = odd.split_strided(0, 3, 2);  // 1 7
  EXPECT_EQ(third.pe_of(1), PeId(7));
  EXPECT_FALSE(third.is_member());
  EXPECT_THROW(third.rank(), ValueError);
  Team listed = Team::listed({PeId(9), PeId(5), PeId(1)}, PeId(5));
  EXPECT_EQ(listed.rank(), 1u);
  EXPECT_EQ(listed.translate(0, odd), std::optional<std::uint32_t>(4));
  EXPECT_EQ(listed.split_strided(0, 2, 2).pe_of(1), PeId(1));
  EXPECT_THROW(world.split_strided(6, 2, 4), ValueError);
  EXPECT_THROW(world.split_strided(0, 0, 2), ValueError);
  EXPECT_THROW(Team::listed({PeId(1), PeId(1)}, PeId(0)), ValueError);
  EXPECT_THROW(Team::listed({}, PeId(0)), ValueError);
}

}  // namespace
}  // namespace atl::runtime
