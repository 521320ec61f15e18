// SPDX-License-Identifier: Apache-2.0
#include "provider.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "atoll/base/log.hpp"

namespace atl::fabric::ofi::tcp {
namespace {

constexpr std::string_view prefix = "atoll-tcp";
constexpr std::size_t most_injected = 256, queue_entries = 1024;

// One endpoint with all that libfabric's interface makes objects of: each object leads here, and is closed with the
// fabric, which lives longest.
struct Provider {
  explicit Provider(const Identity& own) : identity(own) {}

  Identity identity;
  std::unique_ptr<Endpoint> endpoint;  // from fi_domain on
  fid_fabric fabric{};
  fid_domain domain{};
  fid_av peers{};
  fid_cq queue{};
  fid_ep end{};
};

struct Region {
  fid_mr object{};
  Provider* provider;
};

Provider& of(const fid& object) { return *static_cast<Provider*>(object.context); }
template <class Object>
Provider& of(Object* object) {
  return of(object->fid);
}

// libfabric's numbers of errors are those of errno.
int result(int error) { return -error; }

int close_nothing(fid*) { return 0; }
int bind_nothing(fid*, fid*, std::uint64_t) { return 0; }
int control(fid* object, int command, void* argument) {
  if (command == FI_ENABLE) return 0;
  if (command != FI_GETWAIT || object->fclass != FI_CLASS_CQ) return -FI_ENOSYS;
  *static_cast<int*>(argument) = of(*object).endpoint->descriptor();
  return 0;
}

// ---- fabric and domain ----

int close_fabric(fid* object) {
  delete &of(*object);
  return 0;
}

// Endpoints go first, with their connections.
int close_endpoint(fid* object) {
  of(*object).endpoint.reset();
  return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void*) {
  Provider& provider = of(fabric);
  provider.endpoint = std::make_unique<Endpoint>(provider.identity, info->src_addr, info->src_addrlen);
  *domain = &provider.domain;
  return 0;
}

int try_to_sleep(fid_fabric* fabric, fid**, int) {
  Endpoint* endpoint = of(fabric).endpoint.get();
  return endpoint->may_sleep() ? 0 : -FI_EAGAIN;
}

template <class Object, class Attributes>
int give(fid_domain* domain, Attributes*, Object** object, void*) {
  Provider& provider = of(domain);
  if constexpr (std::is_same_v<Object, fid_av>) *object = &provider.peers;
  else if constexpr (std::is_same_v<Object, fid_cq>) *object = &provider.queue;
  else *object = &provider.end;
  return 0;
}

int close_region(fid* object) {
  auto* region = static_cast<Region*>(object->context);
  if (region->provider->endpoint) region->provider->endpoint->resources().regions.remove(region->object.key);
  delete region;
  return 0;
}

int reg(fid* domain, const void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t, std::uint64_t key,
        std::uint64_t, fid_mr** made, void*) {
  static fi_ops ops{.size = sizeof(fi_ops),
                    .close = close_region,
                    .bind = bind_nothing,
                    .control = control,
                    .ops_open = nullptr,
                    .tostr = nullptr,
                    .ops_set = nullptr};
  Provider& provider = of(*domain);
  Regions& regions = provider.endpoint->resources().regions;
  if (regions.contains(key)) return -FI_ENOKEY;
  auto region = std::make_unique<Region>();
  region->provider = &provider;
  region->object.fid.fclass = FI_CLASS_MR;
  region->object.fid.context = region.get();
  region->object.fid.ops = &ops;
  region->object.key = key;
  regions.add({key, static_cast<std::byte*>(const_cast<void*>(memory)), bytes, access});
  *made = &region.release()->object;
  return 0;
}

// ---- addresses ----

int insert(fid_av* peers, const void* addresses, std::size_t count, fi_addr_t* numbers, std::uint64_t, void*) {
  Provider& provider = of(peers);
  for (std::size_t i = 0; i < count; ++i) {
    Address address;
    std::memcpy(&address, static_cast<const std::byte*>(addresses) + i * sizeof(address), sizeof(address));
    // Of another family, it cannot be reached.
    bool usable = std::memcmp(address.socket, provider.endpoint->address().socket, sizeof(sa_family_t)) == 0;
    numbers[i] = usable ? provider.endpoint->add_peer(address) : FI_ADDR_UNSPEC;
    if (!usable) return static_cast<int>(i);
  }
  return static_cast<int>(count);
}

int get_name(fid* object, void* address, std::size_t* bytes) {
  const Address& own = of(*object).endpoint->address();
  std::memcpy(address, &own, std::min(*bytes, sizeof(own)));
  bool fits = *bytes >= sizeof(own);
  *bytes = sizeof(own);
  return fits ? 0 : -FI_ETOOSMALL;
}

// Libfabric's functions throw nothing.
template <class Action>
ssize_t without_exceptions(Action&& action) noexcept {
  try {
    return static_cast<ssize_t>(action());
  } catch (const std::bad_alloc&) { return -FI_ENOMEM; } catch (const std::exception& error) {
    log(LogLevel::warning, "the network fails: {}", error.what());
    return -FI_EIO;
  }
}

// ---- operations ----

using Outgoing = Connection::Outgoing;

void add_parts(Outgoing& what, const iovec* parts, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    what.parts[what.part_count++] = parts[i];
    what.command.bytes += parts[i].iov_len;
  }
}

ssize_t send_parts(fid_ep* end, const iovec* parts, std::size_t count, fi_addr_t to, void* context, bool keeps) {
  Outgoing what;
  what.command.action = Action::message;
  what.context = context;
  what.flags = FI_MSG | FI_SEND;
  add_parts(what, parts, count);
  return without_exceptions([&] { return result(of(end).endpoint->send(to, what, keeps)); });
}

ssize_t send(fid_ep* end, const void* from, std::size_t bytes, void*, fi_addr_t to, void* context) {
  iovec part{const_cast<void*>(from), bytes};
  return send_parts(end, &part, 1, to, context, true);
}

ssize_t send_message(fid_ep* end, const fi_msg* message, std::uint64_t) {
  return send_parts(end, message->msg_iov, message->iov_count, message->addr, message->context, true);
}

ssize_t inject(fid_ep* end, const void* from, std::size_t bytes, fi_addr_t to) {
  iovec part{const_cast<void*>(from), bytes};
  return send_parts(end, &part, 1, to, nullptr, false);
}

ssize_t receive(fid_ep* end, void* buffer, std::size_t bytes, void*, fi_addr_t, void* context) {
  return without_exceptions([&] {
    of(end).endpoint->resources().receives.push_back({static_cast<std::byte*>(buffer), bytes, context});
    return 0;
  });
}

ssize_t write_message(fid_ep* end, const fi_msg_rma* message, std::uint64_t flags) {
  if (message->rma_iov_count > most_targets || message->iov_count > Connection::most_parts) return -FI_EINVAL;
  Outgoing what;
  what.command.action = Action::write;
  what.command.targets = static_cast<std::uint8_t>(message->rma_iov_count);
  what.command.tells = (flags & FI_REMOTE_CQ_DATA) != 0;
  what.command.asks = (flags & FI_DELIVERY_COMPLETE) != 0;
  what.command.number = message->data;
  for (std::size_t i = 0; i < message->rma_iov_count; ++i)
    what.targets[i] = {message->rma_iov[i].addr, message->rma_iov[i].len, message->rma_iov[i].key};
  what.context = message->context;
  what.flags = FI_RMA | FI_WRITE;
  what.until = what.command.asks != 0 ? Outgoing::Until::answered : Outgoing::Until::copied;
  add_parts(what, message->msg_iov, message->iov_count);
  return without_exceptions([&] { return result(of(end).endpoint->send(message->addr, what, true)); });
}

// Not as libfabric has it: the operation still completes, but the caller's memory is not touched any more.
ssize_t release(fid* end, void* context) {
  of(*end).endpoint->release(context);
  return 0;
}

ssize_t read(fid_ep* end, void* to, std::size_t bytes, void*, fi_addr_t from, std::uint64_t offset, std::uint64_t key,
             void* context) {
  return without_exceptions(
      [&] { return result(of(end).endpoint->read(from, {offset, bytes, key}, static_cast<std::byte*>(to), context)); });
}

// ---- completions ----

ssize_t read_queue(fid_cq* queue, void* to, std::size_t count) {
  Endpoint& endpoint = *of(queue).endpoint;
  Completions& completions = endpoint.resources().completions;
  if (completions.is_empty()) {
    ssize_t status = without_exceptions([&] { return endpoint.progress(), 0; });
    if (status != 0) return status;
  }
  std::size_t taken = completions.take(static_cast<fi_cq_data_entry*>(to), count);
  if (taken != 0) return static_cast<ssize_t>(taken);
  return completions.has_failures() ? -FI_EAVAIL : -FI_EAGAIN;
}

ssize_t read_failure(fid_cq* queue, fi_cq_err_entry* to, std::uint64_t) {
  Completions& completions = of(queue).endpoint->resources().completions;
  if (!completions.has_failures()) return -FI_EAGAIN;
  *to = completions.take_failure();
  return 1;
}

// ---- tables ----

// Unset functions are never called here.
template <class Table>
Table table() {
  Table made{};
  made.size = sizeof(Table);
  return made;
}

struct Tables {
  fi_ops fabric_object = table<fi_ops>(), object = fabric_object, end_object = fabric_object;
  fi_ops_fabric fabric = table<fi_ops_fabric>();
  fi_ops_domain domain = table<fi_ops_domain>();
  fi_ops_mr memory = table<fi_ops_mr>();
  fi_ops_av peers = table<fi_ops_av>();
  fi_ops_cq queue = table<fi_ops_cq>();
  fi_ops_cm names = table<fi_ops_cm>();
  fi_ops_msg messages = table<fi_ops_msg>();
  fi_ops_rma transfers = table<fi_ops_rma>();
  fi_ops_ep end = table<fi_ops_ep>();

  Tables() {
    object.close = close_nothing, object.bind = bind_nothing, object.control = control;
    fabric_object = end_object = object;
    fabric_object.close = close_fabric;
    end_object.close = close_endpoint;
    fabric.domain = open_domain;
    fabric.trywait = try_to_sleep;
    domain.av_open = give<fid_av, fi_av_attr>;
    domain.cq_open = give<fid_cq, fi_cq_attr>;
    domain.endpoint = give<fid_ep, fi_info>;
    memory.reg = reg;
    peers.insert = insert;
    queue.read = read_queue;
    queue.readerr = read_failure;
    names.getname = get_name;
    messages.recv = receive;
    messages.send = send;
    messages.sendmsg = send_message;
    messages.inject = inject;
    transfers.read = read;
    transfers.writemsg = write_message;
    end.cancel = release;
  }
};

template <class Object, class Table>
void set_up(Object& object, std::size_t kind, Provider* provider, fi_ops& object_table, Table& own_table) {
  object.fid.fclass = kind;
  object.fid.context = provider;
  object.fid.ops = &object_table;
  object.ops = &own_table;
}

}  // namespace

bool is_replaced(const char* provider) {
  std::string_view name(provider);
  return name == "tcp" || name == "net" || name == "tcp;ofi_rxm";
}

void describe(fi_info& info, Protection protection) {
  std::string name = std::string(prefix).append("+").append(name_of(protection));
  std::free(info.fabric_attr->prov_name);
  info.fabric_attr->prov_name = ::strdup(name.c_str());
  constexpr std::uint64_t order =
      FI_ORDER_RAR | FI_ORDER_RAW | FI_ORDER_RAS | FI_ORDER_WAW | FI_ORDER_WAS | FI_ORDER_SAW | FI_ORDER_SAS;
  info.caps = FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  info.mode = 0;
  info.tx_attr->msg_order = info.rx_attr->msg_order = order;
  info.tx_attr->inject_size = most_injected;
  info.tx_attr->size = info.rx_attr->size = queue_entries;
  info.tx_attr->iov_limit = Connection::most_parts;
  info.tx_attr->rma_iov_limit = most_targets;
  info.domain_attr->mr_mode = 0;
  info.domain_attr->mr_key_size = info.domain_attr->cq_data_size = sizeof(std::uint64_t);
  info.ep_attr->max_msg_size = SIZE_MAX;
}

bool is_own(const fi_info& info) { return std::string_view(info.fabric_attr->prov_name).starts_with(prefix); }

fid_fabric* open_fabric(const Identity& identity) {
  static Tables tables;
  auto* provider = new Provider(identity);
  set_up(provider->fabric, FI_CLASS_FABRIC, provider, tables.fabric_object, tables.fabric);
  set_up(provider->domain, FI_CLASS_DOMAIN, provider, tables.object, tables.domain);
  provider->domain.mr = &tables.memory;
  set_up(provider->peers, FI_CLASS_AV, provider, tables.object, tables.peers);
  set_up(provider->queue, FI_CLASS_CQ, provider, tables.object, tables.queue);
  set_up(provider->end, FI_CLASS_EP, provider, tables.end_object, tables.end);
  provider->end.cm = &tables.names;
  provider->end.msg = &tables.messages;
  provider->end.rma = &tables.transfers;
  return &provider->fabric;
}

}  // namespace atl::fabric::ofi::tcp
