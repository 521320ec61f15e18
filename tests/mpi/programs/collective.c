/* SPDX-License-Identifier: Apache-2.0
 * Collectives: every one blocking, non-blocking and persistent, on an intra- and an inter-communicator. */
#include "check.h"

enum { most = 16, count = 50 };
static MPI_Comm comm;
static int mine, members, peers; /* rank and sizes of `comm` */
static int inter;

/* What rank r of the other side (or of this one) gives as element i of block b. */
static int value(int r, int b, int i) { return 10000 * r + 100 * b + i; }
static int out[most * count], in[most * count];
static int counts[most], starts[most];

/* How: 0 blocking, 1 non-blocking, 2 persistent (started twice). */
#define ALL_WAYS(how, plain, started, prepared) \
  do { \
    MPI_Request request = MPI_REQUEST_NULL; \
    if (how == 0) { \
      plain; \
    } else if (how == 1) { \
      started; \
      MPI_Wait(&request, MPI_STATUS_IGNORE); \
    } else { \
      prepared; \
      for (int round = 0; round < 2; ++round) { \
        MPI_Start(&request); \
        MPI_Wait(&request, MPI_STATUS_IGNORE); \
      } \
      MPI_Request_free(&request); \
    } \
  } while (0)

static void reset(int blocks) {
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < count; ++i) out[b * count + i] = value(mine, b, i);
  for (int i = 0; i < most * count; ++i) in[i] = -1;
}

/* Group 0 of an inter-communicator is the one whose root speaks. */
static int root_of(int group) {
  if (!inter) return peers - 1;
  if (group != 0) return peers - 1;
  return mine == members - 1 ? MPI_ROOT : MPI_PROC_NULL;
}

static void moves(int how, int group) {
  int root = root_of(group), is_root = inter ? root == MPI_ROOT : mine == root;
  int remote_root = inter ? peers - 1 : root;
  ALL_WAYS(how, MPI_Barrier(comm), MPI_Ibarrier(comm, &request), MPI_Barrier_init(comm, MPI_INFO_NULL, &request));

  reset(1);
  if (!is_root) memset(out, -1, sizeof(out));
  ALL_WAYS(how, MPI_Bcast(out, count, MPI_INT, root, comm), MPI_Ibcast(out, count, MPI_INT, root, comm, &request),
           MPI_Bcast_init(out, count, MPI_INT, root, comm, MPI_INFO_NULL, &request));
  if (!inter || group == 1)
    for (int i = 0; i < count; ++i) CHECK(out[i] == value(remote_root, 0, i));

  reset(1);
  ALL_WAYS(how, MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, root, comm),
           MPI_Igather(out, count, MPI_INT, in, count, MPI_INT, root, comm, &request),
           MPI_Gather_init(out, count, MPI_INT, in, count, MPI_INT, root, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers && is_root; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == value(r, 0, i));

  reset(peers);
  ALL_WAYS(how, MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, root, comm),
           MPI_Iscatter(out, count, MPI_INT, in, count, MPI_INT, root, comm, &request),
           MPI_Scatter_init(out, count, MPI_INT, in, count, MPI_INT, root, comm, MPI_INFO_NULL, &request));
  if (!inter || group == 1)
    for (int i = 0; i < count; ++i) CHECK(in[i] == value(remote_root, mine, i));

  reset(1);
  ALL_WAYS(how, MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, comm),
           MPI_Iallgather(out, count, MPI_INT, in, count, MPI_INT, comm, &request),
           MPI_Allgather_init(out, count, MPI_INT, in, count, MPI_INT, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == value(r, 0, i));

  reset(peers);
  ALL_WAYS(how, MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm),
           MPI_Ialltoall(out, count, MPI_INT, in, count, MPI_INT, comm, &request),
           MPI_Alltoall_init(out, count, MPI_INT, in, count, MPI_INT, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == value(r, mine, i));

  /* rank r gives r + 1 elements to each, which lie far apart */
  for (int r = 0; r < peers; ++r) counts[r] = r + 1, starts[r] = r * count;
  reset(peers);
  ALL_WAYS(how, MPI_Allgatherv(out, mine + 1, MPI_INT, in, counts, starts, MPI_INT, comm),
           MPI_Iallgatherv(out, mine + 1, MPI_INT, in, counts, starts, MPI_INT, comm, &request),
           MPI_Allgatherv_init(out, mine + 1, MPI_INT, in, counts, starts, MPI_INT, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == (i <= r ? value(r, 0, i) : -1));
  int same[most];
  for (int r = 0; r < peers; ++r) same[r] = mine + 1;
  reset(peers);
  ALL_WAYS(how, MPI_Alltoallv(out, same, starts, MPI_INT, in, counts, starts, MPI_INT, comm),
           MPI_Ialltoallv(out, same, starts, MPI_INT, in, counts, starts, MPI_INT, comm, &request),
           MPI_Alltoallv_init(out, same, starts, MPI_INT, in, counts, starts, MPI_INT, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == (i <= r ? value(r, mine, i) : -1));
  reset(1);
  ALL_WAYS(how, MPI_Gatherv(out, mine + 1, MPI_INT, in, counts, starts, MPI_INT, root, comm),
           MPI_Igatherv(out, mine + 1, MPI_INT, in, counts, starts, MPI_INT, root, comm, &request),
           MPI_Gatherv_init(out, mine + 1, MPI_INT, in, counts, starts, MPI_INT, root, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers && is_root; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == (i <= r ? value(r, 0, i) : -1));
  reset(peers);
  ALL_WAYS(how, MPI_Scatterv(out, counts, starts, MPI_INT, in, mine + 1, MPI_INT, root, comm),
           MPI_Iscatterv(out, counts, starts, MPI_INT, in, mine + 1, MPI_INT, root, comm, &request),
           MPI_Scatterv_init(out, counts, starts, MPI_INT, in, mine + 1, MPI_INT, root, comm, MPI_INFO_NULL, &request));
  if (!inter || group == 1)
    for (int i = 0; i <= mine; ++i) CHECK(in[i] == value(remote_root, mine, i));

  MPI_Datatype types[most];
  int bytes[most];
  for (int r = 0; r < peers; ++r) types[r] = MPI_INT, bytes[r] = starts[r] * (int)sizeof(int);
  reset(peers);
  ALL_WAYS(how, MPI_Alltoallw(out, same, bytes, types, in, counts, bytes, types, comm),
           MPI_Ialltoallw(out, same, bytes, types, in, counts, bytes, types, comm, &request),
           MPI_Alltoallw_init(out, same, bytes, types, in, counts, bytes, types, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < peers; ++r)
    for (int i = 0; i <= r; ++i) CHECK(in[r * count + i] == value(r, mine, i));
}

static void reductions(int how, int group) {
  int root = root_of(group), is_root = inter ? root == MPI_ROOT : mine == root;
  int others = peers * (peers - 1) / 2;
  reset(1);
  ALL_WAYS(how, MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm),
           MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, comm, &request),
           MPI_Allreduce_init(out, in, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
  for (int i = 0; i < count; ++i) CHECK(in[i] == 10000 * others + peers * i);
  reset(1);
  ALL_WAYS(how, MPI_Reduce(out, in, count, MPI_INT, MPI_MAX, root, comm),
           MPI_Ireduce(out, in, count, MPI_INT, MPI_MAX, root, comm, &request),
           MPI_Reduce_init(out, in, count, MPI_INT, MPI_MAX, root, comm, MPI_INFO_NULL, &request));
  for (int i = 0; i < count && is_root; ++i) CHECK(in[i] == value(peers - 1, 0, i));
  reset(most);
  int each = 2 * 3 * 5 * 7 / members; /* both sides give 210 elements in all */
  if (members * each == 210) {
    ALL_WAYS(how, MPI_Reduce_scatter_block(out, in, each, MPI_INT, MPI_SUM, comm),
             MPI_Ireduce_scatter_block(out, in, each, MPI_INT, MPI_SUM, comm, &request),
             MPI_Reduce_scatter_block_init(out, in, each, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
    for (int i = 0; i < each; ++i) {
      int at = mine * each + i;
      CHECK(in[i] == 10000 * others + peers * (100 * (at / count) + at % count));
    }
  }
  if (inter) return;
  ALL_WAYS(how, MPI_Scan(out, in, count, MPI_INT, MPI_SUM, comm),
           MPI_Iscan(out, in, count, MPI_INT, MPI_SUM, comm, &request),
           MPI_Scan_init(out, in, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
  for (int i = 0; i < count; ++i) CHECK(in[i] == 10000 * (mine * (mine + 1) / 2) + (mine + 1) * i);
  reset(1);
  ALL_WAYS(how, MPI_Exscan(out, in, count, MPI_INT, MPI_SUM, comm),
           MPI_Iexscan(out, in, count, MPI_INT, MPI_SUM, comm, &request),
           MPI_Exscan_init(out, in, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
  for (int i = 0; i < count; ++i) CHECK(in[i] == (mine == 0 ? -1 : 10000 * (mine * (mine - 1) / 2) + mine * i));
  for (int r = 0; r < members; ++r) counts[r] = r;
  reset(most);
  ALL_WAYS(how, MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm),
           MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm, &request),
           MPI_Reduce_scatter_init(out, in, counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request));
  for (int i = 0; i < mine; ++i) {
    int at = mine * (mine - 1) / 2 + i;
    CHECK(in[i] == 10000 * others + members * (100 * (at / count) + at % count));
  }
}

/* Affine maps x -> ax + b do not commute. */
typedef struct {
  int a, b;
} Affine;
static void compose(void* left, void* right, int* length, MPI_Datatype* type) {
  Affine *first = left, *then = right;
  (void)type;
  for (int i = 0; i < *length; ++i) {
    Affine made = {first[i].a * then[i].a, then[i].a * first[i].b + then[i].b};
    then[i] = made;
  }
}

static void users_operation(void) {
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Op_create(compose, 0, &op);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  Affine own[3], found[3], wanted = {1, 0};
  for (int r = 0; r < members; ++r) {
    Affine next = {r % 3 + 1, r};
    wanted = (Affine){wanted.a * next.a, next.a * wanted.b + next.b};
  }
  for (int i = 0; i < 3; ++i) own[i] = (Affine){mine % 3 + 1, mine};
  MPI_Allreduce(own, found, 3, pair, op, comm);
  for (int i = 0; i < 3; ++i) CHECK(found[i].a == wanted.a && found[i].b == wanted.b);
  memset(found, 0, sizeof(found));
  MPI_Request request;
  MPI_Iallreduce(own, found, 3, pair, op, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) CHECK(found[i].a == wanted.a && found[i].b == wanted.b);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

static void in_place(int how) {
  reset(0);
  for (int i = 0; i < count; ++i) in[mine * count + i] = value(mine, 0, i);
  ALL_WAYS(how, MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, count, MPI_INT, comm),
           MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, in, count, MPI_INT, comm, &request),
           MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_INT, in, count, MPI_INT, comm, MPI_INFO_NULL, &request));
  for (int r = 0; r < members; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == value(r, 0, i));
  if (how == 2) return; /* what is in place changes with each start */
  for (int b = 0; b < members; ++b)
    for (int i = 0; i < count; ++i) in[b * count + i] = value(mine, b, i);
  ALL_WAYS(how, MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, count, MPI_INT, comm),
           MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INT, in, count, MPI_INT, comm, &request), (void)0);
  for (int r = 0; r < members; ++r)
    for (int i = 0; i < count; ++i) CHECK(in[r * count + i] == value(r, mine, i));
  for (int i = 0; i < count; ++i) in[i] = mine + i;
  ALL_WAYS(how, MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_INT, MPI_SUM, comm),
           MPI_Iallreduce(MPI_IN_PLACE, in, count, MPI_INT, MPI_SUM, comm, &request), (void)0);
  for (int i = 0; i < count; ++i) CHECK(in[i] == members * (members - 1) / 2 + members * i);
}

/* One buffer for both is an error where the bytes are the same, and no other. */
static void one_buffer(void) {
  int all[64], counts[8], none[8] = {0}, out_at[8], in_at[8];
  for (int r = 0; r < members; ++r) {
    counts[r] = 1, out_at[r] = r, in_at[r] = members + r;
    all[r] = 100 * mine + r;
  }
  CHECK(MPI_Alltoallv(all, counts, out_at, MPI_INT, all, counts, in_at, MPI_INT, comm) == MPI_SUCCESS);
  for (int r = 0; r < members; ++r) CHECK(all[members + r] == 100 * r + mine);
  CHECK(MPI_Alltoall(all, 0, MPI_INT, all, 0, MPI_INT, comm) == MPI_SUCCESS);
  CHECK(MPI_Alltoallv(all, none, out_at, MPI_INT, all, none, out_at, MPI_INT, comm) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  FAILS(MPI_Alltoall(all, 1, MPI_INT, all, 1, MPI_INT, comm), MPI_ERR_BUFFER);
  FAILS(MPI_Alltoallv(all, counts, out_at, MPI_INT, all, counts, out_at, MPI_INT, comm), MPI_ERR_BUFFER);
  FAILS(MPI_Allreduce(all, all, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  mine = me, members = peers = ranks;
  for (int how = 0; how < 3; ++how) {
    moves(how, 0);
    reductions(how, 0);
    in_place(how);
  }
  users_operation();
  one_buffer();
  MPI_Comm_free(&comm);
  if (ranks > 1) {
    MPI_Comm half;
    int group = me % 2;
    MPI_Comm_split(MPI_COMM_WORLD, group, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - group, 5, &comm);
    inter = 1;
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &members);
    MPI_Comm_remote_size(comm, &peers);
    for (int how = 0; how < 3; ++how) {
      moves(how, group);
      reductions(how, group);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&half);
  }
  MPI_Finalize();
  return 0;
}
