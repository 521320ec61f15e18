/* SPDX-License-Identifier: Apache-2.0
 * Communicators, groups, sessions, topologies, info, attributes, error handlers, generalized requests. */
#include "check.h"

static void communicators(void) {
  MPI_Comm copy, part, both, sub;
  MPI_Group all, evens;
  int result, size, rank;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Comm_split(copy, me % 2, -me, &part); /* highest first */
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  CHECK(size == (ranks + 1 - me % 2) / 2 && rank == size - 1 - me / 2);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int range[1][3] = {{0, ranks - 1, 2}};
  MPI_Group_range_incl(all, 1, range, &evens);
  MPI_Comm_create(copy, evens, &sub);
  CHECK((sub == MPI_COMM_NULL) == (me % 2 == 1));
  if (sub != MPI_COMM_NULL) MPI_Comm_free(&sub);
  if (me % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, evens, 17, &sub);
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, sub);
    CHECK(sum == (ranks + 1) / 2);
    MPI_Comm_free(&sub);
  }
  if (ranks > 1) {
    MPI_Comm inter;
    /* leaders are the highest ranks of both halves */
    int other = me % 2 == 0 ? ranks - 1 - (ranks - 1 - 1) % 2 : ranks - 1 - (ranks - 1) % 2;
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, other, 3, &inter);
    MPI_Comm_test_inter(inter, &result);
    CHECK(result);
    MPI_Intercomm_merge(inter, me % 2, &both);
    MPI_Comm_rank(both, &rank);
    int evens_count = (ranks + 1) / 2, mine;
    MPI_Comm_rank(part, &mine);
    CHECK(rank == (me % 2 == 0 ? mine : evens_count + mine));
    MPI_Comm_free(&both);
    MPI_Comm_free(&inter);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&evens);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  CHECK(copy == MPI_COMM_NULL);
}

static int deleted;
static int copy_number(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete_number(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, flag;
  void* value;
  MPI_Comm copy;
  MPI_Comm_create_keyval(copy_number, delete_number, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)40);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  CHECK(flag && value == (void*)41);
  MPI_Comm_free(&copy);
  CHECK(deleted == 1);
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  CHECK(flag && value == (void*)41);
  int sum = 0;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, copy);
  CHECK(sum == ranks * (ranks - 1) / 2);
  MPI_Comm_free(&copy);
  deleted = 1;
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  CHECK(deleted == 2);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key); /* which is not there any more */
  CHECK(deleted == 2);
  MPI_Comm_free_keyval(&key);
  int* highest;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &flag);
  CHECK(flag && *highest >= 32767);
}

/* A key that the program has freed serves as long as an attribute uses it. */
static int copy_win(MPI_Win win, int key, void* extra, void* in, void* out, int* flag) {
  (void)win, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}
static int delete_win(MPI_Win win, int key, void* value, void* extra) {
  (void)win, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}
static int delete_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

#define FREED_KEY(Kind, object, copy_fn, delete_fn) \
  do { \
    int key, freed, flag; \
    void* value; \
    MPI_##Kind##_create_keyval(copy_fn, delete_fn, &key, NULL); \
    freed = key; \
    CHECK(MPI_##Kind##_delete_attr(object, key) == MPI_SUCCESS); \
    MPI_##Kind##_set_attr(object, key, (void*)50); \
    MPI_##Kind##_free_keyval(&freed); \
    CHECK(freed == MPI_KEYVAL_INVALID); \
    CHECK(MPI_##Kind##_get_attr(object, key, &value, &flag) == MPI_SUCCESS && flag && value == (void*)50); \
    deleted = 0; \
    CHECK(MPI_##Kind##_set_attr(object, key, (void*)51) == MPI_SUCCESS && deleted == 1); \
    CHECK(MPI_##Kind##_get_attr(object, key, &value, &flag) == MPI_SUCCESS && flag && value == (void*)51); \
    CHECK(MPI_##Kind##_delete_attr(object, key) == MPI_SUCCESS && deleted == 2); \
    FAILS(MPI_##Kind##_get_attr(object, key, &value, &flag), MPI_ERR_KEYVAL); \
    FAILS(MPI_##Kind##_delete_attr(object, key), MPI_ERR_KEYVAL); \
  } while (0)

static void freed_keys(void) {
  MPI_Win win;
  MPI_Datatype type;
  int word;
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FREED_KEY(Comm, MPI_COMM_WORLD, copy_number, delete_number);
  FREED_KEY(Win, win, copy_win, delete_win);
  FREED_KEY(Type, type, MPI_TYPE_NULL_COPY_FN, delete_type);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&type);
  MPI_Win_free(&win);
}

static int handled;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  handled = class_of(*code);
}

static void errors(void) {
  MPI_Errhandler made;
  MPI_Comm copy;
  MPI_Comm_create_errhandler(handler, &made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, made);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* inherits it */
  MPI_Errhandler_free(&made);
  FAILS(MPI_Bcast(NULL, 0, MPI_INT, ranks, copy), MPI_ERR_ROOT);
  CHECK(handled == MPI_ERR_ROOT);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&copy);
  int added, code, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Add_error_class(&added);
  MPI_Add_error_code(added, &code);
  MPI_Add_error_string(code, "the tide is out");
  CHECK(class_of(code) == added);
  MPI_Error_string(code, text, &length);
  CHECK(strcmp(text, "the tide is out") == 0 && length == 15);
}

/* What is no matter of an object goes to MPI_COMM_WORLD's handler, should that be the only one the program has chosen.
 */
static void errors_of_nothing(void) {
  MPI_Comm copy;
  MPI_Win win;
  MPI_Errhandler made;
  int key, word;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FAILS(MPI_Comm_split(copy, 0, 0, NULL), MPI_ERR_ARG);
  FAILS(MPI_Win_set_attr(win, key, NULL), MPI_ERR_KEYVAL);
  MPI_Comm_create_errhandler(handler, &made);
  MPI_Comm_set_errhandler(copy, made);
  handled = MPI_SUCCESS;
  FAILS(MPI_Comm_split(copy, 0, 0, NULL), MPI_ERR_ARG);
  CHECK(handled == MPI_ERR_ARG);
  MPI_Errhandler_free(&made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free_keyval(&key);
  MPI_Win_free(&win);
  MPI_Comm_free(&copy);
}

/* As even as can be, where taking the factors in turn is not. */
static void even_dimensions(void) {
  static const struct {
    int nodes, count, wanted[4];
  } cases[] = {{72, 2, {9, 8}},         {180, 2, {15, 12}},      {1260, 2, {36, 35}},
               {64, 3, {4, 4, 4}},      {30, 3, {5, 3, 2}},      {7, 3, {7, 1, 1}},
               {1, 2, {1, 1}},          {1296, 4, {6, 6, 6, 6}}, {2147483647, 2, {2147483647, 1}},
               {5040, 3, {21, 16, 15}}, {7488, 3, {26, 18, 16}}, {8208, 4, {19, 9, 8, 6}},
               {1396755360, 4, {0}}};
  for (unsigned k = 0; k < sizeof(cases) / sizeof(*cases); ++k) {
    int dims[4] = {0, 0, 0, 0}, product = 1;
    MPI_Dims_create(cases[k].nodes, cases[k].count, dims);
    for (int d = 0; d < cases[k].count; ++d) {
      product *= dims[d];
      CHECK(d == 0 || dims[d] <= dims[d - 1]);
      if (cases[k].wanted[0] != 0) CHECK(dims[d] == cases[k].wanted[d]);
    }
    CHECK(product == cases[k].nodes);
  }
  int dims[3] = {0, 3, 0};
  MPI_Dims_create(36, 3, dims);
  CHECK(dims[0] == 4 && dims[1] == 3 && dims[2] == 3);
}

static void topologies(void) {
  even_dimensions();
  int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], left, right;
  MPI_Dims_create(ranks, 2, dims);
  CHECK(dims[0] * dims[1] == ranks && dims[0] >= dims[1]);
  MPI_Comm cart = MPI_COMM_WORLD;
  int many[2] = {ranks, 2};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FAILS(MPI_Cart_create(MPI_COMM_WORLD, 2, many, periods, 0, &cart), MPI_ERR_DIMS);
  CHECK(cart == MPI_COMM_NULL);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_coords(cart, me, 2, coords);
  CHECK(coords[0] == me / dims[1] && coords[1] == me % dims[1]);
  MPI_Cart_shift(cart, 0, 1, &left, &right);
  CHECK(right == (coords[0] + 1) % dims[0] * dims[1] + coords[1]);
  /* what goes left arrives from the right, also where both are the same rank */
  int out[4] = {10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 3}, in[4] = {-1, -1, -1, -1};
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, cart);
  CHECK(in[0] == 10 * left + 1 && in[1] == 10 * right);
  MPI_Comm_free(&cart);
  MPI_Comm ring;
  int from = (me + ranks - 1) % ranks, to = (me + 1) % ranks, token = me, got = -1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  MPI_Neighbor_allgather(&token, 1, MPI_INT, &got, 1, MPI_INT, ring);
  CHECK(got == from);
  MPI_Comm_free(&ring);
  int degree = 1;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  got = -1;
  MPI_Neighbor_allgather(&token, 1, MPI_INT, &got, 1, MPI_INT, ring);
  CHECK(got == from);
  MPI_Comm_free(&ring);
  MPI_Comm chain;
  to = me + 1 < ranks ? me + 1 : MPI_PROC_NULL;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &chain);
  got = -1;
  MPI_Neighbor_allgather(&token, 1, MPI_INT, &got, 1, MPI_INT, chain);
  CHECK(got == me - 1);
  MPI_Comm_free(&chain);
}

static int query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int release(void* extra) {
  *(int*)extra = -1;
  return MPI_SUCCESS;
}

static void generalized(void) {
  MPI_Request request;
  MPI_Status status;
  int number = 12, flag, count;
  MPI_Grequest_start(query, release, NULL, &number, &request);
  MPI_Test(&request, &flag, &status);
  CHECK(!flag);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 12 && number == -1 && request == MPI_REQUEST_NULL);
}

static void sessions(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int count;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
  CHECK(count >= 2);
  MPI_Info hints;
  MPI_Session none;
  char level[64];
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "thread_level", "MPI_THREAD_SOME");
  FAILS(MPI_Session_init(hints, MPI_ERRORS_RETURN, &none), MPI_ERR_INFO_VALUE);
  MPI_Info_free(&hints);
  count = sizeof(level);
  FAILS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &count, NULL), MPI_ERR_ARG);
  MPI_Session_get_info(session, &hints);
  MPI_Info_get(hints, "thread_level", sizeof(level) - 1, level, &count);
  CHECK(count != 0 && strcmp(level, "MPI_THREAD_MULTIPLE") == 0);
  MPI_Info_free(&hints);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "sea", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  int sum = 0;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == ranks * (ranks - 1) / 2);
  FAILS(MPI_Group_from_session_pset(session, "no such set", &group), MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  FAILS(MPI_Comm_create_from_group(group, "sea", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
  /* buffered sends find the session's buffer, also from what was made of its communicators */
  static char room[4096];
  char* back;
  int got = -1, bytes;
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  FAILS(MPI_Bsend(&me, 1, MPI_INT, 0, 9, copy), MPI_ERR_BUFFER);
  CHECK(MPI_Session_attach_buffer(session, room, sizeof(room)) == MPI_SUCCESS);
  MPI_Bsend(&me, 1, MPI_INT, (me + 1) % ranks, 9, copy);
  MPI_Recv(&got, 1, MPI_INT, (me + ranks - 1) % ranks, 9, copy, MPI_STATUS_IGNORE);
  CHECK(got == (me + ranks - 1) % ranks);
  CHECK(MPI_Session_detach_buffer(session, &back, &bytes) == MPI_SUCCESS && back == room && bytes == sizeof(room));
  MPI_Comm_free(&copy);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

/* A key that attributes use is freed again without harm: their delete functions may do so. */
static int free_key(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)value, (void)extra;
  return MPI_Comm_free_keyval(&keyval);
}

static void keys_in_use(void) {
  int key, copy, flag;
  void* value;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_key, &key, NULL);
  copy = key;
  MPI_Comm_set_attr(comm, key, &key);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
  key = copy;
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(comm, copy, &copy) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(comm, copy, &value, &flag) == MPI_SUCCESS && flag && value == &copy);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  FAILS(MPI_Comm_free_keyval(&copy), MPI_ERR_KEYVAL);
}

/* What has nowhere to put its result is an error, and no crash. */
static void null_places(void) {
  int rank = 0, position = 0;
  void* where = NULL;
  MPI_Group all;
  MPI_Win window;
  MPI_File file;
  MPI_Op op;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  FAILS(MPI_Comm_rank(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_free(NULL), MPI_ERR_ARG);
  FAILS(MPI_Group_size(all, NULL), MPI_ERR_ARG);
  FAILS(MPI_Group_incl(all, 1, &rank, NULL), MPI_ERR_ARG);
  FAILS(MPI_Group_free(NULL), MPI_ERR_ARG);
  FAILS(MPI_Group_translate_ranks(all, 1, &rank, all, NULL), MPI_ERR_ARG);
  FAILS(MPI_Type_contiguous(2, MPI_INT, NULL), MPI_ERR_ARG);
  FAILS(MPI_Type_commit(NULL), MPI_ERR_ARG);
  FAILS(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
  FAILS(MPI_Type_size_c(MPI_INT, NULL), MPI_ERR_ARG);
  FAILS(MPI_Pack(&rank, 1, MPI_INT, &position, 4, NULL, MPI_COMM_WORLD), MPI_ERR_ARG);
  /* What libraries of C compare with that are made for Fortran, too. */
  CHECK(MPI_F_STATUS_IGNORE != NULL && MPI_F_STATUSES_IGNORE != NULL && MPI_F_STATUS_IGNORE != MPI_F_STATUSES_IGNORE);
  CHECK(MPI_F08_STATUS_IGNORE != NULL && MPI_F08_STATUSES_IGNORE != NULL &&
        MPI_F08_STATUS_IGNORE != MPI_F08_STATUSES_IGNORE);
  FAILS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
  FAILS(MPI_Session_finalize(NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, &position), MPI_ERR_ARG);
  FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &where, NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, NULL, NULL), MPI_ERR_ARG);
  FAILS(MPI_Info_create(NULL), MPI_ERR_ARG);
  FAILS(MPI_Info_set(MPI_INFO_ENV, NULL, "x"), MPI_ERR_ARG);
  FAILS(MPI_Info_get_nkeys(MPI_INFO_ENV, NULL), MPI_ERR_ARG);
  FAILS(MPI_Info_get_nthkey(MPI_INFO_ENV, 0, NULL), MPI_ERR_ARG);
  FAILS(MPI_Cartdim_get(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  FAILS(MPI_Topo_test(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  FAILS(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, NULL), MPI_ERR_ARG);
  FAILS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, NULL, &window), MPI_ERR_ARG);
  FAILS(MPI_Win_free(NULL), MPI_ERR_ARG);
  FAILS(MPI_File_open(MPI_COMM_SELF, NULL, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ARG);
  FAILS(MPI_File_open(MPI_COMM_SELF, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
  FAILS(MPI_File_close(NULL), MPI_ERR_ARG);
  FAILS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
  FAILS(MPI_Op_commutative(MPI_SUM, NULL), MPI_ERR_ARG);
  FAILS(MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_SELF, NULL), MPI_ERR_ARG);
  FAILS(MPI_Iprobe(0, 0, MPI_COMM_SELF, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  FAILS(MPI_Ibarrier(MPI_COMM_SELF, NULL), MPI_ERR_ARG);
  FAILS(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  FAILS(MPI_Test(NULL, &position, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  FAILS(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
  FAILS(MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &position), MPI_ERR_ARG);
  FAILS(MPI_Comm_set_name(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
  FAILS(MPI_Open_port(MPI_INFO_NULL, NULL), MPI_ERR_ARG);
  FAILS(MPI_Comm_get_parent(NULL), MPI_ERR_ARG);
  FAILS(MPI_Alloc_mem(8, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
  MPI_Group_free(&all);
}

/* Handles as Fortran has them, in a program without Fortran. */
static void integers(void) {
  MPI_Comm copy;
  MPI_Status status = {1, 2, 3, {4, 5, 6, 7, 8}}, back;
  MPI_Fint numbers[MPI_F_STATUS_SIZE];
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(copy)) == copy && MPI_Comm_c2f(copy) == MPI_Comm_toint(copy));
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE && MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  CHECK(MPI_Status_c2f(&status, numbers) == MPI_SUCCESS && numbers[MPI_F_TAG] == 2 && numbers[7] == 8);
  CHECK(MPI_Status_f2c(numbers, &back) == MPI_SUCCESS && memcmp(&status, &back, sizeof status) == 0);
  MPI_Comm_free(&copy);
}

int main(int argc, char** argv) {
  int flag;
  MPI_Initialized(&flag);
  CHECK(!flag);
  begin(&argc, &argv);
  errors_of_nothing(); /* before any handler is chosen */
  communicators();
  attributes();
  freed_keys();
  errors();
  topologies();
  generalized();
  sessions();
  null_places();
  keys_in_use();
  integers();
  MPI_Finalize();
  MPI_Finalized(&flag);
  CHECK(flag);
  return 0;
}
