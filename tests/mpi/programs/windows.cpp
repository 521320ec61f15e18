// SPDX-License-Identifier: Apache-2.0
// Windows of every kind: transfers, accumulates from all ranks at once, epochs, errors.
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "check.hpp"

namespace {

int rounds = 200;  // fewer over a network

enum class Memory { created, allocated, shared, heap, dynamic };

struct Shown {
  MPI_Win win;
  std::vector<MPI_Aint> origin;  // displacement of each rank's memory
  char* base;
  void* own = nullptr;
};

Shown show(Memory kind, MPI_Aint bytes) {
  Shown shown{};
  shown.origin.assign(static_cast<std::size_t>(size), 0);
  switch (kind) {
    case Memory::created:
      shown.own = shown.base = static_cast<char*>(std::aligned_alloc(64, static_cast<std::size_t>(bytes)));
      MPI_Win_create(shown.base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown.win);
      break;
    case Memory::heap:
      MPI_Alloc_mem(bytes, MPI_INFO_NULL, &shown.base);
      MPI_Win_create(shown.base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown.win);
      break;
    case Memory::allocated: MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown.base, &shown.win); break;
    case Memory::shared:
      MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shown.base, &shown.win);
      break;
    case Memory::dynamic:
      shown.own = shown.base = static_cast<char*>(std::aligned_alloc(64, static_cast<std::size_t>(bytes)));
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &shown.win);
      MPI_Win_attach(shown.win, shown.base, bytes);
      MPI_Aint mine;
      MPI_Get_address(shown.base, &mine);
      MPI_Allgather(&mine, 1, MPI_AINT, shown.origin.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  }
  std::memset(shown.base, 0, static_cast<std::size_t>(bytes));
  MPI_Win_set_errhandler(shown.win, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  return shown;
}

void hide(Memory kind, Shown& shown) {
  MPI_Win_free(&shown.win);
  if (kind == Memory::heap) MPI_Free_mem(shown.base);
  std::free(shown.own);
}

void transfers(Memory kind) {
  Shown shown = show(kind, 8000);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  auto* numbers = reinterpret_cast<int*>(shown.base);
  // Ten ints to every third place of the neighbour, by fence.
  int mine[10], back[10];
  for (int i = 0; i < 10; ++i) mine[i] = rank * 100 + i;
  MPI_Datatype third;
  MPI_Type_vector(10, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&third);
  MPI_Win_fence(0, shown.win);
  CHECK(MPI_Put(mine, 10, MPI_INT, next, shown.origin[static_cast<std::size_t>(next)] + 40, 1, third, shown.win) ==
        MPI_SUCCESS);
  MPI_Win_fence(0, shown.win);
  for (int i = 0; i < 10; ++i) CHECK(numbers[10 + 3 * i] == before * 100 + i);
  CHECK(MPI_Get(back, 10, MPI_INT, next, shown.origin[static_cast<std::size_t>(next)] + 40, 1, third, shown.win) ==
        MPI_SUCCESS);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, shown.win);
  CHECK(std::memcmp(back, mine, sizeof mine) == 0);
  CHECK(class_of(MPI_Put(mine, 1, MPI_INT, next, 0, 1, MPI_INT, shown.win)) == MPI_ERR_RMA_SYNC);
  // A lock behind a fence takes its place.
  MPI_Win_fence(0, shown.win);
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, shown.win);
  MPI_Win_unlock(next, shown.win);
  CHECK(class_of(MPI_Put(mine, 1, MPI_INT, next, 0, 1, MPI_INT, shown.win)) == MPI_ERR_RMA_SYNC);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, shown.win);
  // Everybody adds to everybody, of every kind of element; nothing is lost.
  MPI_Win_lock_all(0, shown.win);
  for (int target = 0; target < size; ++target) {
    MPI_Aint at = shown.origin[static_cast<std::size_t>(target)];
    for (int i = 0; i < rounds; ++i) {
      long one = 1;
      double half = 0.5;
      short small = 1;
      long double wide = 1;
      struct {
        double value;
        int index;
      } pair{static_cast<double>(rank), rank};
      MPI_Accumulate(&one, 1, MPI_LONG, target, at + 400, 1, MPI_LONG, MPI_SUM, shown.win);
      MPI_Accumulate(&half, 1, MPI_DOUBLE, target, at + 408, 1, MPI_DOUBLE, MPI_SUM, shown.win);
      MPI_Accumulate(&small, 1, MPI_SHORT, target, at + 416, 1, MPI_SHORT, MPI_SUM, shown.win);
      MPI_Accumulate(&wide, 1, MPI_LONG_DOUBLE, target, at + 432, 1, MPI_LONG_DOUBLE, MPI_SUM, shown.win);
      MPI_Accumulate(&pair, 1, MPI_DOUBLE_INT, target, at + 448, 1, MPI_DOUBLE_INT, MPI_MAXLOC, shown.win);
      long old;
      MPI_Fetch_and_op(&one, &old, MPI_LONG, target, at + 464, MPI_SUM, shown.win);
      MPI_Win_flush_local(target, shown.win);  // before that the result need not be there
      CHECK(old >= 0 && old < 1L * rounds * size);
    }
  }
  MPI_Win_unlock_all(shown.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, shown.win);
  CHECK(*reinterpret_cast<long*>(shown.base + 400) == 1L * rounds * size);
  CHECK(*reinterpret_cast<double*>(shown.base + 408) == 0.5 * rounds * size);
  CHECK(*reinterpret_cast<short*>(shown.base + 416) == rounds * size);
  CHECK(*reinterpret_cast<long double*>(shown.base + 432) == 1.0L * rounds * size);
  CHECK(*reinterpret_cast<double*>(shown.base + 448) == size - 1);
  CHECK(*reinterpret_cast<long*>(shown.base + 464) == 1L * rounds * size);
  MPI_Win_unlock(rank, shown.win);
  MPI_Barrier(MPI_COMM_WORLD);
  // What was there and what is, in one step; and only if it is what was expected.
  long zero = 0, old = -1, wanted = 1L * rounds * size, changed = 77;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, shown.win);
    MPI_Aint at = shown.origin[static_cast<std::size_t>(size - 1)] + 400;
    MPI_Compare_and_swap(&changed, &zero, &old, MPI_LONG, size - 1, at, shown.win);
    MPI_Win_flush(size - 1, shown.win);
    CHECK(old == wanted);
    MPI_Compare_and_swap(&changed, &wanted, &old, MPI_LONG, size - 1, at, shown.win);
    MPI_Request request;
    long got = 0;
    MPI_Rget_accumulate(nullptr, 0, MPI_LONG, &got, 1, MPI_LONG, size - 1, at, 1, MPI_LONG, MPI_NO_OP, shown.win,
                        &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == 77);
    MPI_Win_unlock(size - 1, shown.win);
  }
  if (kind != Memory::dynamic) {
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, shown.win);
    CHECK(class_of(MPI_Put(mine, 10, MPI_INT, next, 7990, 10, MPI_INT, shown.win)) == MPI_ERR_RMA_RANGE);
    CHECK(class_of(MPI_Put(mine, 1, MPI_INT, size, 0, 1, MPI_INT, shown.win)) == MPI_ERR_RANK);
    CHECK(MPI_Put(mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, shown.win) == MPI_SUCCESS);
    MPI_Win_unlock(next, shown.win);
  }
  MPI_Type_free(&third);
  hide(kind, shown);
}

/// A counter that only one rank changes at a time, by get and put.
void exclusive_locks(Memory kind) {
  Shown shown = show(kind, 64);
  for (int i = 0; i < rounds / 4; ++i) {
    int number = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, shown.win);
    MPI_Get(&number, 1, MPI_INT, 0, shown.origin[0], 1, MPI_INT, shown.win);
    MPI_Win_flush(0, shown.win);
    ++number;
    MPI_Put(&number, 1, MPI_INT, 0, shown.origin[0], 1, MPI_INT, shown.win);
    MPI_Win_unlock(0, shown.win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) CHECK(*reinterpret_cast<int*>(shown.base) == rounds / 4 * size);
  MPI_Barrier(MPI_COMM_WORLD);
  hide(kind, shown);
}

void post_and_start(Memory kind) {
  Shown shown = show(kind, 64);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Group all, origins, targets;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &before, &origins);
  MPI_Group_incl(all, 1, &next, &targets);
  for (int round = 1; round <= 20; ++round) {
    int number = rank + round * 1000;
    MPI_Win_post(origins, 0, shown.win);
    MPI_Win_start(targets, 0, shown.win);
    MPI_Put(&number, 1, MPI_INT, next, shown.origin[static_cast<std::size_t>(next)], 1, MPI_INT, shown.win);
    CHECK(class_of(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, shown.win)) == MPI_ERR_RMA_SYNC);
    MPI_Win_complete(shown.win);
    MPI_Win_wait(shown.win);
    CHECK(*reinterpret_cast<int*>(shown.base) == before + round * 1000);
  }
  MPI_Group_free(&all), MPI_Group_free(&origins), MPI_Group_free(&targets);
  hide(kind, shown);
}

// Pairs in a datatype, and records that are moved as bytes from odd places.
void pairs_and_records() {
  struct Pair {
    long double value;
    int index;
  };
  Pair *memory, mine[4] = {{1, rank}, {2, rank}, {-3, 0}, {4, 0}};
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(Pair), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  std::memset(memory, 0, 8 * sizeof(Pair));
  MPI_Datatype every_other;
  MPI_Type_vector(2, 1, 2, MPI_LONG_DOUBLE_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  CHECK(MPI_Accumulate(mine, 1, every_other, next, 0, 1, every_other, MPI_MAXLOC, win) == MPI_SUCCESS);
  char record[21], got[21] = {};
  for (int i = 0; i < 21; ++i) record[i] = static_cast<char>(rank * 21 + i);
  for (int at : {128, 131, 133}) {
    MPI_Accumulate(record, 21, MPI_BYTE, next, at, 21, MPI_BYTE, MPI_REPLACE, win);
    MPI_Win_flush(next, win);
    MPI_Get_accumulate(nullptr, 0, MPI_BYTE, got, 21, MPI_BYTE, next, at, 21, MPI_BYTE, MPI_NO_OP, win);
    MPI_Win_flush(next, win);
    CHECK(std::memcmp(got, record, 21) == 0);
  }
  MPI_Get_accumulate(record, 5, MPI_BYTE, got, 5, MPI_BYTE, next, 135, 5, MPI_BYTE, MPI_REPLACE, win);
  MPI_Win_flush(next, win);
  CHECK(std::memcmp(got, record + 2, 5) == 0);
  // What has no elements makes no second kind of a datatype.
  const int lengths[] = {3, 0}, ones[] = {1, 2, 3};
  const MPI_Aint places[] = {0, 12};
  const MPI_Datatype kinds[] = {MPI_INT, MPI_FLOAT};
  MPI_Datatype three;
  MPI_Type_create_struct(2, lengths, places, kinds, &three);
  MPI_Type_commit(&three);
  CHECK(MPI_Accumulate(ones, 1, three, next, 192, 1, three, MPI_SUM, win) == MPI_SUCCESS);
  MPI_Win_flush(next, win);
  int sums[3] = {};
  MPI_Get_accumulate(nullptr, 0, MPI_INT, sums, 3, MPI_INT, next, 192, 3, MPI_INT, MPI_NO_OP, win);
  MPI_Win_flush(next, win);
  CHECK(std::memcmp(sums, ones, sizeof ones) == 0);
  MPI_Type_free(&three);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(memory[0].value == 1 && memory[0].index == before && memory[1].value == 0 && memory[2].value == 0);
  MPI_Type_free(&every_other);
  MPI_Win_free(&win);
}

void shared_memory() {
  int* mine;
  MPI_Win win;
  MPI_Win_allocate_shared(4 * (rank + 1), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i <= rank; ++i) mine[i] = rank * 10 + i;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  int* first;
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  CHECK(bytes == 4 && unit == 4);
  for (int r = 0, at = 0; r < size; ++r)  // one behind the other
    for (int i = 0; i <= r; ++i) CHECK(first[at++] == r * 10 + i);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// Sums of small elements, wherever they lie: nothing is lost, and nothing is carried from one to its neighbour.
template <class Element>
void small_elements(MPI_Datatype type, int place) {
  constexpr int count = 21;
  Element* memory;
  Element mine[count];
  [[maybe_unused]] Element old[count];
  MPI_Win win;
  MPI_Win_allocate(2 * count * sizeof(Element), sizeof(Element), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  std::fill(memory, memory + 2 * count, Element{0});
  for (int i = 0; i < count; ++i) mine[i] = static_cast<Element>(-1 - i);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < rounds; ++i) MPI_Accumulate(mine, count, type, 0, place, count, type, MPI_SUM, win);
  MPI_Win_flush(0, win);
  if constexpr (std::is_integral_v<Element> && !std::is_same_v<Element, char>) {
    MPI_Barrier(MPI_COMM_WORLD);  // sums and what follows do not commute
    MPI_Accumulate(mine, count, type, 0, place, count, type, MPI_BXOR, win);
    MPI_Win_flush(0, win);
    MPI_Get_accumulate(mine, count, type, old, count, type, 0, place, count, type, MPI_BXOR, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    for (int i = 0; i < 2 * count; ++i) {
      bool within = i >= place && i < place + count;
      CHECK(memory[i] == static_cast<Element>(within ? -(1 + i - place) * rounds * size : 0));
    }
  MPI_Win_free(&win);
}

// Elements lie where a datatype places them, wherever it begins: no update is lost when ranks add to the same elements
// through different datatypes.
void alignments() {
  const int times = 20 * rounds * rounds, one = 1;
  const MPI_Aint three = 3;
  int* numbers;
  MPI_Datatype behind;
  MPI_Win win;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &win);
  std::memset(numbers, 0, 64);
  MPI_Type_create_hindexed(1, &one, &three, MPI_INT, &behind);
  MPI_Type_commit(&behind);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < times; ++i) {
    if (rank % 2 == 0) MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_SUM, win);
    else MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, behind, MPI_SUM, win);
    if (i % 20 != 0) continue;
    MPI_Accumulate(&one, 1, MPI_INT, 0, 30, 1, behind, MPI_SUM, win);  // where no int should be
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  int misplaced;
  std::memcpy(&misplaced, reinterpret_cast<char*>(numbers) + 33, sizeof misplaced);
  if (rank == 0) CHECK(numbers[1] == times * size && misplaced == times / 20 * size);
  MPI_Win_free(&win);
  MPI_Type_free(&behind);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node;
  int on_node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &on_node);
  MPI_Comm_free(&node);
  if (on_node < size) rounds = 20;
  for (Memory kind : {Memory::created, Memory::allocated, Memory::shared, Memory::heap, Memory::dynamic}) {
    if (kind == Memory::shared && on_node < size) continue;
    transfers(kind);
    exclusive_locks(kind);
    post_and_start(kind);
  }
  if (on_node == size) shared_memory();
  pairs_and_records();
  alignments();
  for (int place : {0, 1, 3, 7}) {
    small_elements<unsigned char>(MPI_UNSIGNED_CHAR, place);
    small_elements<char>(MPI_CHAR, place);
    small_elements<short>(MPI_SHORT, place);
    small_elements<float>(MPI_FLOAT, place);
    small_elements<unsigned>(MPI_UNSIGNED, place);
    small_elements<long>(MPI_LONG, place);
  }
  MPI_Finalize();
  return 0;
}
