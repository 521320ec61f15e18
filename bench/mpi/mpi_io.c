// SPDX-License-Identifier: Apache-2.0
// mpi_io: one file written by all ranks at once (MPI_File_write_all), whose blocks are dealt out in turns: 64 bytes, 4
// KiB and 1 MiB each, as a view. The file lies in TMPDIR and is not flushed: what is measured is the way into the page
// cache.
#include "../shmem/bench.h"

static char* data;
static size_t mine, block, total;
static char path[4096];

static void fill(void) {
  for (size_t i = 0; i < mine / 8; ++i) {
    uint64_t value = bench_mix((uint64_t)comm_me() << 40 | i);
    memcpy(data + 8 * i, &value, 8);
  }
}

static MPI_File open_file(int mode) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) comm_fail("cannot open the file");
  MPI_Datatype turns;
  MPI_Type_vector((int)(mine / block), (int)block, (int)block * comm_pes(), MPI_BYTE, &turns);
  MPI_Type_commit(&turns);
  if (MPI_File_set_view(file, (MPI_Offset)block * comm_me(), MPI_BYTE, turns, "native", MPI_INFO_NULL) != MPI_SUCCESS)
    comm_fail("cannot set the view");
  MPI_Type_free(&turns);
  return file;
}

static MPI_File file;
static void prepare(void) { file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR); }
static void run(void) {
  MPI_Status status;
  int count = 0;
  int code = MPI_File_write_all(file, data, (int)mine, MPI_BYTE, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  bench_check(code == MPI_SUCCESS && count == (int)mine, "write_all");
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  total = bench_option("total", 128 << 20);
  bench_begin(64, 1);
  mine = total / (size_t)comm_pes() / (1 << 20) * (1 << 20);
  if (mine == 0) comm_fail("--total: at least 1 MiB for each rank");
  const char* folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/atoll-bench-mpi-io-%d", folder == NULL ? "/tmp" : folder, (int)getuid());
  data = bench_memory(mine);
  fill();
  const size_t blocks[] = {64, 4096, 1 << 20};
  for (unsigned i = 0; i < 3; ++i) {
    block = blocks[i];
    if (comm_me() == 0) MPI_File_delete(path, MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = bench_problem(prepare, run);
    uint64_t hash = bench_hash(data, mine);
    prepare();
    memset(data, 0, mine);
    MPI_File_read_all(file, data, (int)mine, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    bench_check(bench_hash(data, mine) == hash, "write_all");
    bench_point((BenchPoint){.name = "write_all",
                             .size = block,
                             .seconds = seconds,
                             .work = (double)mine * comm_pes(),
                             .unit = "B",
                             .checksum = comm_total(hash)});
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm_me() == 0) MPI_File_delete(path, MPI_INFO_NULL);
  free(data);
  return bench_end();
}
