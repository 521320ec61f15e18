/* SPDX-License-Identifier: Apache-2.0 */
/* How a job ends: left HOW. The launcher's status is the one that is asked for. */
#include "harness.h"

static void leave(gex_Token_t token, gex_AM_Arg_t status) {
  (void)token;
  gasnet_exit(status);
}

static void put(gex_Token_t token, gex_AM_Arg_t unused) {
  (void)token;
  gex_RMA_PutBlocking(world, me, segment_of(me), &unused, sizeof(unused), 0);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t handlers[] = {{200, (gex_AM_Fn_t)leave, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, NULL},
                               {201, (gex_AM_Fn_t)put, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, NULL}};
  start(&argc, &argv, handlers, 2);
  barrier();
  const char* how = argc > 1 ? argv[1] : "together";
  if (strcmp(how, "return") == 0) return 3;
  if (strcmp(how, "together") == 0) gasnet_exit(4);
  if (strcmp(how, "alone") == 0 && me == ranks - 1) gasnet_exit(5);
  if (strcmp(how, "handler") == 0 && me == 0) gex_AM_RequestShort1(world, ranks - 1, 200, 0, 6);
  if (strcmp(how, "outside") == 0 && me == 0) gex_RMA_PutBlocking(world, ranks - 1, &how, &how, 8, 0);
  if (strcmp(how, "rank") == 0 && me == 0) gex_AM_RequestShort0(world, ranks, 200, 0);
  if (strcmp(how, "token") == 0 && me == 0) gex_AM_ReplyShort0(NULL, 200, 0);
  if (strcmp(how, "size") == 0 && me == 0)
    gex_AM_RequestMedium0(world, 0, 200, &how, gex_AM_LUBRequestMedium() + 1, GEX_EVENT_NOW, 0);
  if (strcmp(how, "put") == 0 && me == 0) gex_AM_RequestShort1(world, ranks - 1, 201, 0, 6);
  if (strcmp(how, "killed") == 0 && me == ranks - 1) gasnett_killmyprocess(9);
  for (;;) barrier();
}
