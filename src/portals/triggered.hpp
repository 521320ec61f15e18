// SPDX-License-Identifier: Apache-2.0
// Triggered operations, which start when a counter reaches a threshold. They are checked when they are queued; their
// data is read when they start.
#pragma once

#include <tuple>
#include <utility>

#include "move.hpp"

namespace atl::portals {

int queue(const Prepared& prepared, ptl_handle_ct_t counter, ptl_size_t threshold);

namespace detail {
// The last two arguments are the counter and the threshold.
template <class Prepare, class Tuple, std::size_t... I>
int queue_from(Prepare prepare, const Tuple& arguments, std::index_sequence<I...>) {
  constexpr std::size_t count = sizeof...(I);
  return queue(prepare(std::get<I>(arguments)...), std::get<count>(arguments), std::get<count + 1>(arguments));
}
template <class Prepare, class... Args>
int queue_from(Prepare prepare, Args... args) {
  return queue_from(prepare, std::make_tuple(args...), std::make_index_sequence<sizeof...(Args) - 2>());
}
}  // namespace detail

template <class... Args>
int triggered_put(Args... args) {
  return detail::queue_from(prepare_put, args...);
}
template <class... Args>
int triggered_get(Args... args) {
  return detail::queue_from(prepare_get, args...);
}
template <class... Args>
int triggered_atomic(Args... args) {
  return detail::queue_from(prepare_atomic, args...);
}
template <class... Args>
int triggered_fetch_atomic(Args... args) {
  return detail::queue_from(prepare_fetch_atomic, args...);
}
template <class... Args>
int triggered_swap(Args... args) {
  return detail::queue_from(prepare_swap, args...);
}
int triggered_ct_inc(ptl_handle_ct_t handle, ptl_ct_event_t by, ptl_handle_ct_t counter, ptl_size_t threshold);
int triggered_ct_set(ptl_handle_ct_t handle, ptl_ct_event_t value, ptl_handle_ct_t counter, ptl_size_t threshold);
int triggered_me_append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, ptl_me_t* me, ptl_list_t list, void* user,
                        ptl_handle_me_t* handle, ptl_handle_ct_t counter, ptl_size_t threshold);
int triggered_me_unlink(ptl_handle_me_t handle, ptl_handle_ct_t counter, ptl_size_t threshold);

}  // namespace atl::portals
