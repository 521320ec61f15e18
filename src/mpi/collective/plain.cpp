// SPDX-License-Identifier: Apache-2.0
#include "collective/plain.hpp"

#include <cstring>

namespace atl::mpi {

Flow reduce_elements(Circle circle, Elements& elements, int root) {
  std::vector<std::byte> arrived(elements.bytes());
  Exchange exchange;
  for (int bit = 1; bit < circle.size(); bit <<= 1) {
    if (circle.rank & bit) {
      exchange.send(circle.pe(circle.rank - bit), circle.tag, elements.data.data(), elements.bytes());
      break;
    }
    if (circle.rank + bit >= circle.size()) continue;
    exchange.receive(circle.pe(circle.rank + bit), circle.tag, arrived.data(), arrived.size());
    co_await exchange;
    elements.fold_right(arrived.data());
  }
  co_await exchange;
  if (root == 0) co_return;
  if (circle.rank == 0) exchange.send(circle.pe(root), circle.tag, elements.data.data(), elements.bytes());
  if (circle.rank == root) exchange.receive(circle.pe(0), circle.tag, elements.data.data(), elements.bytes());
  co_await exchange;
}

Flow allreduce_elements(Circle circle, Elements& elements) {
  co_await reduce_elements(circle, elements, 0);
  co_await broadcast_bytes(circle, elements.data.data(), elements.bytes());
}

Flow scan_elements(Circle circle, Elements& elements, Scan scan) {
  std::vector<std::byte> before(elements.bytes()), through = elements.data;
  Exchange exchange;
  if (circle.rank > 0) {
    exchange.receive(circle.pe(circle.rank - 1), circle.tag, before.data(), before.size());
    co_await exchange;
    elements.fold_left(before.data());
  }
  through = elements.data;
  if (circle.rank + 1 < circle.size()) {
    exchange.send(circle.pe(circle.rank + 1), circle.tag, through.data(), through.size());
    co_await exchange;
  }
  if (scan == Scan::exclusive && circle.rank > 0) elements.data = std::move(before);
}

Flow swap_elements(Circle local, PeId remote_leader, std::uint64_t bits, Elements& elements,
                   std::vector<std::byte>& theirs) {
  if (local.rank == 0) {
    Exchange exchange;
    exchange.send(remote_leader, bits, elements.data.data(), elements.bytes());
    exchange.receive(remote_leader, bits, theirs.data(), theirs.size());
    co_await exchange;
  }
}

}  // namespace atl::mpi
