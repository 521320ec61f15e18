/* SPDX-License-Identifier: Apache-2.0
 * What MPI defines for null handles, and for requests that are not active. */
#include "check.h"

static void expect_empty(const MPI_Status* status) {
  int count = -1, cancelled = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  MPI_Test_cancelled(status, &cancelled);
  CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled);
}

static void spoil(MPI_Status* status) {
  memset(status, 0, sizeof(*status));
  status->MPI_SOURCE = status->MPI_TAG = 77;
}

/* The same answers for null requests and for one that has not been started. */
static void requests(MPI_Request given) {
  MPI_Request one = given, list[2] = {given, MPI_REQUEST_NULL};
  MPI_Status status, statuses[2];
  int flag = 0, index = 5, done = 5, indices[2];
  spoil(&status);
  MPI_Wait(&one, &status);
  expect_empty(&status);
  spoil(&status);
  MPI_Test(&one, &flag, &status);
  CHECK(flag);
  expect_empty(&status);
  flag = 0;
  spoil(&status);
  MPI_Request_get_status(one, &flag, &status);
  CHECK(flag);
  expect_empty(&status);
  MPI_Waitall(2, list, statuses);
  expect_empty(&statuses[0]);
  flag = 0;
  MPI_Testall(2, list, &flag, statuses);
  CHECK(flag);
  MPI_Waitany(2, list, &index, &status);
  CHECK(index == MPI_UNDEFINED);
  expect_empty(&status);
  index = 5, flag = 0;
  MPI_Testany(2, list, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  expect_empty(&status);
  MPI_Waitsome(2, list, &done, indices, statuses);
  CHECK(done == MPI_UNDEFINED);
  done = 5;
  MPI_Testsome(2, list, &done, indices, statuses);
  CHECK(done == MPI_UNDEFINED);
  flag = 0;
  MPI_Request_get_status_all(2, list, &flag, statuses);
  CHECK(flag);
  expect_empty(&statuses[1]);
  flag = 0, index = 5;
  MPI_Request_get_status_any(2, list, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  expect_empty(&status);
  done = 5;
  MPI_Request_get_status_some(2, list, &done, indices, statuses);
  CHECK(done == MPI_UNDEFINED);
  flag = 0;
  CHECK(MPI_Parrived(MPI_REQUEST_NULL, 3, &flag) == MPI_SUCCESS && flag);
}

static void partitions(void) {
  char data[8];
  int flag = 0;
  MPI_Request receive, other;
  MPI_Precv_init(data, 4, 2, MPI_CHAR, me, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  CHECK(MPI_Parrived(receive, 1, &flag) == MPI_SUCCESS && flag);
  requests(receive);
  MPI_Request_free(&receive);
  MPI_Recv_init(data, 8, MPI_CHAR, me, 9, MPI_COMM_WORLD, &other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FAILS(MPI_Parrived(other, 0, &flag), MPI_ERR_REQUEST);
  FAILS(MPI_Start(&(MPI_Request){MPI_REQUEST_NULL}), MPI_ERR_REQUEST);
  FAILS(MPI_Cancel(&(MPI_Request){MPI_REQUEST_NULL}), MPI_ERR_REQUEST);
  FAILS(MPI_Request_free(&(MPI_Request){MPI_REQUEST_NULL}), MPI_ERR_REQUEST);
  FAILS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  requests(other);
  MPI_Request_free(&other);
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
  CHECK(strcmp(name, "MPI_COMM_NULL") == 0 && length == 13);
  MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
  CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0 && length == 17);
  MPI_Win_get_name(MPI_WIN_NULL, name, &length);
  CHECK(strcmp(name, "MPI_WIN_NULL") == 0 && length == 12);
}

static void no_process(void) {
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Request request;
  MPI_Status status;
  int flag = 0, count;
  char byte;
  MPI_Mrecv(&byte, 1, MPI_CHAR, &message, &status);
  MPI_Get_count(&status, MPI_CHAR, &count);
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG &&
        count == 0);
  message = MPI_MESSAGE_NO_PROC;
  MPI_Imrecv(&byte, 1, MPI_CHAR, &message, &request);
  MPI_Wait(&request, &status);
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(flag && message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
}

static void without(void) {
  MPI_Errhandler handler;
  MPI_Group empty = MPI_GROUP_EMPTY, same;
  MPI_Comm copy;
  int size = 5, result;
  CHECK(MPI_File_get_errhandler(MPI_FILE_NULL, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Group_size(MPI_GROUP_EMPTY, &size);
  CHECK(size == 0);
  MPI_Group_union(empty, MPI_GROUP_EMPTY, &same);
  MPI_Group_compare(same, MPI_GROUP_EMPTY, &result);
  CHECK(result == MPI_IDENT);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy);
  CHECK(MPI_Comm_set_info(copy, MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_Comm_free(&copy);
  MPI_Win win;
  MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(MPI_Win_set_info(win, MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_Win_free(&win);
  CHECK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS && MPI_Startall(0, NULL) == MPI_SUCCESS);
  CHECK(MPI_Testall(0, NULL, &result, MPI_STATUSES_IGNORE) == MPI_SUCCESS && result);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  requests(MPI_REQUEST_NULL);
  partitions();
  names();
  no_process();
  without();
  MPI_Finalize();
  return 0;
}
