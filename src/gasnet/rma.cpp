// SPDX-License-Identifier: Apache-2.0
#include "rma.hpp"

#include "event.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

struct Target {
  Library& library;
  PeId pe;
  HeapOffset at;
  runtime::OneSided& one_sided() const { return library.one_sided(); }
  bool is_mapped() const { return one_sided().endpoint().maps(pe); }
};

Target target_of(Call call, gex_TM_t tm, gex_Rank_t rank, const char* argument, const void* address,
                 std::size_t bytes) {
  Library& here = library(call);
  if (here.is_handling()) fail(call, "a handler may not put or get. Reply with the data?");
  const PeId pe = here.pe_of(call, tm, rank);
  return {here, pe, here.locate(call, argument, pe, address, bytes)};
}

void validate_value(Call call, std::size_t bytes) {
  if (bytes == 0 || bytes > sizeof(gex_RMA_Value_t))
    fail(call, "argument 'nbytes': a value has 1 to {} bytes, not {}. Put or get a buffer?", sizeof(gex_RMA_Value_t),
         bytes);
}

// Whether the source must be reusable on return, instead of when the operation completes.
bool is_now(const gex_Event_t* local) { return local == GEX_EVENT_NOW; }

void begin_put(const Target& target, const void* from, std::size_t bytes, gex_Event_t* local) {
  if (is_now(local)) target.one_sided().put(target.pe, target.at, from, bytes);
  else target.one_sided().put_nbi(target.pe, target.at, from, bytes);
}

}  // namespace

int put(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, std::size_t bytes) {
  const Target target = target_of(call, tm, rank, "dest", to, bytes);
  if (bytes == 0) return GASNET_OK;
  target.one_sided().put(target.pe, target.at, from, bytes);
  if (!target.is_mapped()) target.one_sided().quiet_far();
  return GASNET_OK;
}

int put_implicit(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, std::size_t bytes,
                 gex_Event_t* local) {
  const Target target = target_of(call, tm, rank, "dest", to, bytes);
  if (bytes == 0) return GASNET_OK;
  begin_put(target, from, bytes, local);
  if (!target.is_mapped()) note_far_implicit();
  return GASNET_OK;
}

gex_Event_t put_event(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, std::size_t bytes,
                      gex_Event_t* local) {
  const Target target = target_of(call, tm, rank, "dest", to, bytes);
  gex_Event_t event = GEX_EVENT_INVALID;
  if (bytes != 0) {
    begin_put(target, from, bytes, local);
    if (!target.is_mapped()) event = far_event();
  }
  if (reinterpret_cast<std::uintptr_t>(local) > 3) *local = event;
  return event;
}

int get(Call call, gex_TM_t tm, void* to, gex_Rank_t rank, const void* from, std::size_t bytes) {
  const Target target = target_of(call, tm, rank, "src", from, bytes);
  if (bytes != 0) target.one_sided().get(to, target.pe, target.at, bytes);
  return GASNET_OK;
}

int get_implicit(Call call, gex_TM_t tm, void* to, gex_Rank_t rank, const void* from, std::size_t bytes) {
  const Target target = target_of(call, tm, rank, "src", from, bytes);
  if (bytes == 0) return GASNET_OK;
  target.one_sided().get_nbi(to, target.pe, target.at, bytes);
  if (!target.is_mapped()) note_far_implicit();
  return GASNET_OK;
}

gex_Event_t get_event(Call call, gex_TM_t tm, void* to, gex_Rank_t rank, const void* from, std::size_t bytes) {
  const Target target = target_of(call, tm, rank, "src", from, bytes);
  if (bytes == 0) return GEX_EVENT_INVALID;
  target.one_sided().get_nbi(to, target.pe, target.at, bytes);
  return target.is_mapped() ? GEX_EVENT_INVALID : far_event();
}

gex_RMA_Value_t get_value(Call call, gex_TM_t tm, gex_Rank_t rank, const void* from, std::size_t bytes) {
  validate_value(call, bytes);
  gex_RMA_Value_t value = 0;
  (void)get(call, tm, &value, rank, from, bytes);
  return value;
}

int put_value(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, std::size_t bytes) {
  validate_value(call, bytes);
  return put(call, tm, rank, to, &value, bytes);
}

int put_value_implicit(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, std::size_t bytes) {
  validate_value(call, bytes);
  return put_implicit(call, tm, rank, to, &value, bytes, GEX_EVENT_NOW);
}

gex_Event_t put_value_event(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value,
                            std::size_t bytes) {
  validate_value(call, bytes);
  return put_event(call, tm, rank, to, &value, bytes, GEX_EVENT_NOW);
}

}  // namespace atl::gasnet
