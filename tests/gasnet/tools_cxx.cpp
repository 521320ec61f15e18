// SPDX-License-Identifier: Apache-2.0
// All headers in C++, in the order in which they depend on one another least.
#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

#include <gasnet.h>
#include <gasnet_tools.h>

namespace {

gasnett_atomic_t arrived = gasnett_atomic_init(0);
void count(gex_Token_t, gex_AM_Arg_t value) {
  gasnett_atomic_add(&arrived, static_cast<gasnett_atomic_val_t>(value), 0);
}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  if (gex_Client_Init(&client, &endpoint, &world, "CXX", &argc, &argv, 0) != GASNET_OK) return 1;
  gex_AM_Entry_t entry = {
      200, reinterpret_cast<gex_AM_Fn_t>(count), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, nullptr, nullptr};
  if (gex_EP_RegisterHandlers(endpoint, &entry, 1) != GASNET_OK) return 1;
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  for (gex_Rank_t to = 0; to < gex_TM_QuerySize(world); ++to) gex_AM_RequestShort(world, to, 200, 0, 2);
  GASNET_BLOCKUNTIL(gasnett_atomic_read(&arrived, 0) == 2 * gex_TM_QuerySize(world));
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
