/* SPDX-License-Identifier: Apache-2.0
 * The life of communicators: freeing does not wait, pending operations continue, numbers are reused, hints. */
#include "check.h"

/* Rank 0 frees first, and only then sends what the others wait for before they free. */
static void freeing_waits_for_nobody(void) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm copy;
    int value = 0, sum;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, copy);
    CHECK(sum == ranks * (ranks - 1) / 2);
    if (me == 0) {
      MPI_Comm_free(&copy);
      CHECK(copy == MPI_COMM_NULL);
      value = round;
      for (int rank = 1; rank < ranks; ++rank) MPI_Send(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(value == round);
      MPI_Comm_free(&copy);
    }
  }
}

/* Operations that were started before are carried out. */
static void pending_goes_on(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  static int large[1 << 16], all, mine;
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  mine = me;
  MPI_Request request[3];
  static int from[1 << 16];
  for (int i = 0; i < 1 << 16; ++i) large[i] = me + i;
  MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MAX, copy, &request[0]);
  MPI_Irecv(from, 1 << 16, MPI_INT, left, 3, copy, &request[1]);
  MPI_Isend(large, 1 << 16, MPI_INT, right, 3, copy, &request[2]);
  MPI_Comm_free(&copy);
  MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
  CHECK(all == ranks - 1);
  for (int i = 0; i < 1 << 16; ++i) CHECK(from[i] == left + i);
}

/* More than there are numbers, some of them in use all the time. */
static void numbers_are_used_again(int many) {
  MPI_Comm kept[8];
  for (int i = 0; i < 8; ++i) MPI_Comm_dup(MPI_COMM_SELF, &kept[i]);
  for (int i = 0; i < many; ++i) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_free(&copy);
  }
  for (int i = 0; i < 8; ++i) {
    int sent = i, got = -1;
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, i, &got, 1, MPI_INT, 0, i, kept[i], MPI_STATUS_IGNORE);
    CHECK(got == i);
    MPI_Comm_free(&kept[i]);
  }
  /* Among all, with a member that is behind. */
  for (int i = 0; i < 200; ++i) {
    MPI_Comm copy;
    int value = i;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &copy);
    MPI_Bcast(&value, 1, MPI_INT, i % ranks, copy);
    CHECK(value == i);
    MPI_Comm_free(&copy);
  }
}

/* Communicators tell of the hints that the standard has for them, and ignore others. */
static void unknown_hints_are_ignored(void) {
  MPI_Info hints, used;
  MPI_Comm copy;
  char value[8] = "";
  int length = sizeof value, found;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(hints, "no_such_hint", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &copy);
  MPI_Comm_set_info(copy, hints);
  MPI_Comm_get_info(copy, &used);
  MPI_Info_get_string(used, "mpi_assert_no_any_tag", &length, value, &found);
  CHECK(found && strcmp(value, "true") == 0);
  length = sizeof value;
  MPI_Info_get_string(used, "mpi_assert_exact_length", &length, value, &found);
  CHECK(found && strcmp(value, "false") == 0);
  length = sizeof value;
  MPI_Info_get_string(used, "no_such_hint", &length, value, &found);
  CHECK(!found);
  MPI_Info_free(&used);
  MPI_Info_free(&hints);
  MPI_Comm_free(&copy);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  freeing_waits_for_nobody();
  pending_goes_on();
  unknown_hints_are_ignored();
  numbers_are_used_again(ranks <= 2 ? 140000 : 1000);
  MPI_Finalize();
  return 0;
}
