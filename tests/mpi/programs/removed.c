/* SPDX-License-Identifier: Apache-2.0
 * Functions that MPI 3.0 removed, as programs of MPI 1 call them. */
#include "check.h"

static int called;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  called = class_of(*code);
}

static void error_handlers(void) {
  MPI_Handler_function* function = handler;
  MPI_Errhandler made, found;
  MPI_Errhandler_create(function, &made);
  MPI_Errhandler_set(MPI_COMM_WORLD, made);
  MPI_Errhandler_get(MPI_COMM_WORLD, &found);
  CHECK(found == made);
  MPI_Errhandler_free(&found);
  FAILS(MPI_Bcast(NULL, 0, MPI_INT, ranks, MPI_COMM_WORLD), MPI_ERR_ROOT);
  CHECK(called == MPI_ERR_ROOT);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&made);
}

struct record {
  char letter;
  double number[2];
};

static void types(void) {
  struct record record, got;
  int lengths[2] = {1, 2};
  MPI_Aint places[2], begin, extent, lower, upper;
  MPI_Datatype parts[2] = {MPI_CHAR, MPI_DOUBLE}, type, rows, picked;
  MPI_Status status;
  MPI_Address(&record, &begin);
  MPI_Address(&record.letter, &places[0]);
  MPI_Address(record.number, &places[1]);
  places[0] -= begin;
  places[1] -= begin;
  MPI_Type_struct(2, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  MPI_Type_extent(type, &extent);
  CHECK(extent == (MPI_Aint)sizeof(struct record));
  record.letter = 'a';
  record.number[0] = 1.5;
  record.number[1] = me;
  MPI_Sendrecv(&record, 1, type, (me + 1) % ranks, 0, &got, 1, type, (me + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
               &status);
  CHECK(got.letter == 'a' && got.number[0] == 1.5 && got.number[1] == (me + ranks - 1) % ranks);
  MPI_Type_hvector(3, 1, 100, MPI_INT, &rows);
  MPI_Type_lb(rows, &lower);
  MPI_Type_ub(rows, &upper);
  CHECK(lower == 0 && upper == 204);
  places[0] = 8;
  places[1] = 40;
  MPI_Type_hindexed(2, lengths, places, MPI_INT, &picked);
  MPI_Type_lb(picked, &lower);
  MPI_Type_ub(picked, &upper);
  CHECK(lower == 8 && upper == 48);
  FAILS(MPI_Type_ub(MPI_DATATYPE_NULL, &upper), MPI_ERR_TYPE);
  CHECK(upper == 48);
  MPI_Type_free(&type);
  MPI_Type_free(&rows);
  MPI_Type_free(&picked);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  error_handlers();
  types();
  MPI_Finalize();
  return 0;
}
