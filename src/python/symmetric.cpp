// SPDX-License-Identifier: Apache-2.0
#include "symmetric.hpp"

#include <fmt/format.h>

#include <cstring>

#include "atoll/array/engine.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/tune.hpp"
#include "atoll/runtime/lock.hpp"

namespace atl::python {

namespace {

using Release = nb::call_guard<WithoutGil>;

char kind_of_format(const char* format) {
  const std::string text = format == nullptr ? "B" : format;
  if (text.size() == 2 && text[0] == 'Z') return 'c';
  if (text.size() != 1) return 'V';
  if (text == "?") return 'b';
  if (std::strchr("bhilq", text[0]) != nullptr) return 'i';
  if (std::strchr("BHILQ", text[0]) != nullptr) return 'u';
  return std::strchr("fdg", text[0]) != nullptr ? 'f' : 'V';
}

/// Calls `body(value of the type)` for the type of an element that atomics and waits know.
template <class Body>
auto with_type(const Buffer& buffer, bool floats, Body body) {
  const std::size_t size = buffer.item_bytes();
  switch (buffer.kind()) {
    case 'i':
      if (size == 4) return body(std::int32_t{});
      if (size == 8) return body(std::int64_t{});
      break;
    case 'u':
      if (size == 4) return body(std::uint32_t{});
      if (size == 8) return body(std::uint64_t{});
      break;
    case 'f':
      if (floats && size == 4) return body(float{});
      if (floats && size == 8) return body(double{});
      break;
    default: break;
  }
  raise<TypeError>(floats ? "the array must be of int32, int64, uint32, uint64, float32 or float64"
                          : "the array must be of int32, int64, uint32 or uint64");
}

template <class T>
T to_value(nb::handle value) {
  T converted{};
  if (!nb::try_cast<T>(value, converted, true)) {
    const std::string shown = nb::repr(value).c_str();
    raise<OverflowError>(fmt::format("{} is no value of this array's type", shown));
  }
  return converted;
}

coll::Type reduction_type(const Buffer& buffer) {
  const std::size_t size = buffer.item_bytes();
  switch (buffer.kind()) {
    case 'b': return coll::Type::boolean;
    case 'i':
      return size == 1 ? coll::Type::i8 : size == 2 ? coll::Type::i16 : size == 4 ? coll::Type::i32 : coll::Type::i64;
    case 'u':
      return size == 1 ? coll::Type::u8 : size == 2 ? coll::Type::u16 : size == 4 ? coll::Type::u32 : coll::Type::u64;
    case 'f':
      if (size == 4) return coll::Type::f32;
      if (size == 8) return coll::Type::f64;
      if (size == sizeof(long double)) return coll::Type::long_double;
      break;
    case 'c':
      if (size == 8) return coll::Type::c64;
      if (size == 16) return coll::Type::c128;
      break;
    default: break;
  }
  raise<TypeError>("reductions and scans know booleans, integers, floats and complex numbers");
}

/// Calls `run(target bytes, source bytes, length)` for each contiguous run of two arrays of one shape, `target` a part
/// of a symmetric array, `source` contiguous.
template <class Run>
void for_each_run(const Py_buffer& strided, std::byte* dense, Run run) {
  int inner = strided.ndim;  // axes from here on are contiguous
  auto length = static_cast<std::ptrdiff_t>(strided.itemsize);
  while (inner > 0 && (strided.shape[inner - 1] == 1 || strided.strides[inner - 1] == length))
    length *= strided.shape[--inner];
  std::vector<Py_ssize_t> index(static_cast<std::size_t>(inner), 0);
  for (;;) {
    auto* at = static_cast<std::byte*>(strided.buf);
    for (int axis = 0; axis < inner; ++axis) at += index[static_cast<std::size_t>(axis)] * strided.strides[axis];
    run(at, dense, static_cast<std::size_t>(length));
    dense += length;
    int axis = inner - 1;
    while (axis >= 0 && ++index[static_cast<std::size_t>(axis)] == strided.shape[axis])
      index[static_cast<std::size_t>(axis--)] = 0;
    if (axis < 0) return;
  }
}

void require_alike(const Buffer& symmetric, const Buffer& other) {
  ATOLL_VALIDATE(symmetric.bytes() == other.bytes() && other.contiguous(), ValueError, "{} bytes do not go into {}",
                 other.bytes(), symmetric.bytes());
}

/// The address span of a strided array begins where its lowest element does.
HeapOffset moved(HeapOffset base, const std::byte* from, const std::byte* to) {
  return HeapOffset(base.value() + static_cast<std::uint64_t>(to - from));
}

void put(Symmetric& here, nb::handle dest, nb::handle source, std::int64_t pe) {
  const Buffer to(dest), from(source);
  require_alike(to, from);
  const PeId target = here.checked_pe(pe);
  const HeapOffset base = here.offset_of(to);
  if (to.bytes() == 0) return;
  WithoutGil release;
  for_each_run(to.view(), from.data(), [&](std::byte* at, const std::byte* data, std::size_t bytes) {
    here.context().put(target, moved(base, to.data(), at), data, bytes);
  });
}

void get(Symmetric& here, nb::handle dest, nb::handle source, std::int64_t pe) {
  const Buffer to(dest), from(source);
  require_alike(from, to);
  const PeId target = here.checked_pe(pe);
  const HeapOffset base = here.offset_of(from);
  if (from.bytes() == 0) return;
  WithoutGil release;
  for_each_run(from.view(), to.data(), [&](std::byte* at, std::byte* data, std::size_t bytes) {
    here.context().get(data, target, moved(base, from.data(), at), bytes);
  });
}

/// One element of a symmetric array.
struct Element {
  Element(Symmetric& here, nb::handle array, std::int64_t index) : buffer(array) {
    const auto count = static_cast<std::int64_t>(buffer.count());
    ATOLL_VALIDATE(index >= -count && index < count, IndexError, "index {} is out of bounds for an array of {}", index,
                   count);
    ATOLL_VALIDATE(buffer.contiguous(), ValueError, "the array must be contiguous");
    if (index < 0) index += count;
    const std::size_t skipped = static_cast<std::size_t>(index) * buffer.item_bytes();
    at = HeapOffset(here.offset_of(buffer).value() + skipped);
    ATOLL_VALIDATE(at.value() % std::max<std::size_t>(buffer.item_bytes(), 1) == 0, ValueError,
                   "the element is not aligned");
  }
  Buffer buffer;
  HeapOffset at;
};

nb::object fetch(Symmetric& here, nb::handle array, std::int64_t index, std::int64_t pe) {
  const Element element(here, array, index);
  const PeId target = here.checked_pe(pe);
  return with_type(element.buffer, true, [&](auto type) -> nb::object {
    return nb::cast(here.context().fetch<decltype(type)>(target, element.at));
  });
}

nb::object swap(Symmetric& here, nb::handle array, nb::handle value, std::int64_t index, std::int64_t pe) {
  const Element element(here, array, index);
  const PeId target = here.checked_pe(pe);
  return with_type(element.buffer, true, [&](auto type) -> nb::object {
    return nb::cast(here.context().swap(target, element.at, to_value<decltype(type)>(value)));
  });
}

nb::object compare_swap(Symmetric& here, nb::handle array, nb::handle expected, nb::handle value, std::int64_t index,
                        std::int64_t pe) {
  const Element element(here, array, index);
  const PeId target = here.checked_pe(pe);
  return with_type(element.buffer, false, [&](auto type) -> nb::object {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>)
      return nb::cast(here.context().compare_swap(target, element.at, to_value<T>(expected), to_value<T>(value)));
    return nb::none();
  });
}

enum class Fetching { add, bit_and, bit_or, bit_xor };

nb::object fetch_and_change(Symmetric& here, int operation, nb::handle array, nb::handle value, std::int64_t index,
                            std::int64_t pe) {
  const Element element(here, array, index);
  const PeId target = here.checked_pe(pe);
  return with_type(element.buffer, false, [&](auto type) -> nb::object {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      runtime::Context& context = here.context();
      const T operand = to_value<T>(value);
      switch (static_cast<Fetching>(operation)) {
        case Fetching::add: return nb::cast(context.fetch_add(target, element.at, operand));
        case Fetching::bit_and: return nb::cast(context.fetch_and(target, element.at, operand));
        case Fetching::bit_or: return nb::cast(context.fetch_or(target, element.at, operand));
        case Fetching::bit_xor: return nb::cast(context.fetch_xor(target, element.at, operand));
      }
    }
    return nb::none();
  });
}

void put_signal(Symmetric& here, nb::handle dest, nb::handle source, nb::handle signal, std::int64_t index,
                std::uint64_t value, bool add, std::int64_t pe) {
  const Element word(here, signal, index);
  ATOLL_VALIDATE(word.buffer.kind() == 'u' && word.buffer.item_bytes() == 8, TypeError,
                 "a signal is an element of a uint64 array");
  put(here, dest, source, pe);
  const PeId target = here.checked_pe(pe);
  here.context().fence();
  if (add) here.context().add<std::uint64_t>(target, word.at, value);
  else here.context().set<std::uint64_t>(target, word.at, value);
}

/// Whether the wait ended before `seconds` were over (negative: never over). Ctrl-C ends it too.
bool wait_until(Symmetric& here, nb::handle array, int compare, nb::handle value, std::int64_t index, double seconds) {
  const Element element(here, array, index);
  return with_type(element.buffer, true, [&](auto type) {
    using T = decltype(type);
    const T operand = to_value<T>(value);
    const Deadline end = seconds < 0 ? Deadline::never() : Deadline::after_seconds(seconds);
    const T* word = here.context().local_pointer<const T>(element.at);
    for (double slice = seconds < 0 ? 0.1 : std::min(seconds, 0.1);;) {
      Status status;
      {
        WithoutGil release;
        status = here.context().wait_until<T>(word, static_cast<runtime::Compare>(compare), operand,
                                              Deadline::after_seconds(slice));
      }
      if (status == Status::ok) return true;
      if (end.passed()) return false;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  });
}

/// Members of a team and what they do together.
class PythonTeam {
 public:
  PythonTeam(std::shared_ptr<Symmetric> here, runtime::Team team, std::unique_ptr<coll::Communicator> own)
      : here_(std::move(here)), team_(std::move(team)), own_(std::move(own)) {}

  static std::shared_ptr<PythonTeam> world(const std::shared_ptr<Symmetric>& here) {
    return std::make_shared<PythonTeam>(here, here->context().world(), nullptr);
  }
  /// Collective over this team. Nothing for PEs that are no members.
  std::shared_ptr<PythonTeam> split(const std::vector<std::uint32_t>& ranks) {
    std::vector<PeId> members;
    for (std::uint32_t rank : ranks) {
      ATOLL_VALIDATE(rank < team_.size(), IndexError, "PE {} of a team of {}", rank, team_.size());
      members.push_back(team_.pe_of(rank));
    }
    runtime::Team team = runtime::Team::listed(std::move(members), here_->context().pe());
    if (!team.is_member()) return nullptr;
    auto own = std::make_unique<coll::Communicator>(here_->context(), team);
    return std::make_shared<PythonTeam>(here_, std::move(team), std::move(own));
  }
  void destroy() { own_.reset(); }

  std::uint32_t rank() const { return team_.rank(); }
  std::uint32_t size() const { return team_.size(); }
  std::int64_t translate(std::uint32_t rank, const PythonTeam& other) const {
    if (rank >= team_.size()) return -1;
    const auto there = team_.translate(rank, other.team_);
    return there ? static_cast<std::int64_t>(*there) : -1;
  }
  /// Of each member, as the job numbers them.
  std::vector<std::uint32_t> nodes() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t rank = 0; rank < size(); ++rank)
      found.push_back(here_->context().job().node_of(team_.pe_of(rank)));
    return found;
  }
  void sync() { communicator().barrier(); }
  /// Collective. Seconds of a call.
  double time_collective(const std::string& collective, const std::string& algorithm, std::uint64_t bytes) {
    coll::PlanOptions what;
    what.collective = collective, what.algorithm = algorithm, what.bytes = bytes;
    return coll::time_collective(communicator(), what);
  }
  void broadcast(nb::handle array, int root) {
    const Buffer buffer = Buffer(array);
    run([&] { communicator().broadcast(buffer.data(), buffer.bytes(), root); });
  }
  void fcollect(nb::handle dest, nb::handle source) {
    const Buffer to(dest), from(source);
    ATOLL_VALIDATE(to.bytes() == from.bytes() * size(), ValueError, "the result takes {} bytes, not {}",
                   from.bytes() * size(), to.bytes());
    run([&] { communicator().allgather(from.data(), from.bytes(), to.data()); });
  }
  std::vector<std::uint64_t> counts(std::uint64_t mine) {
    WithoutGil release;
    return communicator().allgather(mine);
  }
  void collect(nb::handle dest, nb::handle source, const std::vector<std::uint64_t>& counts) {
    const Buffer to(dest), from(source);
    std::vector<coll::Block> blocks;
    std::size_t at = 0;
    for (std::uint64_t count : counts) {
      blocks.push_back({to.data() + at, count * from.item_bytes()});
      at += count * from.item_bytes();
    }
    ATOLL_VALIDATE(at == to.bytes(), ValueError, "the result takes {} bytes, not {}", at, to.bytes());
    run([&] { communicator().allgatherv(from.data(), from.bytes(), blocks); });
  }
  void alltoall(nb::handle dest, nb::handle source) {
    const Buffer to(dest), from(source);
    ATOLL_VALIDATE(to.bytes() == from.bytes() && from.bytes() % size() == 0, ValueError,
                   "alltoall exchanges equal parts: {} bytes in, {} out, {} PEs", from.bytes(), to.bytes(), size());
    run([&] { communicator().alltoall(from.data(), from.bytes() / size(), to.data()); });
  }
  void reduce(int how, int op, nb::handle dest, nb::handle source) {
    const Buffer to(dest), from(source);
    ATOLL_VALIDATE(to.bytes() == from.bytes() && to.kind() == from.kind() && to.item_bytes() == from.item_bytes(),
                   ValueError, "source and result differ in type or size");
    const coll::Reduction reduction(reduction_type(from), static_cast<coll::Op>(op));
    run([&] {
      if (how == 0) communicator().allreduce(from.data(), to.data(), from.count(), reduction);
      if (how == 1) communicator().scan(from.data(), to.data(), from.count(), reduction);
      if (how == 2) communicator().exscan(from.data(), to.data(), from.count(), reduction);
    });
  }

 private:
  coll::Communicator& communicator() {
    const std::uint32_t npes = here_->context().npes();  // throws in a forked child
    ATOLL_VALIDATE(own_ || team_.size() == npes, ValueError, "the team was destroyed");
    return own_ ? *own_ : here_->world();
  }
  template <class Body>
  void run(Body body) {
    WithoutGil release;
    body();
  }

  std::shared_ptr<Symmetric> here_;
  runtime::Team team_;
  std::unique_ptr<coll::Communicator> own_;
};

void set_lock(Symmetric& here, nb::handle word) {
  runtime::Lock lock(here.context(), here.context(), Element(here, word, 0).at);
  WithoutGil release;
  lock.set();
}
bool test_lock(Symmetric& here, nb::handle word) {
  return runtime::Lock(here.context(), here.context(), Element(here, word, 0).at).test();
}
void clear_lock(Symmetric& here, nb::handle word) {
  runtime::Lock lock(here.context(), here.context(), Element(here, word, 0).at);
  WithoutGil release;
  lock.clear();
}

}  // namespace

Buffer::Buffer(nb::handle array) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
  kind_ = kind_of_format(view_.format);
}

Symmetric::Symmetric(const SessionPtr& session) {
  ATOLL_VALIDATE(session->kind() != Session::Kind::driver, Error,
                 "symmetric memory needs every PE to run the script. Start it with: atoll run -n 4 SCRIPT");
  context_ = session->engine().shared_context();
  ATOLL_VALIDATE(session->engine().npes() == context_->npes() && !context_->job().is_guest(), Error,
                 "symmetric memory is of all PEs of the job. Start the session without `comm`");
  WithoutGil release;
  world_ = std::make_unique<coll::Communicator>(*context_);
}

void Symmetric::close() {
  WithoutGil release;
  world_.reset();
}

void Symmetric::drop(std::uint64_t offset, std::uint64_t serial) {
  auto at = blocks_.find(offset);
  if (at != blocks_.end() && at->second.serial == serial) at->second.dropped = true;
}

void Symmetric::release_dropped() {
  // By serial: the same order everywhere. One agreement for all of them.
  std::map<std::uint64_t, std::uint64_t> by_serial;
  for (const auto& [offset, block] : blocks_) by_serial[block.serial] = offset;
  std::vector<std::uint8_t> dropped;
  for (const auto& [serial, offset] : by_serial) dropped.push_back(blocks_.at(offset).dropped);
  if (dropped.empty()) return;
  std::vector<std::uint64_t> gone;
  {
    WithoutGil release;
    world_->allreduce(dropped.data(), dropped.data(), dropped.size(), coll::Reduction(coll::Type::u8, coll::Op::min));
    std::size_t i = 0;
    for (const auto& [serial, offset] : by_serial)
      if (dropped[i++] != 0) {
        context_->release_symmetric(HeapOffset(offset));
        gone.push_back(offset);
      }
  }
  for (std::uint64_t offset : gone) blocks_.erase(offset);
}

nb::object Symmetric::allocate(std::size_t bytes) {
  ATOLL_VALIDATE(world_ != nullptr, Error, "the session is shut down");
  release_dropped();
  const std::size_t taken = std::max<std::size_t>(bytes, 1);
  HeapOffset offset;
  std::byte* memory = nullptr;
  {
    WithoutGil release;
    offset = context_->allocate_symmetric(taken);
    memory = context_->local_pointer<std::byte>(offset);
    std::memset(memory, 0, taken);
    context_->barrier();  // no PE writes before it is zero
  }
  const std::uint64_t serial = next_serial_++;
  blocks_[offset.value()] = {taken, serial, false};
  // The memory outlives this object and the session: the context is kept by the array.
  std::shared_ptr<void> owner(memory,
                              [self = weak_from_this(), context = context_, at = offset.value(), serial](void*) {
                                if (auto alive = self.lock()) alive->drop(at, serial);
                              });
  return numpy_view(memory, {static_cast<std::int64_t>(bytes)}, DType::u8, std::move(owner));
}

void Symmetric::free(nb::handle array) {
  const Buffer buffer(array);
  auto at = blocks_.upper_bound(offset_of(buffer).value());
  --at;
  const std::uint64_t offset = at->first;
  auto serial = static_cast<std::int64_t>(at->second.serial);
  std::int64_t extremes[2] = {serial, -serial};
  {
    WithoutGil release;
    world_->allreduce(extremes, extremes, 2, coll::Reduction(coll::Type::i64, coll::Op::max));
    ATOLL_VALIDATE(extremes[0] == serial && extremes[1] == -serial, ValueError, "the PEs free different arrays");
    context_->release_symmetric(HeapOffset(offset));
  }
  blocks_.erase(offset);
}

HeapOffset Symmetric::offset_of(const Buffer& buffer) const {
  const auto* begin = context_->local_pointer<const std::byte>(HeapOffset(0));
  const std::uint64_t at = static_cast<std::uint64_t>(buffer.data() - begin);
  if (buffer.data() >= begin)
    if (auto block = blocks_.upper_bound(at); block != blocks_.begin()) {
      --block;
      if (at < block->first + block->second.bytes) return HeapOffset(at);
    }
  raise<ValueError>("the array is not symmetric (or was freed). Make it with shmem.zeros, shmem.array, …");
}

PeId Symmetric::checked_pe(std::int64_t pe) const {
  ATOLL_VALIDATE(pe >= 0 && pe < static_cast<std::int64_t>(context_->npes()), IndexError, "there is no PE {} among {}",
                 pe, context_->npes());
  return PeId(static_cast<std::uint32_t>(pe));
}

void bind_symmetric(nb::module_& m) {
  nb::class_<Symmetric>(m, "Symmetric")
      .def("allocate", &Symmetric::allocate)
      .def("free", &Symmetric::free)
      .def_prop_ro("blocks", &Symmetric::blocks)
      .def_prop_ro("pe", [](Symmetric& s) { return s.context().pe().value(); })
      .def_prop_ro("npes", [](Symmetric& s) { return s.context().npes(); })
      .def("is_symmetric",
           [](Symmetric& s, nb::handle array) {
             try {
               (void)s.offset_of(Buffer(array));
               return true;
             } catch (const ValueError&) { return false; }
           })
      .def("put", &put)
      .def("get", &get)
      .def("fetch", &fetch)
      .def("swap", &swap)
      .def("compare_swap", &compare_swap)
      .def("fetch_and_change", &fetch_and_change)
      .def("put_signal", &put_signal)
      .def("wait_until", &wait_until)
      .def("fence", [](Symmetric& s) { s.context().fence(); })
      .def("quiet", [](Symmetric& s) { s.context().quiet(); })
      .def(
          "barrier",
          [](Symmetric& s) {
            s.context().quiet();
            s.world().barrier();
          },
          Release())
      .def("set_lock", &set_lock)
      .def("test_lock", &test_lock)
      .def("clear_lock", &clear_lock)
      .def("team_world", [](const std::shared_ptr<Symmetric>& s) { return PythonTeam::world(s); })
      .def("close", &Symmetric::close);
  nb::class_<PythonTeam>(m, "Team")
      .def_prop_ro("rank", &PythonTeam::rank)
      .def_prop_ro("size", &PythonTeam::size)
      .def("split", &PythonTeam::split, Release())
      .def("destroy", &PythonTeam::destroy, Release())
      .def("translate", &PythonTeam::translate)
      .def("nodes", &PythonTeam::nodes)
      .def("time_collective", &PythonTeam::time_collective, Release())
      .def("sync", &PythonTeam::sync, Release())
      .def("broadcast", &PythonTeam::broadcast)
      .def("fcollect", &PythonTeam::fcollect)
      .def("counts", &PythonTeam::counts)
      .def("collect", &PythonTeam::collect)
      .def("alltoall", &PythonTeam::alltoall)
      .def("reduce", &PythonTeam::reduce);
  m.def("join_symmetric", [](const SessionPtr& session) { return std::make_shared<Symmetric>(session); });
}

}  // namespace atl::python
