/* SPDX-License-Identifier: Apache-2.0
 * The hardware that a rank is bound to, splits by it and by process sets, and pairs of a value and its index. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include "check.h"

static int has(MPI_Info info, const char* key, const char* value) {
  char found[64];
  int flag, length = sizeof found;
  MPI_Info_get_string(info, key, &length, found, &flag);
  return flag && (value == NULL || strcmp(found, value) == 0);
}

static MPI_Comm part_by(int type, const char* key, const char* value) {
  MPI_Comm part;
  MPI_Info info;
  MPI_Info_create(&info);
  if (key != NULL) MPI_Info_set(info, key, value);
  MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &part);
  MPI_Info_free(&info);
  return part;
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &size);
  return size;
}

static void expect_part(int type, const char* key, const char* value, int size) {
  MPI_Comm part = part_by(type, key, value);
  CHECK(size_of(part) == size);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
}

static void sets(void) {
  expect_part(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://WORLD", ranks);
  expect_part(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://self", 1);
  expect_part(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://lagoon", 0);
  expect_part(MPI_COMM_TYPE_RESOURCE_GUIDED, NULL, NULL, 0);
  expect_part(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", "mpi_shared_memory", ranks);
}

/* Each rank on one processor: odd and even ones apart, where there are two. */
static void bound(void) {
  cpu_set_t all, one;
  int processors[2], count = 0;
  sched_getaffinity(0, sizeof all, &all);
  for (int i = 0; i < CPU_SETSIZE && count < 2; ++i)
    if (CPU_ISSET(i, &all)) processors[count++] = i;
  CPU_ZERO(&one);
  CPU_SET(processors[me % count], &one);
  sched_setaffinity(0, sizeof one, &one);
  MPI_Info info;
  MPI_Get_hw_resource_info(&info);
  CHECK(has(info, "mpi_shared_memory", "true") && has(info, "hwloc://Machine", "true") &&
        has(info, "hwloc://PU", "true"));
  MPI_Info_free(&info);
  const int mine = count == 2 ? (ranks + 1 - me % 2) / 2 : ranks;
  expect_part(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "hwloc://PU", mine);
  expect_part(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", "hwloc://PU", mine);
  expect_part(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "hwloc://Machine", ranks);
  expect_part(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "hwloc://Lagoon", 0);
  MPI_Comm part = part_by(MPI_COMM_TYPE_HW_UNGUIDED, NULL, NULL);
  if (count == 2 && ranks > 1) {
    CHECK(size_of(part) == mine);
    MPI_Comm_get_info(part, &info);
    CHECK(has(info, "mpi_hw_resource_type", NULL));
    MPI_Info_free(&info);
    MPI_Comm_free(&part);
  } else {
    CHECK(part == MPI_COMM_NULL);
  }
  sched_setaffinity(0, sizeof all, &all);
  MPI_Get_hw_resource_info(&info);
  CHECK(has(info, "hwloc://PU", count == 2 ? "false" : "true"));
  MPI_Info_free(&info);
  if (count == 2) expect_part(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "hwloc://PU", 0);
  /* One that wants no part beside others that do. */
  MPI_Comm_split_type(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part);
  CHECK(me != 0 || part == MPI_COMM_NULL);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_split_type(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  CHECK(size_of(part) == (me == 0 ? 0 : ranks - 1));
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
}

#define PAIR(name, value_c, index_c, value_mpi, index_mpi) \
  static void name(void) { \
    struct { \
      value_c value; \
      index_c index; \
    } mine[3], low[3], high[3]; \
    MPI_Datatype pair, again; \
    MPI_Aint lb, extent; \
    MPI_Type_get_value_index(value_mpi, index_mpi, &pair); \
    CHECK(pair != MPI_DATATYPE_NULL); \
    MPI_Type_get_value_index(value_mpi, index_mpi, &again); \
    CHECK(again == pair); \
    MPI_Type_get_extent(pair, &lb, &extent); \
    CHECK(lb == 0 && extent == (MPI_Aint)sizeof mine[0]); \
    for (int i = 0; i < 3; ++i) { \
      mine[i].value = (value_c)(i == 1 ? 5 : 100 + me * (i - 1)); \
      mine[i].index = (index_c)(ranks - me); \
    } \
    MPI_Allreduce(mine, low, 3, pair, MPI_MINLOC, MPI_COMM_WORLD); \
    MPI_Allreduce(mine, high, 3, pair, MPI_MAXLOC, MPI_COMM_WORLD); \
    CHECK(low[0].value == (value_c)(100 - (ranks - 1)) && low[0].index == (index_c)1); \
    CHECK(low[1].value == (value_c)5 && low[1].index == (index_c)1); \
    CHECK(low[2].value == (value_c)100 && low[2].index == (index_c)ranks); \
    CHECK(high[0].value == (value_c)100 && high[0].index == (index_c)ranks); \
    CHECK(high[1].index == (index_c)1); \
    CHECK(high[2].value == (value_c)(100 + ranks - 1) && high[2].index == (index_c)1); \
  }

PAIR(float_int, float, int, MPI_FLOAT, MPI_INT)
PAIR(float_long, float, int64_t, MPI_FLOAT, MPI_INT64_T)
PAIR(double_long, double, long, MPI_DOUBLE, MPI_LONG)
PAIR(natural_pair, uint64_t, uint64_t, MPI_UINT64_T, MPI_UINT64_T)
PAIR(small_pair, uint8_t, int16_t, MPI_UINT8_T, MPI_INT16_T)
PAIR(address_count, MPI_Aint, MPI_Count, MPI_AINT, MPI_COUNT)
PAIR(long_double_long, long double, long long, MPI_LONG_DOUBLE, MPI_LONG_LONG)
PAIR(int32_int32, int32_t, int32_t, MPI_INT32_T, MPI_INT32_T)

static void pairs(void) {
  MPI_Datatype pair, copy, parts[2];
  int integers, addresses, types, combiner;
  float_int(), float_long(), double_long(), natural_pair(), small_pair(), address_count(), long_double_long(),
      int32_int32();
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
  CHECK(pair == MPI_DOUBLE_INT);
  MPI_Type_get_value_index(MPI_2INT, MPI_INT, &pair);
  CHECK(pair == MPI_DATATYPE_NULL);
  MPI_Type_get_value_index(MPI_C_COMPLEX, MPI_INT, &pair);
  CHECK(pair == MPI_DATATYPE_NULL);
  MPI_Type_get_value_index(MPI_FLOAT, MPI_DOUBLE, &pair);
  CHECK(pair == MPI_DATATYPE_NULL);
  MPI_Type_get_value_index(MPI_FLOAT, MPI_LONG, &pair);
  MPI_Type_get_envelope(pair, &integers, &addresses, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_VALUE_INDEX && integers == 0 && addresses == 0 && types == 2);
  MPI_Type_get_contents(pair, 0, 0, 2, NULL, NULL, parts);
  CHECK(parts[0] == MPI_FLOAT && parts[1] == MPI_LONG);
  MPI_Type_dup(pair, &copy);
  struct {
    float value;
    long index;
  } mine = {2, me}, found;
  MPI_Allreduce(&mine, &found, 1, copy, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK(found.value == 2 && found.index == 0);
  MPI_Type_free(&copy);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FAILS(MPI_Type_free(&pair), MPI_ERR_TYPE);
  FAILS(MPI_Allreduce(&mine, &found, 1, pair, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  sets();
  bound();
  pairs();
  MPI_Finalize();
  return 0;
}
