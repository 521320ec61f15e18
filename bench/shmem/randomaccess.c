// SPDX-License-Identifier: Apache-2.0
// randomaccess: every PE visits random words of a table that lies over all PEs: reads them, adds to them by an atomic
// operation, and updates them (xor with a random word) by get and put and by an atomic xor.
//
// Updates by get and put may lose one that another PE makes at the same time: as in HPCC's rules, up to one word in a
// hundred may be wrong in the end.
#include "table.h"

static uint64_t* values;  // what to xor
static uint64_t seen;

static void get(void) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < request_count; ++i) sum += comm_get_word(table_at(requests[i]), table_pe(requests[i]));
  seen = sum;
}

static void add(void) {
  for (uint64_t i = 0; i < request_count; ++i) comm_add(table_at(requests[i]), 1, table_pe(requests[i]));
  comm_barrier();
}

static void update_by_put(void) {
  for (uint64_t i = 0; i < request_count; ++i) {
    uint64_t* at = table_at(requests[i]);
    int pe = table_pe(requests[i]);
    comm_put_word(at, comm_get_word(at, pe) ^ values[i], pe);
  }
  comm_barrier();
}

static void update_by_atomic(void) {
  for (uint64_t i = 0; i < request_count; ++i) comm_xor(table_at(requests[i]), values[i], table_pe(requests[i]));
  comm_barrier();
}

// Words that differ from the start after every update was made twice.
static uint64_t changed(void) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < table_words; ++i) count += table[i] != table_value((uint64_t)comm_me() << table_shift | i);
  return comm_total(count);
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t bytes = table_options(1 << 20);
  bench_begin(bytes, 1);
  table_make();
  values = bench_memory(request_count * 8);
  for (uint64_t i = 0; i < request_count; ++i) values[i] = bench_mix(~((uint64_t)comm_me() * request_count + i));

  double seconds = bench_problem(table_fill, get);
  uint64_t wanted = 0;
  for (uint64_t i = 0; i < request_count; ++i) wanted += table_value(requests[i]);
  bench_check(seen == wanted, "get");
  table_point("get", seconds, comm_total(seen));

  seconds = bench_problem(table_clear, add);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < table_words; ++i) sum += table[i];
  bench_check(comm_total(sum) == request_count * (uint64_t)comm_pes(), "add");
  table_point("add", seconds, table_hash());

  seconds = bench_problem(table_fill, update_by_put);
  update_by_put();
  bench_check(changed() <= table_words * (uint64_t)comm_pes() / 100, "update_by_put");
  table_point("update_by_put", seconds, 0);  // lost updates differ from run to run

  seconds = bench_problem(table_fill, update_by_atomic);
  uint64_t hash = table_hash();
  update_by_atomic();
  bench_check(changed() == 0, "update_by_atomic");
  table_point("update_by_atomic", seconds, hash);
  return bench_end();
}
