// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>

#include "comm/create.hpp"
#include "topology/topology.hpp"

namespace atl::mpi {
namespace {

const Cart& need_cart(const Comm& comm) {
  auto* cart = dynamic_cast<const Cart*>(comm.shape.get());
  ATOLL_MPI_REQUIRE(cart != nullptr, MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
  return *cart;
}

int product(const std::vector<int>& values) {
  return std::accumulate(values.begin(), values.end(), 1, std::multiplies<>{});
}

std::vector<int> checked_dims(const Comm& comm, int count, const int* dims) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_DIMS, "{} dimensions", count);
  need_list(dims, count, "dimensions");
  std::vector<int> sizes(dims, dims + count);
  std::int64_t all = 1;
  for (int size : sizes) {
    ATOLL_MPI_REQUIRE(size > 0, MPI_ERR_DIMS, "a dimension of {}", size);
    all *= size;
    ATOLL_MPI_REQUIRE(all <= comm.size(), MPI_ERR_DIMS, "the grid is larger than the communicator's {} ranks",
                      comm.size());
  }
  return sizes;
}

// A communicator of the first `members` ranks; MPI_COMM_NULL on all others.
MPI_Comm first_ranks(Comm& comm, int members) {
  MPI_Comm made;
  comm_split(handle_of(comm), comm.rank() < members ? 0 : MPI_UNDEFINED, comm.rank(), &made);
  return made;
}

std::vector<int> divisors_of(int number) {
  std::vector<int> low, high;
  for (int one = 1; one <= number / one; ++one) {
    if (number % one != 0) continue;
    low.push_back(one);
    if (one != number / one) high.push_back(number / one);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

// base to the power of exponent, or any number above `most` when the power is above it.
std::int64_t power(std::int64_t base, std::size_t exponent, std::int64_t most) {
  std::int64_t value = 1;
  for (; exponent > 0 && value <= most; --exponent) value *= base;
  return value;
}

// Splits `number` into factors between `least` and `most`, smallest first. False when there is no such split.
bool part_within(const std::vector<int>& divisors, int number, int least, int most, std::span<int> parts) {
  if (parts.size() == 1) {
    parts[0] = number;
    return least <= number && number <= most;
  }
  for (auto first = std::ranges::lower_bound(divisors, least);
       first != divisors.end() && power(*first, parts.size(), number) <= number; ++first) {
    if (number % *first != 0 || power(most, parts.size() - 1, number / *first) < number / *first) continue;
    parts[0] = *first;
    if (part_within(divisors, number / *first, *first, most, parts.subspan(1))) return true;
  }
  return false;
}

std::vector<int> balanced(int number, std::size_t count);

// Makes the factors between the smallest and the largest as equal as possible.
void even_out(std::vector<int>& smallest_first) {
  if (smallest_first.size() < 4) return;
  std::span<int> inner(smallest_first.begin() + 1, smallest_first.end() - 1);
  std::vector<int> better = balanced(product({inner.begin(), inner.end()}), inner.size());
  if (better.back() < smallest_first.front() || better.front() > smallest_first.back()) return;
  std::ranges::reverse_copy(better, inner.begin());
}

// Splits `number` into `count` factors, largest first, with the least difference of largest and smallest; of equal
// differences, the split with the larger smallest factor.
std::vector<int> balanced(int number, std::size_t count) {
  std::vector<int> best(count, 1);
  if (count == 0) return best;
  best.back() = number;
  const std::vector<int> divisors = divisors_of(number);
  std::vector<int> parts(count);
  for (auto least = divisors.rbegin(); least != divisors.rend(); ++least) {
    if (power(*least, count, number) > number) continue;
    // The largest factor is at least the count-th root of `number`, which bounds the difference from below.
    auto largest = std::ranges::find_if(divisors, [&](int one) { return power(one, count, number) >= number; });
    if (*largest - *least >= best.back() - best.front()) break;
    for (; largest != divisors.end() && *largest - *least < best.back() - best.front(); ++largest) {
      parts[0] = *least;
      bool found = count == 1 ? number == *least
                              : number % *least == 0 && part_within(divisors, number / *least, *least, *largest,
                                                                    std::span(parts).subspan(1));
      if (!found) continue;
      best = parts;
      break;
    }
  }
  even_out(best);
  std::ranges::reverse(best);
  return best;
}

}  // namespace

int Cart::size() const { return product(dims); }

std::vector<int> Cart::coords(int rank) const {
  std::vector<int> found(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d]) found[d] = rank % dims[d];
  return found;
}

int Cart::rank(std::vector<int> coords) const {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    int at = coords[d];
    if (at < 0 || at >= dims[d]) {
      if (!periods[d]) return MPI_PROC_NULL;
      at = (at % dims[d] + dims[d]) % dims[d];
    }
    rank = rank * dims[d] + at;
  }
  return rank;
}

int Cart::shifted(int rank, std::size_t dimension, int by) const {
  auto at = coords(rank);
  at[dimension] += by;
  return this->rank(std::move(at));
}

std::vector<Neighbour> Cart::destinations(const Comm& comm) const {
  std::vector<Neighbour> all;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    all.push_back({shifted(comm.rank(), d, -1), static_cast<std::uint32_t>(2 * d)});
    all.push_back({shifted(comm.rank(), d, 1), static_cast<std::uint32_t>(2 * d + 1)});
  }
  return all;
}

// The source in a direction is the destination in the opposite one.
std::vector<Neighbour> Cart::sources(const Comm& comm) const {
  auto all = destinations(comm);
  for (Neighbour& one : all) one.way ^= 1;
  return all;
}

void dims_create(int nodes, int count, int* dims) {
  ATOLL_MPI_REQUIRE(count >= 0 && nodes > 0, MPI_ERR_DIMS, "{} ranks in {} dimensions", nodes, count);
  need_list(dims, count, "dimensions");
  std::size_t open = 0;
  std::int64_t fixed = 1;
  for (int d = 0; d < count; ++d) {
    ATOLL_MPI_REQUIRE(dims[d] >= 0, MPI_ERR_DIMS, "a dimension of {}", dims[d]);
    if (dims[d] == 0) ++open;
    else fixed *= dims[d];
  }
  ATOLL_MPI_REQUIRE(nodes % fixed == 0 && (open != 0 || fixed == nodes), MPI_ERR_DIMS,
                    "{} ranks cannot be shared out over dimensions of {}", nodes, fixed);
  auto parts = balanced(nodes / static_cast<int>(fixed), open);
  auto part = parts.begin();
  for (int d = 0; d < count; ++d)
    if (dims[d] == 0) dims[d] = *part++;
}

void cart_create(MPI_Comm handle, int count, const int* dims, const int* periods, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  Comm& comm = need_intra(handle);
  auto sizes = checked_dims(comm, count, dims);
  need_list(periods, count, "dimensions that are periodic");
  std::vector<bool> wraps(periods, periods + count);
  *made = first_ranks(comm, product(sizes));
  if (*made != MPI_COMM_NULL) need<Comm>(*made).shape = std::make_unique<Cart>(std::move(sizes), std::move(wraps));
}

void cart_map(MPI_Comm handle, int count, const int* dims, int* rank) {
  Comm& comm = need_intra(handle);
  *rank = comm.rank() < product(checked_dims(comm, count, dims)) ? comm.rank() : MPI_UNDEFINED;
}

void cart_dim(MPI_Comm comm, int* count) { *count = static_cast<int>(need_cart(need<Comm>(comm)).dims.size()); }

void cart_get(MPI_Comm handle, int room, int* dims, int* periods, int* coords) {
  Comm& comm = need<Comm>(handle);
  const Cart& cart = need_cart(comm);
  auto at = cart.coords(comm.rank());
  ATOLL_MPI_REQUIRE(static_cast<std::size_t>(room) >= at.size(), MPI_ERR_ARG, "room for {} of {} dimensions", room,
                    at.size());
  for (std::size_t d = 0; d < at.size(); ++d) {
    dims[d] = cart.dims[d];
    periods[d] = cart.periods[d];
    coords[d] = at[d];
  }
}

void cart_rank(MPI_Comm handle, const int* coords, int* rank) {
  const Cart& cart = need_cart(need<Comm>(handle));
  need_list(coords, static_cast<std::int64_t>(cart.dims.size()), "coordinates");
  *rank = cart.rank({coords, coords + cart.dims.size()});
  ATOLL_MPI_REQUIRE(*rank != MPI_PROC_NULL, MPI_ERR_ARG, "coordinates outside of a dimension that is not periodic");
}

void cart_coords(MPI_Comm handle, int rank, int room, int* coords) {
  Comm& comm = need<Comm>(handle);
  const Cart& cart = need_cart(comm);
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < comm.size(), MPI_ERR_RANK, "rank {} of {}", rank, comm.size());
  auto at = cart.coords(rank);
  ATOLL_MPI_REQUIRE(room >= 0 && static_cast<std::size_t>(room) >= at.size(), MPI_ERR_ARG,
                    "room for {} of {} dimensions", room, at.size());
  std::copy(at.begin(), at.end(), coords);
}

void cart_shift(MPI_Comm handle, int dimension, int by, int* source, int* dest) {
  Comm& comm = need<Comm>(handle);
  const Cart& cart = need_cart(comm);
  ATOLL_MPI_REQUIRE(dimension >= 0 && static_cast<std::size_t>(dimension) < cart.dims.size(), MPI_ERR_DIMS,
                    "dimension {} of {}", dimension, cart.dims.size());
  *source = cart.shifted(comm.rank(), static_cast<std::size_t>(dimension), -by);
  *dest = cart.shifted(comm.rank(), static_cast<std::size_t>(dimension), by);
}

void cart_sub(MPI_Comm handle, const int* remain, MPI_Comm* made) {
  Comm& comm = need<Comm>(handle);
  const Cart& cart = need_cart(comm);
  need_list(remain, static_cast<std::int64_t>(cart.dims.size()), "dimensions that remain");
  auto at = cart.coords(comm.rank());
  std::vector<int> sizes;
  std::vector<bool> wraps;
  int color = 0, key = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    int& number = remain[d] != 0 ? key : color;
    number = number * cart.dims[d] + at[d];
    if (remain[d] == 0) continue;
    sizes.push_back(cart.dims[d]);
    wraps.push_back(cart.periods[d]);
  }
  comm_split(handle, color, key, made);
  need<Comm>(*made).shape = std::make_unique<Cart>(std::move(sizes), std::move(wraps));
}

}  // namespace atl::mpi
