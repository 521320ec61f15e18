/* SPDX-License-Identifier: Apache-2.0
 * MPI_T: the variables of the configuration, and figures of messages. */
#include "check.h"

int main(int argc, char **argv) {
  int provided, count, index, length = 0, verbosity, bind, scope, room;
  CHECK(MPI_T_cvar_get_num(&count) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  MPI_T_cvar_get_num(&count);
  CHECK(count > 10);
  CHECK(MPI_T_cvar_get_index("ATOLL_SPIN_US", &index) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_get_index("ATOLL_SPUN_US", &index) == MPI_T_ERR_INVALID_NAME);
  char name[8], value[2048];
  MPI_Datatype type;
  CHECK(MPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type, NULL, NULL, NULL, &bind, &scope) == MPI_SUCCESS);
  CHECK(length == (int)sizeof("ATOLL_SPIN_US") && type == MPI_CHAR && scope == MPI_T_SCOPE_READONLY);
  length = sizeof(name);
  MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  CHECK(strcmp(name, "ATOLL_S") == 0);
  MPI_T_cvar_handle handle;
  CHECK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &room) == MPI_SUCCESS && room <= (int)sizeof(value));
  CHECK(MPI_T_cvar_read(handle, value) == MPI_SUCCESS && strlen(value) > 0);
  CHECK(MPI_T_cvar_write(handle, value) == MPI_T_ERR_CVAR_SET_NEVER);
  MPI_T_cvar_handle_free(&handle);
  begin(&argc, &argv);
  MPI_T_pvar_session session;
  MPI_T_pvar_handle waiting;
  unsigned long number = 99;
  CHECK(MPI_T_pvar_get_index("posted_receives", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS);
  MPI_T_pvar_session_create(&session);
  CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &waiting, &room) == MPI_SUCCESS && room == 1);
  CHECK(MPI_T_pvar_read(session, waiting, &number) == MPI_SUCCESS && number == 0);
  MPI_Request request;
  MPI_Irecv(&index, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &request);
  MPI_T_pvar_read(session, waiting, &number);
  CHECK(number == 1);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_T_pvar_handle_free(session, &waiting);
  MPI_T_pvar_session_free(&session);
  MPI_Finalize();
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return 0;
}
