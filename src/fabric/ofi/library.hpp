// SPDX-License-Identifier: Apache-2.0
// libfabric, loaded when a job first spans nodes: programs on one node need no network library.
#pragma once

#include <rdma/fabric.h>
#include <signal.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::fabric::ofi {

/// The entry points that are not behind the tables of objects. Loaded once per process, never unloaded: providers have
/// threads and exit handlers.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// Throws SetupError when there is no libfabric, or one that is too old.
const Library& library();

/// Some providers handle the program's signals as soon as they are loaded or asked. While this lives; afterwards
/// signals are handled as they were before.
class SignalsKept {
 public:
  SignalsKept();
  ~SignalsKept();
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  std::array<struct sigaction, 32> before_{};
};

struct FreeInfo {
  void operator()(fi_info* info) const { library().freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// The provider to use: ATOLL_FABRIC_PROVIDER, or the fastest that there is, once for each interface that it reaches
/// the network by, best first. Throws SetupError when none will do, saying what there is.
std::vector<Info> find_provider();

std::string provider_name(const fi_info& info);
/// Libfabric's own layer over TCP, with no other provider above it.
bool is_over_sockets(const fi_info& info);
/// Of the interface: eth0, mlx5_0.
std::string interface_name(const fi_info& info);

/// Throws SetupError with libfabric's own words, and what to try, when `status`, as returned by it, is an error.
void check(std::int64_t status, const fi_info& info, std::string_view what);
std::string error_text(std::int64_t status);

/// Closes an object of libfabric.
struct Close {
  template <class Object>
  void operator()(Object* object) const {
    ::fi_close(&object->fid);
  }
};
template <class Object>
using Owned = std::unique_ptr<Object, Close>;

}  // namespace atl::fabric::ofi
