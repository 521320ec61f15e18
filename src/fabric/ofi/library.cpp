// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "tcp/provider.hpp"

#if defined(__SANITIZE_THREAD__)
// The sanitizer sees of libfabric only what the C library does for it. What it copies into memory that a PE waits for,
// a network's hardware would write unseen; what it locks it also unlocks, when the process ends.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "called_from_lib:libfabric.so\nmutex:_dl_call_fini\n";
}
#endif

namespace atl::fabric::ofi {
namespace {

constexpr std::uint32_t oldest = FI_VERSION(1, 14);

// Fastest first. Others (shm, which knows one node only; udp, which is for tests) are used when asked for.
// net is what tcp became in libfabric 2: a message of 8 bytes and its answer take 9.4 us over it, 12.2 over
// tcp;ofi_rxm.
constexpr std::array preferred = {"cxi", "efa", "opx", "psm3", "psm2", "verbs;ofi_rxm", "tcp", "net", "tcp;ofi_rxm"};

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  ATOLL_VALIDATE(function != nullptr, SetupError, "libfabric has no {}: it is damaged, or none that Atoll knows", name);
}

Library load() {
  SignalsKept kept;
  void* handle = ::dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    raise<SetupError>(
        fmt::format("this job spans several nodes, and libfabric cannot be loaded ({}). Install it on every "
                    "node (Debian: libfabric1)",
                    why != nullptr ? why : "no reason given"));
  }
  Library found{};
  find(handle, "fi_getinfo", found.getinfo);
  find(handle, "fi_freeinfo", found.freeinfo);
  find(handle, "fi_dupinfo", found.dupinfo);
  find(handle, "fi_fabric", found.fabric);
  find(handle, "fi_strerror", found.strerror);
  find(handle, "fi_version", found.version);
  ATOLL_VALIDATE(found.version() >= oldest, SetupError, "libfabric {}.{} is too old: Atoll needs {}.{}",
                 FI_MAJOR(found.version()), FI_MINOR(found.version()), FI_MAJOR(oldest), FI_MINOR(oldest));
  return found;
}

// Less is better. Of one provider's addresses IPv4 before IPv6: alike on all nodes, whatever interfaces they have.
std::size_t rank_of(const fi_info& info) {
  auto at = std::find(preferred.begin(), preferred.end(), provider_name(info));
  return static_cast<std::size_t>(at - preferred.begin()) * 2 + (info.addr_format == FI_SOCKADDR_IN6 ? 1 : 0);
}
constexpr std::size_t worst_rank = preferred.size() * 2;

// Messages in order are indispensable. The rest is used where it is offered.
Info ask(const std::string& provider, std::uint64_t caps) {
  Info hints(library().dupinfo(nullptr));
  if (!hints) raise<MemoryError>("no memory to ask libfabric for a provider");
  hints->caps = caps;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (!provider.empty()) hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  fi_info* found = nullptr;
  SignalsKept kept;
  if (library().getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, hints.get(), &found) != 0) return nullptr;
  return Info(found);
}

}  // namespace

SignalsKept::SignalsKept() {
  for (int signal = 1; signal < static_cast<int>(before_.size()); ++signal)
    ::sigaction(signal, nullptr, &before_[static_cast<std::size_t>(signal)]);
}

SignalsKept::~SignalsKept() {
  for (int signal = 1; signal < static_cast<int>(before_.size()); ++signal)
    ::sigaction(signal, &before_[static_cast<std::size_t>(signal)], nullptr);
}

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

std::string error_text(std::int64_t status) {
  int error = static_cast<int>(status < 0 ? -status : status);
  if (error == EBADMSG) return "what came was changed on its way, or forged";
  if (error == EKEYREJECTED) return "what answers at its address cannot prove to be it";
  return library().strerror(error);
}

void check(std::int64_t status, const fi_info& info, std::string_view what) {
  if (status >= 0) return;
  std::string text = fmt::format("the network's provider {}: {}: {}. ", provider_name(info), what, error_text(status));
  if (status == -FI_EADDRINUSE || status == -FI_EADDRNOTAVAIL)
    text +=
        "Are its ports taken (FI_TCP_PORT_LOW_RANGE, FI_TCP_PORT_HIGH_RANGE), or is its interface the wrong one (ATOLL_FABRIC_INTERFACES)?";
  else if (status == -FI_EMFILE) text += "Raise the limit of open files (ulimit -n)";
  else if (status == -FI_ENOSYS || status == -FI_EOPNOTSUPP)
    text += "Atoll cannot use it: choose another with ATOLL_FABRIC_PROVIDER";
  else text += "FI_LOG_LEVEL=warn may tell why; `fi_info` lists other providers for ATOLL_FABRIC_PROVIDER";
  raise<SetupError>(text);
}

std::string provider_name(const fi_info& info) { return info.fabric_attr->prov_name; }

bool is_over_sockets(const fi_info& info) {
  std::string name = provider_name(info);
  return name == "tcp" || name == "net";
}

std::string interface_name(const fi_info& info) {
  return info.domain_attr->name != nullptr ? info.domain_attr->name : "";
}

std::vector<Info> find_provider() {
  std::string wanted = config::text(config::Variable::fabric_provider);
  Info found = ask(wanted, FI_MSG | FI_RMA);
  if (!found) found = ask(wanted, FI_MSG);
  ATOLL_VALIDATE(
      found != nullptr, SetupError,
      "libfabric {}.{} has no provider{} with reliable datagrams in order between these nodes. `fi_info` lists "
      "what there is; choose with ATOLL_FABRIC_PROVIDER",
      FI_MAJOR(library().version()), FI_MINOR(library().version()),
      wanted.empty() ? std::string() : fmt::format(" '{}'", wanted));
  // An outer provider such as ofi_rxm is asked for by the inner one's name, too: the first is then the best.
  const fi_info* best = found.get();
  std::string seen;
  for (const fi_info* one = found.get(); one != nullptr; one = one->next) {
    if (seen.find(provider_name(*one)) == std::string::npos)
      seen += fmt::format("{}{}", seen.empty() ? "" : ", ", provider_name(*one));
    if (rank_of(*one) < rank_of(*best)) best = one;
  }
  ATOLL_VALIDATE(!wanted.empty() || rank_of(*best) < worst_rank, SetupError,
                 "none of libfabric's providers here ({}) is one that Atoll uses by itself. Choose one with "
                 "ATOLL_FABRIC_PROVIDER",
                 seen);
  std::vector<Info> all;
  for (const fi_info* one = best; one != nullptr; one = one->next) {
    bool known = std::any_of(all.begin(), all.end(),
                             [&](const Info& other) { return interface_name(*other) == interface_name(*one); });
    if (known || provider_name(*one) != provider_name(*best) || rank_of(*one) != rank_of(*best)) continue;
    all.emplace_back(library().dupinfo(one));
    if (!all.back()) raise<MemoryError>("no memory for the network's description");
    Protection protection = network_protection();
    if (protection != Protection::none && tcp::is_replaced(one->fabric_attr->prov_name))
      tcp::describe(*all.back(), protection);
  }
  return all;
}

}  // namespace atl::fabric::ofi
