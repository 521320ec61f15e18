// SPDX-License-Identifier: Apache-2.0
// libfabric, which is loaded when a job first spans nodes: programs on one node need no network library.
#pragma once

#include <rdma/fabric.h>
#include <signal.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::fabric::ofi {

/// The entry points of the shared library (others are in the tables of libfabric's objects). Loaded once per process
/// and never unloaded, because providers have threads and exit handlers.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// Throws SetupError when libfabric is missing or too old.
const Library& library();

/// Some providers install signal handlers when they are loaded or queried. The destructor restores the handlers of
/// before.
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

/// The provider to use (ATOLL_FABRIC_PROVIDER, or the fastest available one), once per network interface, best first.
/// Throws SetupError, which lists the available providers, when none is suitable.
std::vector<Info> find_provider();

std::string provider_name(const fi_info& info);
/// Whether it is libfabric's own TCP provider, without another provider above it.
bool is_over_sockets(const fi_info& info);
/// The name of the interface, such as eth0 or mlx5_0.
std::string interface_name(const fi_info& info);

/// Throws SetupError with libfabric's error text and advice when `status`, a result of libfabric, is an error.
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
