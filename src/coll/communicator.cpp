// SPDX-License-Identifier: Apache-2.0
// The public operations: they check arguments and choose the operation of the engine.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "engine.hpp"

namespace atl::coll {

using detail::Arguments;
using detail::Engine;
using detail::Kind;

namespace {

// Staging chunks carry whole elements.
constexpr std::size_t longest_element = 32768;

// The arguments of the shortest operations are made inline: arguments that stay in registers save 5 ns.
[[gnu::always_inline]] inline Arguments of_bytes(std::size_t bytes, int root = 0) {
  Arguments arguments;
  arguments.bytes = bytes;
  arguments.root = root;
  return arguments;
}

[[gnu::always_inline]] inline Arguments of_broadcast(Engine& engine, const void* in, const void* out, std::size_t bytes,
                                                     int root) {
  engine.validate_root(root);
  Arguments arguments = of_bytes(bytes, root);
  arguments.in_place = in == out || engine.rank() != root;
  return arguments;
}

[[gnu::always_inline]] inline Arguments of_alltoall(Engine& engine, std::size_t bytes, const void* out,
                                                    Destination where) {
  Arguments arguments = of_bytes(bytes);
  arguments.symmetric = where == Destination::symmetric && engine.in_segment(out);
  return arguments;
}

[[gnu::always_inline]] inline Arguments of_elements(std::size_t count, const Reduction& reduction, int root = 0) {
  ATOLL_VALIDATE(reduction.element_bytes() <= longest_element, ValueError,
                 "elements of {} bytes cannot be reduced: at most {}", reduction.element_bytes(), longest_element);
  Arguments arguments = of_bytes(count * reduction.element_bytes(), root);
  arguments.element_bytes = reduction.element_bytes();
  return arguments;
}

void validate_sizes(std::size_t give, std::size_t take, std::string_view operation) {
  ATOLL_VALIDATE(give == take, ValueError,
                 "{}: this member's own block has {} bytes on the way out and {} on the way in", operation, give, take);
}

Arguments of_gatherv(Engine& engine, const void* in, std::size_t bytes, std::span<const Block> out, int root) {
  engine.validate_root(root);
  Arguments arguments = of_bytes(bytes, root);
  arguments.in = in;
  if (engine.rank() == root) {
    engine.validate_blocks(out.size());
    validate_sizes(bytes, out[static_cast<std::size_t>(root)].bytes, "gatherv");
    arguments.out_blocks = out;
  }
  return arguments;
}

Arguments of_scatterv(Engine& engine, std::span<const ConstBlock> in, void* out, std::size_t bytes, int root) {
  engine.validate_root(root);
  Arguments arguments = of_bytes(bytes, root);
  arguments.out = out;
  if (engine.rank() == root) {
    engine.validate_blocks(in.size());
    validate_sizes(in[static_cast<std::size_t>(root)].bytes, bytes, "scatterv");
    arguments.in_blocks = in;
  }
  return arguments;
}

Arguments of_allgatherv(Engine& engine, const void* in, std::size_t bytes, std::span<const Block> out) {
  engine.validate_blocks(out.size());
  validate_sizes(bytes, out[static_cast<std::size_t>(engine.rank())].bytes, "allgatherv");
  Arguments arguments = of_bytes(bytes);
  arguments.in = in;
  arguments.out_blocks = out;
  return arguments;
}

Arguments of_alltoallv(Engine& engine, std::span<const ConstBlock> in, std::span<const Block> out) {
  engine.validate_blocks(in.size());
  engine.validate_blocks(out.size());
  auto rank = static_cast<std::size_t>(engine.rank());
  validate_sizes(in[rank].bytes, out[rank].bytes, "alltoallv");
  Arguments arguments;
  arguments.in_blocks = in;
  arguments.out_blocks = out;
  return arguments;
}

}  // namespace

Communicator::Communicator(runtime::Context& context) : Communicator(std::make_unique<Engine>(context)) {}

Communicator::Communicator(runtime::Context& context, const runtime::Team& team, std::optional<double> timeout_seconds)
    : Communicator(std::make_unique<Engine>(context, team, timeout_seconds)) {}

HeapOffset Communicator::make_area(runtime::Context& context, std::size_t members) {
  return Engine::make_area(context, members);
}

Communicator::Communicator(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank)
    : Communicator(std::make_unique<Engine>(context, std::move(pes), std::move(areas), rank)) {}

Communicator::Communicator(Communicator& parent, int colour, int key)
    : Communicator(std::move(split(parent, colour, key)->engine_)) {}

Communicator::Communicator(std::unique_ptr<Engine> engine)
    : engine_(std::move(engine)), rank_(engine_->rank()), size_(engine_->size()) {}

std::optional<Communicator> Communicator::split(Communicator& parent, std::optional<int> colour, int key) {
  struct Choice {
    std::int64_t colour;
    std::int64_t key;
  };
  constexpr std::int64_t none = INT64_MIN;
  std::int64_t mine = colour ? *colour : none;
  auto choices = parent.allgather(Choice{mine, key});
  std::vector<std::size_t> members;
  for (std::size_t member = 0; member < choices.size(); ++member)
    if (colour && choices[member].colour == mine) members.push_back(member);
  std::stable_sort(members.begin(), members.end(),
                   [&](std::size_t left, std::size_t right) { return choices[left].key < choices[right].key; });
  constexpr std::uint64_t no_memory = UINT64_MAX;
  runtime::Context& context = parent.context();
  std::uint64_t own = 0;
  if (colour) {
    try {
      own = Engine::make_area(context, members.size()).value();
    } catch (const MemoryError&) { own = no_memory; }
  }
  auto offsets = parent.allgather(own);
  if (auto refused = std::find(offsets.begin(), offsets.end(), no_memory); refused != offsets.end()) {
    if (colour && own != no_memory) Engine::release_area(context, HeapOffset(own));
    raise<MemoryError>(fmt::format("PE {} has no memory for another communicator",
                                   parent.pe(static_cast<int>(refused - offsets.begin())).value()));
  }
  if (!colour) return std::nullopt;
  std::vector<PeId> pes;
  std::vector<HeapOffset> areas;
  int rank = 0;
  for (std::size_t member : members) {
    if (member == static_cast<std::size_t>(parent.rank())) rank = static_cast<int>(pes.size());
    pes.push_back(parent.pe(static_cast<int>(member)));
    areas.emplace_back(offsets[member]);
  }
  return Communicator(std::make_unique<Engine>(context, std::move(pes), std::move(areas), rank));
}

Communicator::~Communicator() = default;
void Communicator::close() { engine_->close(); }
bool Communicator::all_closed() { return engine_->all_closed(); }
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

PeId Communicator::pe(int member) const { return engine_->pe(member); }
const Placement& Communicator::placement() const { return engine_->placement(); }
runtime::Context& Communicator::context() const { return engine_->context(); }

// The two forms of an operation differ in one call only.
void Communicator::barrier() { engine_->run(Kind::barrier, Arguments{}, nullptr, nullptr); }
Request Communicator::ibarrier() {
  return Request(engine_.get(), engine_->start(Kind::barrier, Arguments{}, nullptr, nullptr));
}

void Communicator::broadcast(void* buffer, std::size_t bytes, int root) { broadcast(buffer, buffer, bytes, root); }
void Communicator::broadcast(const void* in, void* out, std::size_t bytes, int root) {
  engine_->run(Kind::broadcast, of_broadcast(*engine_, in, out, bytes, root), in, out);
}
Request Communicator::ibroadcast(void* buffer, std::size_t bytes, int root) {
  return Request(engine_.get(),
                 engine_->start(Kind::broadcast, of_broadcast(*engine_, buffer, buffer, bytes, root), buffer, buffer));
}

void Communicator::allreduce(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  Arguments arguments = of_elements(count, reduction);
  arguments.in_place = in == out;
  engine_->run(Kind::allreduce, arguments, in, out, &reduction);
}
Request Communicator::iallreduce(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  Arguments arguments = of_elements(count, reduction);
  arguments.in_place = in == out;
  return Request(engine_.get(), engine_->start(Kind::allreduce, arguments, in, out, &reduction));
}

void Communicator::reduce(const void* in, void* out, std::size_t count, const Reduction& reduction, int root) {
  engine_->validate_root(root);
  engine_->run(Kind::reduce, of_elements(count, reduction, root), in, out, &reduction);
}
Request Communicator::ireduce(const void* in, void* out, std::size_t count, const Reduction& reduction, int root) {
  engine_->validate_root(root);
  return Request(engine_.get(), engine_->start(Kind::reduce, of_elements(count, reduction, root), in, out, &reduction));
}

void Communicator::scan(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  engine_->run(Kind::scan, of_elements(count, reduction), in, out, &reduction);
}
Request Communicator::iscan(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  return Request(engine_.get(), engine_->start(Kind::scan, of_elements(count, reduction), in, out, &reduction));
}

void Communicator::exscan(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  engine_->run(Kind::exscan, of_elements(count, reduction), in, out, &reduction);
}
Request Communicator::iexscan(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  return Request(engine_.get(), engine_->start(Kind::exscan, of_elements(count, reduction), in, out, &reduction));
}

void Communicator::gather(const void* in, std::size_t bytes, void* out, int root) {
  engine_->validate_root(root);
  engine_->run(Kind::gather, of_bytes(bytes, root), in, out);
}
Request Communicator::igather(const void* in, std::size_t bytes, void* out, int root) {
  engine_->validate_root(root);
  return Request(engine_.get(), engine_->start(Kind::gather, of_bytes(bytes, root), in, out));
}
void Communicator::gatherv(const void* in, std::size_t bytes, std::span<const Block> out, int root) {
  Arguments arguments = of_gatherv(*engine_, in, bytes, out, root);
  engine_->share_sizes(Kind::gatherv, arguments);
  engine_->run(Kind::gatherv, arguments, nullptr, nullptr);
}
Request Communicator::igatherv(const void* in, std::size_t bytes, std::span<const Block> out, int root) {
  return Request(engine_.get(),
                 engine_->start(Kind::gatherv, of_gatherv(*engine_, in, bytes, out, root), nullptr, nullptr));
}

void Communicator::scatter(const void* in, void* out, std::size_t bytes, int root) {
  engine_->validate_root(root);
  engine_->run(Kind::scatter, of_bytes(bytes, root), in, out);
}
Request Communicator::iscatter(const void* in, void* out, std::size_t bytes, int root) {
  engine_->validate_root(root);
  return Request(engine_.get(), engine_->start(Kind::scatter, of_bytes(bytes, root), in, out));
}
void Communicator::scatterv(std::span<const ConstBlock> in, void* out, std::size_t bytes, int root) {
  Arguments arguments = of_scatterv(*engine_, in, out, bytes, root);
  engine_->share_sizes(Kind::scatterv, arguments);
  engine_->run(Kind::scatterv, arguments, nullptr, nullptr);
}
Request Communicator::iscatterv(std::span<const ConstBlock> in, void* out, std::size_t bytes, int root) {
  return Request(engine_.get(),
                 engine_->start(Kind::scatterv, of_scatterv(*engine_, in, out, bytes, root), nullptr, nullptr));
}

void Communicator::allgather(const void* in, std::size_t bytes, void* out) {
  engine_->run(Kind::allgather, of_bytes(bytes), in, out);
}
Request Communicator::iallgather(const void* in, std::size_t bytes, void* out) {
  return Request(engine_.get(), engine_->start(Kind::allgather, of_bytes(bytes), in, out));
}
void Communicator::allgatherv(const void* in, std::size_t bytes, std::span<const Block> out) {
  engine_->run(Kind::allgatherv, of_allgatherv(*engine_, in, bytes, out), nullptr, nullptr);
}
Request Communicator::iallgatherv(const void* in, std::size_t bytes, std::span<const Block> out) {
  return Request(engine_.get(),
                 engine_->start(Kind::allgatherv, of_allgatherv(*engine_, in, bytes, out), nullptr, nullptr));
}

void Communicator::alltoall(const void* in, std::size_t bytes, void* out, Destination where) {
  engine_->run(Kind::alltoall, of_alltoall(*engine_, bytes, out, where), in, out);
}
Request Communicator::ialltoall(const void* in, std::size_t bytes, void* out, Destination where) {
  return Request(engine_.get(), engine_->start(Kind::alltoall, of_alltoall(*engine_, bytes, out, where), in, out));
}
void Communicator::alltoallv(std::span<const ConstBlock> in, std::span<const Block> out) {
  Arguments arguments = of_alltoallv(*engine_, in, out);
  engine_->share_sizes(Kind::alltoallv, arguments);
  engine_->run(Kind::alltoallv, arguments, nullptr, nullptr);
}
Request Communicator::ialltoallv(std::span<const ConstBlock> in, std::span<const Block> out) {
  return Request(engine_.get(), engine_->start(Kind::alltoallv, of_alltoallv(*engine_, in, out), nullptr, nullptr));
}

// Makes the schedule once; start() runs it each time.
template <class... Rest>
Persistent Communicator::persist(Rest&&... rest) {
  return Persistent(engine_.get(), engine_->prepare(std::forward<Rest>(rest)...));
}
Persistent Communicator::barrier_init() { return persist(Kind::barrier, Arguments{}, nullptr, nullptr); }
Persistent Communicator::broadcast_init(void* buffer, std::size_t bytes, int root) {
  return persist(Kind::broadcast, of_broadcast(*engine_, buffer, buffer, bytes, root), buffer, buffer);
}
Persistent Communicator::allreduce_init(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  Arguments arguments = of_elements(count, reduction);
  arguments.in_place = in == out;
  return persist(Kind::allreduce, arguments, in, out, &reduction);
}
Persistent Communicator::reduce_init(const void* in, void* out, std::size_t count, const Reduction& reduction,
                                     int root) {
  engine_->validate_root(root);
  return persist(Kind::reduce, of_elements(count, reduction, root), in, out, &reduction);
}
Persistent Communicator::scan_init(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  return persist(Kind::scan, of_elements(count, reduction), in, out, &reduction);
}
Persistent Communicator::exscan_init(const void* in, void* out, std::size_t count, const Reduction& reduction) {
  return persist(Kind::exscan, of_elements(count, reduction), in, out, &reduction);
}
Persistent Communicator::gather_init(const void* in, std::size_t bytes, void* out, int root) {
  engine_->validate_root(root);
  return persist(Kind::gather, of_bytes(bytes, root), in, out);
}
Persistent Communicator::gatherv_init(const void* in, std::size_t bytes, std::span<const Block> out, int root) {
  return persist(Kind::gatherv, of_gatherv(*engine_, in, bytes, out, root), nullptr, nullptr);
}
Persistent Communicator::scatter_init(const void* in, void* out, std::size_t bytes, int root) {
  engine_->validate_root(root);
  return persist(Kind::scatter, of_bytes(bytes, root), in, out);
}
Persistent Communicator::scatterv_init(std::span<const ConstBlock> in, void* out, std::size_t bytes, int root) {
  return persist(Kind::scatterv, of_scatterv(*engine_, in, out, bytes, root), nullptr, nullptr);
}
Persistent Communicator::allgather_init(const void* in, std::size_t bytes, void* out) {
  return persist(Kind::allgather, of_bytes(bytes), in, out);
}
Persistent Communicator::allgatherv_init(const void* in, std::size_t bytes, std::span<const Block> out) {
  return persist(Kind::allgatherv, of_allgatherv(*engine_, in, bytes, out), nullptr, nullptr);
}
Persistent Communicator::alltoall_init(const void* in, std::size_t bytes, void* out, Destination where) {
  return persist(Kind::alltoall, of_alltoall(*engine_, bytes, out, where), in, out);
}
Persistent Communicator::alltoallv_init(std::span<const ConstBlock> in, std::span<const Block> out) {
  return persist(Kind::alltoallv, of_alltoallv(*engine_, in, out), nullptr, nullptr);
}

Persistent::Persistent(detail::Engine* engine, std::shared_ptr<const void> prepared)
    : engine_(engine), prepared_(std::move(prepared)), ended_(engine->ended()) {}

Request Persistent::start() {
  ATOLL_VALIDATE(prepared_ != nullptr, ValueError, "nothing was prepared to be started");
  ATOLL_VALIDATE(!ended_->load(), ValueError, "a persistent collective cannot be started: its communicator was freed");
  return Request(engine_, engine_->start(*static_cast<const Engine::Prepared*>(prepared_.get())));
}

std::vector<std::byte> Communicator::broadcast_bytes(std::vector<std::byte> bytes, int root) {
  bytes.resize(broadcast_value(bytes.size(), root));
  broadcast(bytes.data(), bytes.size(), root);
  return bytes;
}

std::string Communicator::broadcast_text(std::string_view text, int root) {
  std::string result(rank() == root ? text : std::string_view{});
  result.resize(broadcast_value(result.size(), root));
  broadcast(result.data(), result.size(), root);
  return result;
}

void Communicator::expose_bytes(void* object, std::vector<void*>& pointers, std::vector<HeapOffset>& offsets) {
  constexpr std::uint64_t nowhere = UINT64_MAX;
  runtime::OneSided& one_sided = runtime::Parts(engine_->context()).one_sided;
  auto* segment = one_sided.local_pointer<std::byte>(HeapOffset(0));
  auto* at = static_cast<std::byte*>(object);
  bool inside = at >= segment && at < segment + one_sided.endpoint().segment_bytes();
  std::vector<std::uint64_t> values = allgather(inside ? static_cast<std::uint64_t>(at - segment) : nowhere);
  pointers.clear();
  offsets.clear();
  for (int member = 0; member < size(); ++member) {
    std::uint64_t value = values[static_cast<std::size_t>(member)];
    offsets.emplace_back(value);
    if (member == rank()) pointers.push_back(object);
    else
      pointers.push_back(value == nowhere ? nullptr : one_sided.peer_pointer<std::byte>(pe(member), HeapOffset(value)));
  }
}

void Communicator::force_algorithms(std::string_view choices) {
  engine_->selection().force(choices, "force_algorithms");
  engine_->forget_schedules();
}

void Communicator::set_timeout_seconds(double seconds) {
  ATOLL_VALIDATE(seconds >= 0, ValueError, "a timeout of {} s: give 0 (for ever) or more", seconds);
  engine_->set_timeout_seconds(seconds);
}

void Communicator::set_wait_callback(std::function<void()> look) { engine_->set_wait_callback(std::move(look)); }

void Communicator::fail(std::exception_ptr why) { engine_->fail(std::move(why)); }

void Communicator::rest() { engine_->rest(); }

std::uint64_t Communicator::moved_bytes() const { return engine_->moved_bytes(); }

Request::Request(detail::Engine* engine, std::uint64_t ticket)
    : engine_(engine), ticket_(ticket), ended_(engine->ended()) {}

Request& Request::operator=(Request&& other) noexcept {
  if (this != &other) {
    Request old(std::move(*this));
    engine_ = std::exchange(other.engine_, nullptr);
    ticket_ = other.ticket_;
    ended_ = std::move(other.ended_);
  }
  return *this;
}

Request::~Request() {
  if (is_over()) return;
  try {
    engine_->wait(ticket_);
  } catch (...) {  // fail() may have been told of anything
    // Thrown by the next call on the communicator.
  }
}

bool Request::test() {
  if (!is_over() && !engine_->test(ticket_)) return false;
  engine_ = nullptr;
  return true;
}

bool Request::look() {
  if (!is_over() && !engine_->look(ticket_)) return false;
  engine_ = nullptr;
  return true;
}

void Request::wait() {
  if (!is_over()) engine_->wait(ticket_);
  engine_ = nullptr;
}

}  // namespace atl::coll
