/* SPDX-License-Identifier: Apache-2.0
 * MPI_T: the variables of the configuration, figures of messages, transfers and files, and their categories. */
#include "check.h"

static MPI_T_pvar_session session;

static unsigned long figure(const char* name, int variable_class) {
  int index, room;
  MPI_T_pvar_handle handle;
  unsigned long number = 99;
  CHECK(MPI_T_pvar_get_index(name, variable_class, &index) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &room) == MPI_SUCCESS && room == 1);
  CHECK(MPI_T_pvar_read(session, handle, &number) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(session, handle, NULL) == MPI_T_ERR_INVALID &&
        MPI_T_pvar_session_create(NULL) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_pvar_reset(session, handle) == MPI_T_ERR_PVAR_NO_WRITE);
  MPI_T_pvar_handle_free(session, &handle);
  return number;
}

/* Before MPI begins: variables have types, choices are enumerations, and what this process reads later may be set. */
static void controls(void) {
  int count, index, length = 0, verbosity, bind, scope, room, value, items;
  MPI_Datatype type;
  MPI_T_enum choices;
  MPI_T_cvar_handle handle;
  char name[64], text[2048];
  MPI_T_cvar_get_num(&count);
  CHECK(count > 10);
  CHECK(MPI_T_cvar_handle_alloc(0, NULL, NULL, &room) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_get_index("ATOLL_SPUN_US", &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_cvar_get_index("ATOLL_SPIN_US", &index) == MPI_SUCCESS);
  CHECK(MPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type, &choices, NULL, NULL, &bind, &scope) ==
        MPI_SUCCESS);
  CHECK(length == (int)sizeof("ATOLL_SPIN_US") && scope == MPI_T_SCOPE_ALL_EQ && choices == MPI_T_ENUM_NULL);
  length = 8;
  MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  CHECK(strcmp(name, "ATOLL_S") == 0);
  CHECK(type == MPI_INT);
  CHECK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &room) == MPI_SUCCESS && room == 1);
  value = 7;
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_SUCCESS);
  value = 0;
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value == 7);
  value = -5;
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value == 7);
  MPI_T_cvar_handle_free(&handle);
  CHECK(handle == MPI_T_CVAR_HANDLE_NULL && MPI_T_cvar_read(handle, &value) == MPI_T_ERR_INVALID_HANDLE);

  CHECK(MPI_T_cvar_get_index("ATOLL_MPI_CHECK", &index) == MPI_SUCCESS);
  MPI_T_cvar_get_info(index, NULL, NULL, NULL, &type, &choices, NULL, NULL, NULL, &scope);
  CHECK(type == MPI_INT && scope == MPI_T_SCOPE_READONLY);
  length = sizeof(name);
  CHECK(MPI_T_enum_get_info(choices, &items, name, &length) == MPI_SUCCESS && items == 2 &&
        strcmp(name, "ATOLL_MPI_CHECK") == 0);
  length = sizeof(name);
  CHECK(MPI_T_enum_get_item(choices, 1, &value, name, &length) == MPI_SUCCESS && value == 1 && strcmp(name, "1") == 0);
  CHECK(MPI_T_enum_get_item(choices, 2, &value, name, &length) == MPI_T_ERR_INVALID_ITEM);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &room);
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_CVAR_SET_NEVER);
  MPI_T_cvar_handle_free(&handle);
  /* A choice that is none leaves the value. */
  int before;
  MPI_T_cvar_get_index("ATOLL_LOG", &index);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &room);
  CHECK(MPI_T_cvar_read(handle, &before) == MPI_SUCCESS);
  for (int wrong = -1; wrong <= 4; wrong += 5) {
    CHECK(MPI_T_cvar_write(handle, &wrong) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value == before);
  }
  MPI_T_cvar_handle_free(&handle);
  /* All can be read, as what they say they are. */
  for (index = 0; index < count; ++index) {
    MPI_T_cvar_get_info(index, NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, NULL);
    CHECK(type == MPI_INT || type == MPI_COUNT || type == MPI_UNSIGNED_LONG || type == MPI_DOUBLE || type == MPI_CHAR);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &room);
    CHECK(room <= (int)sizeof(text) && MPI_T_cvar_read(handle, text) == MPI_SUCCESS);
    MPI_T_cvar_handle_free(&handle);
  }
}

static void categories(void) {
  int count, index, variables, figures, below, all, room, found = 0, members[8];
  MPI_T_category_get_num(&count);
  CHECK(MPI_T_category_get_index("atoll", &index) == MPI_SUCCESS);
  MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, &variables, &figures, &below);
  CHECK(variables == 0 && figures == 0 && below == count - 1 && below <= 8);
  MPI_T_category_get_categories(index, 8, members);
  MPI_T_pvar_get_num(&all);
  for (int i = 0; i < below; ++i) {
    MPI_T_category_get_info(members[i], NULL, NULL, NULL, NULL, &variables, &figures, &room);
    found += figures;
  }
  CHECK(found == all);
  CHECK(MPI_T_category_get_index("atoll.configuration", &index) == MPI_SUCCESS);
  MPI_T_category_get_info(index, NULL, NULL, NULL, NULL, &variables, &figures, &below);
  MPI_T_cvar_get_num(&all);
  CHECK(variables == all && figures == 0);
  CHECK(MPI_T_category_get_index("coral", &index) == MPI_T_ERR_INVALID_NAME);
}

/* Handles serve in their own session alone, until they are freed. */
static void handles(void) {
  MPI_T_pvar_session one, other;
  MPI_T_pvar_handle handle, freed, null = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_cvar_handle control, copy;
  unsigned long number;
  int index, room, value;
  MPI_T_pvar_get_index("messages_sent", MPI_T_PVAR_CLASS_COUNTER, &index);
  CHECK(MPI_T_pvar_session_create(&one) == MPI_SUCCESS && MPI_T_pvar_session_create(&other) == MPI_SUCCESS &&
        one != other);
  CHECK(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, index, NULL, &handle, &room) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_handle_alloc(one, -1, NULL, &handle, &room) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_handle_alloc(one, index, NULL, &handle, &room) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(one, handle, &number) == MPI_SUCCESS);
  CHECK(MPI_T_pvar_read(other, handle, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_readreset(other, handle, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_reset(other, handle) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_start(other, handle) == MPI_T_ERR_INVALID_HANDLE &&
        MPI_T_pvar_stop(other, handle) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_write(other, handle, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_handle_free(other, &handle) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_handle_free(one, &null) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_read(one, MPI_T_PVAR_ALL_HANDLES, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_reset(one, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  freed = handle;
  CHECK(MPI_T_pvar_handle_free(one, &handle) == MPI_SUCCESS && handle == MPI_T_PVAR_HANDLE_NULL);
  CHECK(MPI_T_pvar_read(one, freed, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_handle_free(one, &freed) == MPI_T_ERR_INVALID_HANDLE);
  /* A session takes its handles along. */
  CHECK(MPI_T_pvar_handle_alloc(other, index, NULL, &handle, &room) == MPI_SUCCESS);
  MPI_T_pvar_session gone = other;
  CHECK(MPI_T_pvar_session_free(&other) == MPI_SUCCESS && other == MPI_T_PVAR_SESSION_NULL);
  CHECK(MPI_T_pvar_read(gone, handle, &number) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_read(one, handle, &number) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_session_free(&gone) == MPI_T_ERR_INVALID_SESSION &&
        MPI_T_pvar_session_free(&other) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_session_free(&one) == MPI_SUCCESS);
  MPI_T_cvar_get_index("ATOLL_SPIN_US", &index);
  MPI_T_cvar_handle_alloc(index, NULL, &control, &room);
  copy = control;
  CHECK(MPI_T_cvar_handle_free(&control) == MPI_SUCCESS && MPI_T_cvar_handle_free(&copy) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_cvar_read(copy, &value) == MPI_T_ERR_INVALID_HANDLE &&
        MPI_T_cvar_write(copy, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_enum_get_info((MPI_T_enum)&value, &room, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
}

static void messages(void) {
  enum { up = MPI_T_PVAR_CLASS_COUNTER, level = MPI_T_PVAR_CLASS_LEVEL };
  MPI_Request requests[3];
  static char data[1000], more[1000];
  CHECK(figure("posted_receives", level) == 0);
  unsigned long sent = figure("messages_sent", up), bytes = figure("bytes_sent", up),
                received = figure("messages_received", up), taken = figure("bytes_received", up),
                early = figure("messages_early", up);
  MPI_Irecv(more, 1000, MPI_CHAR, me, 1, MPI_COMM_WORLD, &requests[0]);
  CHECK(figure("posted_receives", level) == 1);
  MPI_Isend(data, 10, MPI_CHAR, me, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Isend(data, 700, MPI_CHAR, me, 2, MPI_COMM_WORLD, &requests[2]);
  int flag = 0;
  while (!flag) MPI_Iprobe(me, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(figure("unexpected_messages", level) == 1);
  MPI_Recv(more, 1000, MPI_CHAR, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  CHECK(figure("messages_sent", up) == sent + 2 && figure("bytes_sent", up) == bytes + 710);
  CHECK(figure("messages_received", up) == received + 2 && figure("bytes_received", up) == taken + 710);
  CHECK(figure("messages_early", up) == early + 1 && figure("unexpected_messages", level) == 0);
  unsigned long waits = figure("waits", up);
  MPI_Irecv(more, 1, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  CHECK(figure("waits", up) >= waits);
}

static void files(void) {
  enum { up = MPI_T_PVAR_CLASS_COUNTER };
  char name[64], data[300] = {0};
  snprintf(name, sizeof(name), "tool-%d-of-%d.tmp", me, ranks);
  MPI_File file;
  unsigned long writes = figure("file_writes", up), written = figure("file_written_bytes", up),
                reads = figure("file_reads", up);
  CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  MPI_File_write_at(file, 0, data, 300, MPI_CHAR, MPI_STATUS_IGNORE);
  CHECK(figure("file_writes", up) == writes + 1 && figure("file_written_bytes", up) == written + 300);
  MPI_File_read_at(file, 0, data, 300, MPI_CHAR, MPI_STATUS_IGNORE);
  CHECK(figure("file_reads", up) == reads + 1);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  int provided, count, value = 1, index, room;
  CHECK(MPI_T_cvar_get_num(&count) == MPI_T_ERR_NOT_INITIALIZED);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  controls();
  begin(&argc, &argv);
  MPI_T_cvar_handle handle;
  MPI_T_cvar_get_index("ATOLL_SPIN_US", &index);
  MPI_T_cvar_handle_alloc(index, NULL, &handle, &room);
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_CVAR_SET_NOT_NOW);
  MPI_T_cvar_handle_free(&handle);
  categories();
  handles();
  MPI_T_pvar_session_create(&session);
  messages();
  files();
  MPI_T_pvar_session_free(&session);
  MPI_Finalize();
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return 0;
}
