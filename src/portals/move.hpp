// SPDX-License-Identifier: Apache-2.0
// Data movement.
#pragma once

#include "atoll/portal/portal.hpp"
#include "interface.hpp"
#include "portals4.h"

namespace atl::portals {

/// A checked operation and its interface, or the error code.
struct Prepared {
  Interface* interface = nullptr;
  int code = PTL_ARG_INVALID;
  runtime::Operation operation;
};
Prepared prepare_put(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack, ptl_process_t target,
                     ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset, void* user,
                     ptl_hdr_data_t header);
Prepared prepare_get(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_process_t target,
                     ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset, void* user);
Prepared prepare_atomic(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack,
                        ptl_process_t target, ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset,
                        void* user, ptl_hdr_data_t header, ptl_op_t operation, ptl_datatype_t type);
Prepared prepare_fetch_atomic(ptl_handle_md_t get_md, ptl_size_t get_offset, ptl_handle_md_t put_md,
                              ptl_size_t put_offset, ptl_size_t length, ptl_process_t target, ptl_pt_index_t index,
                              ptl_match_bits_t bits, ptl_size_t remote_offset, void* user, ptl_hdr_data_t header,
                              ptl_op_t operation, ptl_datatype_t type);
Prepared prepare_swap(ptl_handle_md_t get_md, ptl_size_t get_offset, ptl_handle_md_t put_md, ptl_size_t put_offset,
                      ptl_size_t length, ptl_process_t target, ptl_pt_index_t index, ptl_match_bits_t bits,
                      ptl_size_t remote_offset, void* user, ptl_hdr_data_t header, const void* operand,
                      ptl_op_t operation, ptl_datatype_t type);

int start(const Prepared& prepared);

template <class... Args>
int put(Args... args) {
  return start(prepare_put(args...));
}
template <class... Args>
int get(Args... args) {
  return start(prepare_get(args...));
}
template <class... Args>
int atomic(Args... args) {
  return start(prepare_atomic(args...));
}
template <class... Args>
int fetch_atomic(Args... args) {
  return start(prepare_fetch_atomic(args...));
}
template <class... Args>
int swap(Args... args) {
  return start(prepare_swap(args...));
}
int atomic_sync();

}  // namespace atl::portals
