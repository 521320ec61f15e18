// SPDX-License-Identifier: Apache-2.0
// libfabric used barely, as what Atoll's network is compared with: one endpoint beside Atoll's in the same process, of
// the same provider, between the same two PEs. Both sides spin on their completion queue, which has no wait object.
#pragma once

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/context.hpp"
#include "interfaces.hpp"

namespace atl::bench {

/// `memory` is what both PEs read and write: alike at both, and all that may be sent from.
class RawLibfabric {
 public:
  RawLibfabric(runtime::Context& context, std::byte* memory, std::size_t bytes)
      : info_(libfabric_interface(context)), memory_(memory) {
    ATOLL_VALIDATE((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0, SetupError,
                   "this provider's memory is bound to endpoints");
    fid_fabric* fabric = nullptr;
    check(fabric::ofi::library().fabric(info_->fabric_attr, &fabric, nullptr), "fabric");
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    check(::fi_domain(fabric, info_.get(), &domain, nullptr), "domain");
    domain_.reset(domain);
    fi_av_attr table{};
    table.type = FI_AV_TABLE;
    fid_av* peers = nullptr;
    check(::fi_av_open(domain, &table, &peers, nullptr), "addresses");
    peers_.reset(peers);
    fi_cq_attr attributes{};
    attributes.format = FI_CQ_FORMAT_CONTEXT;
    fid_cq* queue = nullptr;
    check(::fi_cq_open(domain, &attributes, &queue, nullptr), "queue");
    queue_.reset(queue);
    fid_ep* endpoint = nullptr;
    check(::fi_endpoint(domain, info_.get(), &endpoint, nullptr), "endpoint");
    endpoint_.reset(endpoint);
    check(::fi_ep_bind(endpoint, &peers->fid, 0), "bind");
    check(::fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "bind");
    check(::fi_enable(endpoint), "enable");
    fid_mr* region = nullptr;
    check(::fi_mr_reg(domain, memory, bytes, FI_REMOTE_READ | FI_REMOTE_WRITE | FI_READ | FI_WRITE | FI_SEND | FI_RECV,
                      0, 1, 0, &region, nullptr),
          "memory");
    region_.reset(region);
    exchange(context);
  }

  /// Until all transfers begun are complete, those written at the target.
  void finish() {
    while (under_way_ != 0) poll();
  }
  enum class Until { sent, delivered };
  void write(const std::byte* from, std::size_t to, std::size_t bytes, Until until) {
    iovec source{const_cast<std::byte*>(from), bytes};
    void* descriptor = ::fi_mr_desc(region_.get());
    fi_rma_iov target{there_.base + to, bytes, there_.key};
    fi_msg_rma message{&source, &descriptor, 1, address_, &target, 1, next(), 0};
    std::uint64_t flags = FI_COMPLETION | (until == Until::delivered ? FI_DELIVERY_COMPLETE : FI_TRANSMIT_COMPLETE);
    begin([&] { return ::fi_writemsg(endpoint_.get(), &message, flags); });
  }
  void read(std::byte* to, std::size_t from, std::size_t bytes) {
    begin([&] {
      return ::fi_read(endpoint_.get(), to, bytes, ::fi_mr_desc(region_.get()), address_, there_.base + from,
                       there_.key, next());
    });
  }
  void send(const std::byte* from, std::size_t bytes) {
    if (bytes <= info_->tx_attr->inject_size) {
      while (retry(::fi_inject(endpoint_.get(), from, bytes, address_))) poll();
    } else {
      begin([&] { return ::fi_send(endpoint_.get(), from, bytes, ::fi_mr_desc(region_.get()), address_, next()); });
      finish();
    }
  }
  void post_receive(std::byte* to, std::size_t bytes) {
    while (retry(::fi_recv(endpoint_.get(), to, bytes, ::fi_mr_desc(region_.get()), FI_ADDR_UNSPEC, &receive_))) poll();
  }
  void receive() {
    while (received_ == 0) poll();
    --received_;
  }
  void poll() {
    fi_cq_entry entries[16];
    auto got = ::fi_cq_read(queue_.get(), entries, 16);
    if (got == -FI_EAGAIN) return;
    ATOLL_VALIDATE(got > 0, Error, "bare libfabric fails: {}", fabric::ofi::error_text(got));
    for (int i = 0; i < got; ++i)
      if (entries[i].op_context == &receive_) ++received_;
      else --under_way_;
  }

 private:
  // Its own provider, also where Atoll uses its own transport.
  static fabric::ofi::Info libfabric_interface(runtime::Context& context) {
    std::string before = config::text(config::Variable::network_security);
    config::set(config::Variable::network_security, "none");
    fabric::ofi::Info found = std::move(fabric::ofi::interfaces_for(context.job().place_of(context.pe()))[0]);
    config::set(config::Variable::network_security, before);
    return found;
  }

  struct Where {
    std::uint64_t base, key, bytes;
    std::byte address[168];
  };

  void exchange(runtime::Context& context) {
    Where here{};
    here.bytes = sizeof(here.address);
    std::size_t bytes = sizeof(here.address);
    check(::fi_getname(&endpoint_->fid, here.address, &bytes), "address");
    bool absolute = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    here.base = absolute ? reinterpret_cast<std::uint64_t>(memory_) : 0;
    here.key = ::fi_mr_key(region_.get());
    HeapOffset board = context.allocate_symmetric(sizeof(Where));
    context.put(PeId(1 - context.pe().value()), board, &here, sizeof(here));
    context.quiet();
    context.barrier();
    std::memcpy(&there_, context.local_pointer<std::byte>(board), sizeof(there_));
    check(::fi_av_insert(peers_.get(), there_.address, 1, &address_, 0, nullptr) - 1, "peer");
  }
  static void check(std::int64_t status, const char* what) {
    ATOLL_VALIDATE(status >= 0, SetupError, "bare libfabric: {}: {}", what, fabric::ofi::error_text(status));
  }
  static bool retry(std::int64_t status) {
    ATOLL_VALIDATE(status == 0 || status == -FI_EAGAIN, Error, "bare libfabric fails: {}",
                   fabric::ofi::error_text(status));
    return status != 0;
  }
  template <class Start>
  void begin(Start&& start) {
    while (retry(start())) poll();
    ++under_way_;
    context_ = (context_ + 1) % contexts_.size();
  }
  fi_context2* next() { return &contexts_[context_]; }

  fabric::ofi::Info info_;
  std::byte* memory_;
  fabric::ofi::Owned<fid_fabric> fabric_;
  fabric::ofi::Owned<fid_domain> domain_;
  fabric::ofi::Owned<fid_av> peers_;
  fabric::ofi::Owned<fid_cq> queue_;
  fabric::ofi::Owned<fid_mr> region_;
  fabric::ofi::Owned<fid_ep> endpoint_;  // last: it goes first
  fi_addr_t address_ = FI_ADDR_UNSPEC;
  Where there_{};
  std::vector<fi_context2> contexts_ = std::vector<fi_context2>(4096);  // more than may be under way
  fi_context2 receive_{};
  std::size_t context_ = 0;
  std::uint64_t under_way_ = 0, received_ = 0;
};

}  // namespace atl::bench
