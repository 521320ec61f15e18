// SPDX-License-Identifier: Apache-2.0
#include "core/object.hpp"

#include <deque>
#include <mutex>
#include <vector>

namespace atl::mpi {
namespace detail {
Object* predefined[first_address] = {};
Watcher* watcher = nullptr;
}  // namespace detail

namespace {

// Objects that have a Fortran handle (by a Fortran call or a _toint function); the first number is first_address.
std::mutex numbers_mutex;
std::vector<Object*>& numbers() {
  static auto& all = *new std::vector<Object*>;
  return all;
}

Object& any_of(Kind kind, const void* handle, int code, const char* what) {
  auto value = reinterpret_cast<std::uintptr_t>(handle);
  Object* object = nullptr;
  if (value < detail::first_address) object = detail::predefined[value];
  else if (value % alignof(Object) == 0) object = reinterpret_cast<Object*>(value);
  if (object == nullptr || object->kind() != kind) fail(code, "{:#x} is no {}, or it has been freed", value, what);
  return *object;
}

}  // namespace

Object& any(MPI_Comm handle) { return any_of(Kind::comm, handle, MPI_ERR_COMM, "communicator"); }
Object& any(MPI_Win handle) { return any_of(Kind::win, handle, MPI_ERR_WIN, "window"); }
Object& any(MPI_File handle) { return any_of(Kind::file, handle, MPI_ERR_FILE, "file"); }
Object& any(MPI_Session handle) { return any_of(Kind::session, handle, MPI_ERR_SESSION, "session"); }
Object& any(MPI_Datatype handle) { return any_of(Kind::datatype, handle, MPI_ERR_TYPE, "datatype"); }

int number_of_handle(std::uintptr_t handle) {
  if (handle < detail::first_address) return static_cast<int>(handle);
  return reinterpret_cast<Object*>(handle)->number();
}

std::uintptr_t handle_of_number(int number) {
  if (number >= 0 && static_cast<std::uintptr_t>(number) < detail::first_address)
    return static_cast<std::uintptr_t>(number);
  Object* object = Object::of_number(number);
  return object == nullptr ? 0 : object->handle();
}

void Object::predefine(std::uintptr_t constant) {
  constant_ = constant;
  detail::predefined[constant] = this;
}

void* Object::operator new(std::size_t bytes) { return ::operator new(bytes); }

void Object::operator delete(void* memory) {
  if (!checking()) return ::operator delete(memory);
  constexpr std::size_t most_resting = 1 << 16;
  static auto& resting = *new std::deque<void*>;
  static auto& resting_mutex = *new std::mutex;
  std::lock_guard lock(resting_mutex);
  resting.push_back(memory);
  if (resting.size() <= most_resting) return;
  ::operator delete(resting.front());
  resting.pop_front();
}

Object::~Object() {
  if (checking()) [[unlikely]]
    detail::watcher->gone(*this);
  // Volatile, because find() reads it after the object's end.
  *static_cast<volatile Kind*>(&kind_) = Kind::freed;
  if (constant_ != 0 && detail::predefined[constant_] == this) detail::predefined[constant_] = nullptr;
  if (int number = number_.load(std::memory_order_relaxed); number != 0) {
    std::lock_guard lock(numbers_mutex);
    numbers()[static_cast<std::size_t>(number) - detail::first_address] = nullptr;
  }
}

int Object::number() {
  if (constant_ != 0) return static_cast<int>(constant_);
  if (int number = number_.load(std::memory_order_relaxed)) return number;
  std::lock_guard lock(numbers_mutex);
  if (int number = number_.load(std::memory_order_relaxed)) return number;
  auto& all = numbers();
  std::size_t place = 0;
  while (place < all.size() && all[place] != nullptr) ++place;
  if (place == all.size()) all.push_back(nullptr);
  all[place] = this;
  int number = static_cast<int>(place + detail::first_address);
  number_.store(number, std::memory_order_relaxed);
  return number;
}

Object* Object::of_number(int number) {
  if (number < 0) return nullptr;
  auto place = static_cast<std::uintptr_t>(number);
  if (place < detail::first_address) return detail::predefined[place];
  std::lock_guard lock(numbers_mutex);
  place -= detail::first_address;
  return place < numbers().size() ? numbers()[place] : nullptr;
}

}  // namespace atl::mpi
