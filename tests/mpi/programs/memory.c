/* SPDX-License-Identifier: Apache-2.0
 * Memory of the library: where it begins (mpi_minimum_memory_alignment), and that it is given back. */
#include <stdint.h>
#include "check.h"

static MPI_Info aligned(const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_minimum_memory_alignment", value);
  return info;
}

static void expect_at(const void* memory, uintptr_t alignment) { CHECK((uintptr_t)memory % alignment == 0); }

static void alignments(void) {
  for (uintptr_t alignment = 1; alignment <= (uintptr_t)8 << 20; alignment *= 2) {
    char text[32], *memory[3], *shared;
    MPI_Win win;
    snprintf(text, sizeof text, "%lu", (unsigned long)alignment);
    MPI_Info info = aligned(text);
    for (int i = 0; i < 3; ++i) {
      MPI_Alloc_mem(100 + 5000 * i, info, &memory[i]);
      expect_at(memory[i], alignment);
      memset(memory[i], i, (size_t)(100 + 5000 * i));
    }
    for (int i = 0; i < 3; ++i) MPI_Free_mem(memory[i]);
    MPI_Win_allocate(1000, 1, info, MPI_COMM_WORLD, &shared, &win);
    expect_at(shared, alignment);
    MPI_Win_fence(0, win);
    char mark = (char)(me + 1);
    MPI_Put(&mark, 1, MPI_CHAR, (me + 1) % ranks, 999, 1, MPI_CHAR, win);
    MPI_Win_fence(0, win);
    CHECK(shared[999] == (char)((me + ranks - 1) % ranks + 1));
    MPI_Win_free(&win);
    /* Parts that follow one another without a gap are aligned where their lengths are. */
    if (alignment <= 65536) {
      MPI_Win_allocate_shared((MPI_Aint)alignment * 2, 1, info, MPI_COMM_WORLD, &shared, &win);
      expect_at(shared, alignment);
      char *first, *own;
      MPI_Aint size;
      int unit;
      MPI_Win_shared_query(win, 0, &size, &unit, &first);
      MPI_Win_shared_query(win, me, &size, &unit, &own);
      CHECK(own == shared && shared == first + (MPI_Aint)me * (MPI_Aint)alignment * 2);
      MPI_Win_free(&win);
    }
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(1000 + me, 1, info, MPI_COMM_WORLD, &shared, &win);
    expect_at(shared, alignment);
    memset(shared, 7, (size_t)(1000 + me));
    MPI_Win_free(&win);
    MPI_Info_free(&info);
  }
}

static void refused(void) {
  static const char* const wrong[] = {"0", "-64", "48", "64k", "", "99999999999999999999999"};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    void* memory;
    MPI_Win win;
    MPI_Info info = aligned(wrong[i]);
    FAILS(MPI_Alloc_mem(64, info, &memory), MPI_ERR_INFO_VALUE);
    FAILS(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &memory, &win), MPI_ERR_INFO_VALUE);
    FAILS(MPI_Win_allocate_shared(64, 1, info, MPI_COMM_WORLD, &memory, &win), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
  }
  MPI_Info info = aligned("4611686018427387904");
  void* memory;
  FAILS(MPI_Alloc_mem(64, info, &memory), MPI_ERR_NO_MEM);
  MPI_Info_free(&info);
  info = aligned(" 4096 ");
  CHECK(MPI_Alloc_mem(0, info, &memory) == MPI_SUCCESS);
  expect_at(memory, 4096);
  MPI_Free_mem(memory);
  FAILS(MPI_Free_mem(memory), MPI_ERR_BASE);
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  alignments();
  refused();
  MPI_Finalize();
  return 0;
}
