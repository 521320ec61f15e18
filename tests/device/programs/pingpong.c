/* SPDX-License-Identifier: Apache-2.0
 * Times of messages between ranks 0 and 1, as lines of JSON: pingpong [repetitions]. In tests it only has to work. */
#include "device.h"

static int to_json;

static double seconds(void* out, void* in, int bytes, MPI_Datatype type, int count, int repetitions) {
  double begun = 0;
  for (int i = -repetitions / 10; i < repetitions; ++i) {
    if (i == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      begun = MPI_Wtime();
    }
    if (me == 0) {
      MPI_Send(out, count, type, 1, bytes & 1, MPI_COMM_WORLD);
      MPI_Recv(in, count, type, 1, bytes & 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (me == 1) {
      MPI_Recv(in, count, type, 0, bytes & 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(in, count, type, 0, bytes & 1, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begun) / (2.0 * repetitions);
}

static void measure(const char* name, void* out, void* in, int bytes, int repetitions) {
  const double one_way = seconds(out, in, bytes, MPI_BYTE, bytes, repetitions);
  if (me == 0 && to_json) printf("{\"name\": \"%s\", \"bytes\": %d, \"seconds\": %.9f}\n", name, bytes, one_way);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int repetitions = argc > 1 ? atoi(argv[1]) : 1;
  to_json = argc > 1;
  const int longest = argc > 1 ? 64 << 20 : 1 << 16;
  void *host_out = malloc(longest), *host_in = malloc(longest);
  memset(host_out, 1, longest);
  memset(host_in, 1, longest);
  begin_device();
  int *out = ints_on_device(longest / sizeof(int), 0), *in = ints_on_device(longest / sizeof(int), 1);
  if (ranks >= 2) {
    measure("host", host_out, host_in, 8, (to_json ? 100 : 1) * repetitions);
    measure("host", host_out, host_in, longest, repetitions);
    measure("device", out, in, 8, (to_json ? 100 : 1) * repetitions);
    measure("device", out, in, longest, repetitions);
    MPI_Datatype column;
    MPI_Type_vector(longest / 16, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    const double one_way = seconds(out, in, 0, column, 1, repetitions);
    if (me == 0 && to_json)
      printf("{\"name\": \"device, every second double\", \"bytes\": %d, \"seconds\": %.9f}\n", longest / 2, one_way);
    MPI_Type_free(&column);
  }
  if (me == 1) CHECK(holds_ints(in, 2, 0, 1));
  free_device(in);
  free_device(out);
  MPI_Finalize();
  return 0;
}
