/* SPDX-License-Identifier: Apache-2.0
 * Memory allocation kinds of communicators, windows, files and sessions, in a program without a GPU. */
#include <mpi-ext.h>
#include <unistd.h>

#include "check.h"

static const char* const provided = "mpi_memory_alloc_kinds";
static const char* const asserted = "mpi_assert_memory_alloc_kinds";

static int has(const char* value, const char* kind) {
  const size_t length = strlen(kind);
  for (const char* at = value; (at = strstr(at, kind)) != NULL; at += length)
    if ((at == value || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

/* Frees `info`. Empty: there is no such key. */
static const char* value_of(MPI_Info info, const char* key) {
  static char value[MPI_MAX_INFO_VAL];
  int flag;
  MPI_Info_get(info, key, sizeof(value) - 1, value, &flag);
  if (!flag) value[0] = '\0';
  MPI_Info_free(&info);
  return value;
}
static MPI_Info asserting(const char* kinds) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, asserted, kinds);
  return info;
}
static MPI_Info of_comm(MPI_Comm comm) {
  MPI_Info info;
  MPI_Comm_get_info(comm, &info);
  return info;
}
static MPI_Info of_window(MPI_Win window) {
  MPI_Info info;
  MPI_Win_get_info(window, &info);
  return info;
}
static MPI_Info of_file(MPI_File file) {
  MPI_Info info;
  MPI_File_get_info(file, &info);
  return info;
}
static MPI_Info of_session(MPI_Session session) {
  MPI_Info info;
  MPI_Session_get_info(session, &info);
  return info;
}

static void communicators(void) {
  const char* kinds = value_of(of_comm(MPI_COMM_WORLD), provided);
  CHECK(has(kinds, "system") && has(kinds, "mpi") && has(kinds, "mpi:alloc_mem") && has(kinds, "mpi:win_allocate"));
  CHECK(strstr(kinds, "cuda") == NULL && strstr(kinds, "rocm") == NULL);
  CHECK(*value_of(of_comm(MPI_COMM_WORLD), asserted) == '\0');
  MPI_Comm copy, again;
  MPI_Info info = asserting("system,MPI:alloc_mem");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
  MPI_Info_free(&info);
  CHECK(strcmp(value_of(of_comm(copy), asserted), "system,MPI:alloc_mem") == 0);
  MPI_Comm_dup(copy, &again);
  CHECK(strcmp(value_of(of_comm(again), asserted), "system,MPI:alloc_mem") == 0);
  /* what is not supported is not asserted */
  info = asserting("system,cuda:device");
  MPI_Comm_set_info(again, info);
  MPI_Info_free(&info);
  CHECK(*value_of(of_comm(again), asserted) == '\0');
  info = asserting("system:alloc_mem");
  MPI_Comm_set_info(again, info);
  MPI_Info_free(&info);
  CHECK(*value_of(of_comm(again), asserted) == '\0');
  MPI_Comm_free(&again);
  MPI_Comm_free(&copy);
}

static void windows_and_files(void) {
  static int word;
  char world[MPI_MAX_INFO_VAL];
  strcpy(world, value_of(of_comm(MPI_COMM_WORLD), provided));
  MPI_Win window;
  MPI_Info info = asserting("system");
  MPI_Win_create(&word, sizeof(word), 1, info, MPI_COMM_WORLD, &window);
  CHECK(strcmp(value_of(of_window(window), provided), world) == 0);
  CHECK(strcmp(value_of(of_window(window), asserted), "system") == 0);
  MPI_Win_free(&window);
  MPI_File file;
  char path[64];
  snprintf(path, sizeof(path), "/tmp/atoll-kinds-%d-%d", (int)getpid(), me);
  CHECK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file) ==
        MPI_SUCCESS);
  CHECK(strcmp(value_of(of_file(file), provided), world) == 0);
  CHECK(strcmp(value_of(of_file(file), asserted), "system") == 0);
  MPI_File_close(&file);
  MPI_Info_free(&info);
}

static void sessions(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  const char* kinds = value_of(of_session(session), provided);
  CHECK(has(kinds, "system") && has(kinds, "mpi"));
  MPI_Session_finalize(&session);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, provided, "mpi:win_allocate:alloc_mem,cuda:device,sand");
  MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
  MPI_Info_free(&info);
  kinds = value_of(of_session(session), provided);
  CHECK(has(kinds, "mpi:win_allocate:alloc_mem") && !has(kinds, "sand") && !has(kinds, "cuda:device"));
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int supported = 1;
  CHECK(MPIX_Query_cuda_support() == 0 && MPIX_Query_hip_support() == 0);
  CHECK(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && !supported);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FAILS(MPIX_GPU_query_support(7, &supported), MPI_ERR_ARG);
  communicators();
  windows_and_files();
  sessions();
  MPI_Finalize();
  return 0;
}
