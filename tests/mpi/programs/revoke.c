/* SPDX-License-Identifier: Apache-2.0
 * Communicators are revoked: calls that make, use or free them end, also if no rank dies. */
#include "check.h"

#include <mpi-ext.h>
#include <signal.h>

enum { rounds = 200 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int round = 0; round < rounds; ++round) {
    /* A rank that has it may revoke it before the others have it: they get a revoked one. */
    MPI_Comm comm;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    if (me == round % ranks) MPIX_Comm_revoke(comm);
    else FAILS(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    /* The others are notified at once, in a barrier, or when they wait for all in MPI_Comm_free. */
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
    if (me == round % ranks) MPIX_Comm_revoke(comm);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  /* One rank dies, the first revokes, and the others call until they are notified. */
  MPI_Comm comm;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  MPI_Barrier(comm);
  /* Freed receive requests, before and after the death, report no failure. */
  static int late[2];
  MPI_Request let_go;
  CHECK(MPI_Irecv(&late[0], 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, &let_go) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&let_go) == MPI_SUCCESS);
  if (me == ranks - 1 && me > 0) raise(SIGKILL);
  MPI_Message message;
  if (me == 0 && ranks > 1)
    FAILS(MPI_Mprobe(MPI_ANY_SOURCE, 5, comm, &message, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  CHECK(MPI_Irecv(&late[1], 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, &let_go) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&let_go) == MPI_SUCCESS && let_go == MPI_REQUEST_NULL);
  int code = MPI_SUCCESS;
  while (class_of(code) != MPIX_ERR_REVOKED) {
    if (code != MPI_SUCCESS) FAILS(code, MPIX_ERR_PROC_FAILED);
    if (me == 0 && (code != MPI_SUCCESS || ranks == 1)) MPIX_Comm_revoke(comm);
    code = MPI_Barrier(comm);
  }
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
