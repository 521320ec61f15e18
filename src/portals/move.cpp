// SPDX-License-Identifier: Apache-2.0
#include "move.hpp"

#include <atomic>
#include <cstring>

namespace atl::portals {
namespace {

using runtime::Operation;
using runtime::OperationKind;

static_assert(static_cast<int>(runtime::Acknowledge::operation) == PTL_OC_ACK_REQ &&
              static_cast<int>(runtime::Arithmetic::masked_swap) == PTL_MSWAP &&
              static_cast<int>(runtime::Scalar::complex_long_double) == PTL_LONG_DOUBLE_COMPLEX);

// The common part of all operations.
Prepared begin(OperationKind kind, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_process_t target,
               ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset, void* user) {
  Prepared prepared;
  Interface* interface = is_of(md, Kind::descriptor) ? interface_of(md) : nullptr;
  if (interface == nullptr) {
    if (library() == nullptr) prepared.code = PTL_NO_INIT;
    return prepared;
  }
  auto pe = interface->target(target);
  if (!pe || length > interface->limits().max_msg_size) return prepared;
  Operation& operation = prepared.operation;
  operation.kind = kind;
  operation.descriptor = number_in(md);
  operation.offset = offset;
  operation.bytes = length;
  operation.pe = *pe;
  operation.portal = index;
  operation.match_bits = bits;
  operation.remote_offset = remote_offset;
  operation.user = user;
  prepared.interface = interface;
  return prepared;
}

// All operations copy volatile memory; the limit is the interface's max_volatile_size.
bool is_too_volatile(const Interface& interface, const Operation& operation) {
  if (operation.bytes <= interface.limits().max_volatile_size || operation.kind == OperationKind::get) return false;
  return (interface.portals().descriptors()[operation.descriptor].options & PTL_MD_VOLATILE) != 0;
}

Prepared checked(Prepared prepared) {
  if (prepared.interface == nullptr) return prepared;
  runtime::PortalInterface& portals = prepared.interface->portals();
  const Operation& operation = prepared.operation;
  if (portals.check(operation) && !is_too_volatile(*prepared.interface, operation)) prepared.code = PTL_OK;
  else prepared.interface = nullptr;
  return prepared;
}

Prepared refused(Prepared prepared) {
  prepared.interface = nullptr;
  return prepared;
}

bool set_arithmetic(Operation& operation, ptl_op_t op, ptl_datatype_t type) {
  operation.arithmetic = static_cast<runtime::Arithmetic>(op);
  operation.type = static_cast<runtime::Scalar>(type);
  return op < PTL_OP_LAST && type < PTL_DATATYPE_LAST;
}

bool set_fetch(Prepared& prepared, ptl_handle_md_t get_md, ptl_size_t get_offset, ptl_hdr_data_t header, ptl_op_t op,
               ptl_datatype_t type) {
  if (prepared.interface == nullptr || !is_of(get_md, Kind::descriptor) || interface_of(get_md) != prepared.interface)
    return false;
  prepared.operation.get_descriptor = number_in(get_md);
  prepared.operation.get_offset = get_offset;
  prepared.operation.header = header;
  return set_arithmetic(prepared.operation, op, type);
}

}  // namespace

Prepared prepare_put(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack, ptl_process_t target,
                     ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset, void* user,
                     ptl_hdr_data_t header) {
  Prepared prepared = begin(OperationKind::put, md, offset, length, target, index, bits, remote_offset, user);
  if (ack > PTL_OC_ACK_REQ) return refused(prepared);
  prepared.operation.acknowledge = static_cast<runtime::Acknowledge>(ack);
  prepared.operation.header = header;
  return checked(prepared);
}

Prepared prepare_get(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_process_t target,
                     ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset, void* user) {
  return checked(begin(OperationKind::get, md, offset, length, target, index, bits, remote_offset, user));
}

Prepared prepare_atomic(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack,
                        ptl_process_t target, ptl_pt_index_t index, ptl_match_bits_t bits, ptl_size_t remote_offset,
                        void* user, ptl_hdr_data_t header, ptl_op_t op, ptl_datatype_t type) {
  Prepared prepared = begin(OperationKind::atomic, md, offset, length, target, index, bits, remote_offset, user);
  if (ack > PTL_OC_ACK_REQ || !set_arithmetic(prepared.operation, op, type)) return refused(prepared);
  prepared.operation.acknowledge = static_cast<runtime::Acknowledge>(ack);
  prepared.operation.header = header;
  return checked(prepared);
}

Prepared prepare_fetch_atomic(ptl_handle_md_t get_md, ptl_size_t get_offset, ptl_handle_md_t put_md,
                              ptl_size_t put_offset, ptl_size_t length, ptl_process_t target, ptl_pt_index_t index,
                              ptl_match_bits_t bits, ptl_size_t remote_offset, void* user, ptl_hdr_data_t header,
                              ptl_op_t op, ptl_datatype_t type) {
  Prepared prepared =
      begin(OperationKind::fetch_atomic, put_md, put_offset, length, target, index, bits, remote_offset, user);
  if (!set_fetch(prepared, get_md, get_offset, header, op, type)) return refused(prepared);
  return checked(prepared);
}

Prepared prepare_swap(ptl_handle_md_t get_md, ptl_size_t get_offset, ptl_handle_md_t put_md, ptl_size_t put_offset,
                      ptl_size_t length, ptl_process_t target, ptl_pt_index_t index, ptl_match_bits_t bits,
                      ptl_size_t remote_offset, void* user, ptl_hdr_data_t header, const void* operand, ptl_op_t op,
                      ptl_datatype_t type) {
  Prepared prepared = begin(OperationKind::swap, put_md, put_offset, length, target, index, bits, remote_offset, user);
  if (!set_fetch(prepared, get_md, get_offset, header, op, type) || (op != PTL_SWAP && operand == nullptr))
    return refused(prepared);
  Operation& operation = prepared.operation;
  if (op != PTL_SWAP) std::memcpy(operation.operand.data(), operand, runtime::bytes_of(operation.type));
  return checked(prepared);
}

int start(const Prepared& prepared) {
  if (prepared.interface == nullptr) return prepared.code;
  return code_of(prepared.interface->portals().start(prepared.operation));
}

int atomic_sync() {
  if (library() == nullptr) return PTL_NO_INIT;
  std::atomic_thread_fence(
      std::memory_order_seq_cst);  // partner: the release of the counter or event that reported completion
  return PTL_OK;
}

}  // namespace atl::portals
