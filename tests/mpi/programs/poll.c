/* SPDX-License-Identifier: Apache-2.0
 * Calls that a program may repeat until something has changed make progress, whatever they are about: rank 0 has posted
 * all receives and repeats one call until it sees a flag, which rank 1 sets when it has sent more messages than any
 * ring or network keeps. The names are those that the table of functions calls polled (polled.py). */
#include <sched.h>
#include <time.h>

#include "flags.h"
#include "mpi-ext.h"

enum { MESSAGES = 1200, NEVER = 9999 };

static MPI_Request never = MPI_REQUEST_NULL, partitions = MPI_REQUEST_NULL;
static MPI_Win win;
static MPI_File file;
static MPI_Session session;
static MPI_T_pvar_session figures;
static MPI_T_pvar_handle figure;
static MPI_T_cvar_handle control;
static int number, ready, done, word, other = 1, results[4];
static char name[4096];
static MPI_Offset offset;
static MPI_Info info;
static MPI_Message message;
static MPI_Group group;

static void test(void) { MPI_Test(&never, &ready, MPI_STATUS_IGNORE); }
static void test_all(void) { MPI_Testall(1, &never, &ready, MPI_STATUSES_IGNORE); }
static void test_any(void) { MPI_Testany(1, &never, &number, &ready, MPI_STATUS_IGNORE); }
static void test_some(void) { MPI_Testsome(1, &never, &number, results, MPI_STATUSES_IGNORE); }
static void get_status(void) { MPI_Request_get_status(never, &ready, MPI_STATUS_IGNORE); }
static void get_status_all(void) { MPI_Request_get_status_all(1, &never, &ready, MPI_STATUSES_IGNORE); }
static void get_status_any(void) { MPI_Request_get_status_any(1, &never, &number, &ready, MPI_STATUS_IGNORE); }
static void get_status_some(void) { MPI_Request_get_status_some(1, &never, &number, results, MPI_STATUSES_IGNORE); }
static void probe(void) { MPI_Iprobe(0, NEVER, MPI_COMM_WORLD, &ready, MPI_STATUS_IGNORE); }
static void matched_probe(void) { MPI_Improbe(0, NEVER, MPI_COMM_WORLD, &ready, &message, MPI_STATUS_IGNORE); }
static void arrived(void) { MPI_Parrived(partitions, 0, &ready); }
static void sync_window(void) { MPI_Win_sync(win); }
static void flush(void) { MPI_Win_flush(0, win); }
static void flush_all(void) { MPI_Win_flush_all(win); }
static void flush_local(void) { MPI_Win_flush_local(0, win); }
static void flush_local_all(void) { MPI_Win_flush_local_all(win); }
static void get(void) { MPI_Get(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, win); }
static void fetch(void) { MPI_Fetch_and_op(&other, &word, MPI_INT, 0, 0, MPI_SUM, win); }
static void swap(void) { MPI_Compare_and_swap(&other, &other, &word, MPI_INT, 0, 0, win); }
static void get_accumulate(void) {
  MPI_Get_accumulate(&other, 1, MPI_INT, &word, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
}
static void lock(void) {
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Win_unlock(0, win);
}
static void lock_all(void) {
  MPI_Win_lock_all(0, win);
  MPI_Win_unlock_all(win);
}
static void test_window(void) {
  if (!done) MPI_Win_test(win, &done);
}
static void read_control(void) { MPI_T_cvar_read(control, name); }
static void read_figure(void) { MPI_T_pvar_read(figures, figure, results); }
static void reset_figure(void) { MPI_T_pvar_readreset(figures, figure, results); }
static void session_info(void) {
  MPI_Session_get_info(session, &info);
  MPI_Info_free(&info);
}
static void count_sets(void) { MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number); }
static void nth_set(void) {
  int length = sizeof(name);
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name);
}
static void set_info(void) {
  MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
  MPI_Info_free(&info);
}
static void look_up(void) { MPI_Lookup_name("nobody has published this", MPI_INFO_NULL, name); }
static void is_intercomm(void) { MPI_Comm_test_inter(MPI_COMM_WORLD, &ready); }
static void is_revoked(void) { MPIX_Comm_is_revoked(MPI_COMM_WORLD, &ready); }
static void failed(void) {
  MPIX_Comm_get_failed(MPI_COMM_WORLD, &group);
  MPI_Group_free(&group);
}
static void acknowledge(void) { MPIX_Comm_failure_ack(MPI_COMM_WORLD); }
static void acknowledged(void) {
  MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &group);
  MPI_Group_free(&group);
}
static void file_size(void) { MPI_File_get_size(file, &offset); }
static void file_position(void) { MPI_File_get_position(file, &offset); }
static void file_shared_position(void) { MPI_File_get_position_shared(file, &offset); }
static void file_read(void) { MPI_File_read(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE); }
static void file_read_at(void) { MPI_File_read_at(file, 0, &word, 1, MPI_INT, MPI_STATUS_IGNORE); }
static void file_read_shared(void) { MPI_File_read_shared(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE); }
static void file_write(void) {
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_write(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
}
static void file_write_at(void) { MPI_File_write_at(file, 0, &word, 1, MPI_INT, MPI_STATUS_IGNORE); }
static void file_write_shared(void) { MPI_File_write_shared(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE); }

enum Epoch { NONE, LOCKED, POSTED };
static const struct {
  const char* names;
  void (*call)(void);
  enum Epoch epoch;
} calls[] = {
    {"MPI_Test", test, NONE},
    {"MPI_Testall", test_all, NONE},
    {"MPI_Testany", test_any, NONE},
    {"MPI_Testsome", test_some, NONE},
    {"MPI_Request_get_status", get_status, NONE},
    {"MPI_Request_get_status_all", get_status_all, NONE},
    {"MPI_Request_get_status_any", get_status_any, NONE},
    {"MPI_Request_get_status_some", get_status_some, NONE},
    {"MPI_Iprobe", probe, NONE},
    {"MPI_Improbe", matched_probe, NONE},
    {"MPI_Parrived", arrived, NONE},
    {"MPI_Win_sync", sync_window, LOCKED},
    {"MPI_Win_flush", flush, LOCKED},
    {"MPI_Win_flush_all", flush_all, LOCKED},
    {"MPI_Win_flush_local", flush_local, LOCKED},
    {"MPI_Win_flush_local_all", flush_local_all, LOCKED},
    {"MPI_Get", get, LOCKED},
    {"MPI_Fetch_and_op", fetch, LOCKED},
    {"MPI_Compare_and_swap", swap, LOCKED},
    {"MPI_Get_accumulate", get_accumulate, LOCKED},
    {"MPI_Win_lock MPI_Win_unlock", lock, NONE},
    {"MPI_Win_lock_all MPI_Win_unlock_all", lock_all, NONE},
    {"MPI_Win_test", test_window, POSTED},
    {"MPI_T_cvar_read", read_control, NONE},
    {"MPI_T_pvar_read", read_figure, NONE},
    {"MPI_T_pvar_readreset", reset_figure, NONE},
    {"MPI_Session_get_info", session_info, NONE},
    {"MPI_Session_get_num_psets", count_sets, NONE},
    {"MPI_Session_get_nth_pset", nth_set, NONE},
    {"MPI_Session_get_pset_info", set_info, NONE},
    {"MPI_Lookup_name", look_up, NONE},
    {"MPI_Comm_test_inter", is_intercomm, NONE},
    {"MPIX_Comm_is_revoked", is_revoked, NONE},
    {"MPIX_Comm_get_failed", failed, NONE},
    {"MPIX_Comm_failure_ack", acknowledge, NONE},
    {"MPIX_Comm_failure_get_acked", acknowledged, NONE},
    {"MPI_File_get_size", file_size, NONE},
    {"MPI_File_get_position", file_position, NONE},
    {"MPI_File_get_position_shared", file_shared_position, NONE},
    {"MPI_File_read", file_read, NONE},
    {"MPI_File_read_at", file_read_at, NONE},
    {"MPI_File_read_shared", file_read_shared, NONE},
    {"MPI_File_write", file_write, NONE},
    {"MPI_File_write_at", file_write_at, NONE},
    {"MPI_File_write_shared", file_write_shared, NONE},
};

static void repeat(int tag) {
  static MPI_Request requests[MESSAGES];
  static int got[MESSAGES];
  MPI_Group all, pair;
  const int with = 1 - me;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  if (me < 2) MPI_Group_incl(all, 1, &with, &pair);
  if (me == 0) {
    for (int i = 0; i < MESSAGES; ++i) MPI_Irecv(got + i, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, requests + i);
    if (calls[tag].epoch == LOCKED) MPI_Win_lock_all(0, win);
    if (calls[tag].epoch == POSTED) MPI_Win_post(pair, 0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) {
    for (int i = 0; i < MESSAGES; ++i) MPI_Send(&i, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    set_flag(tag);
    if (calls[tag].epoch == POSTED) {
      MPI_Win_start(pair, 0, win);
      MPI_Win_complete(win);
    }
  } else if (me == 0) {
    for (time_t begin = time(NULL); !flag(tag);) {
      calls[tag].call();
      if (time(NULL) - begin < 40) continue;
      fprintf(stderr, "messages make no progress while rank 0 repeats %s\n", calls[tag].names);
      MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MESSAGES; ++i) CHECK(got[i] == i);
    if (calls[tag].epoch == LOCKED) MPI_Win_unlock_all(win);
    if (calls[tag].epoch == POSTED && !done) MPI_Win_wait(win);
  }
  if (me < 2) MPI_Group_free(&pair);
  MPI_Group_free(&all);
}

int main(int argc, char** argv) {
  static int memory[2], sent, received;
  char path[] = "/tmp/atoll-poll-XXXXXX";
  MPI_Request sending;
  int index;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &index);
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (ranks > 1) {
    share_flags();
    close(mkstemp(path));
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_T_pvar_session_create(&figures);
    CHECK(MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS);
    MPI_T_pvar_handle_alloc(figures, index, NULL, &figure, &number);
    MPI_T_cvar_handle_alloc(0, NULL, &control, &number);
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Irecv(&word, 1, MPI_INT, me, NEVER, MPI_COMM_WORLD, &never);
    MPI_Precv_init(&received, 1, 1, MPI_INT, me, NEVER, MPI_COMM_WORLD, MPI_INFO_NULL, &partitions);
    MPI_Start(&partitions);
    for (int tag = 0; tag < (int)(sizeof(calls) / sizeof(*calls)); ++tag) repeat(tag);
    MPI_Psend_init(&sent, 1, 1, MPI_INT, me, NEVER, MPI_COMM_WORLD, MPI_INFO_NULL, &sending);
    MPI_Start(&sending);
    MPI_Pready(0, sending);
    MPI_Wait(&partitions, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Request_free(&partitions);
    MPI_Request_free(&sending);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    MPI_Win_free(&win);
    MPI_T_cvar_handle_free(&control);
    MPI_T_pvar_session_free(&figures);
    MPI_Session_finalize(&session);
    MPI_File_close(&file);
  }
  MPI_Finalize();
  MPI_T_finalize();
  return 0;
}
