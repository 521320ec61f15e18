// SPDX-License-Identifier: Apache-2.0
// Handles and their objects. A handle below 0x1000 is a constant of the ABI, any other the address of an Object.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/failure.hpp"
#include "core/watch.hpp"
#include "mpi.h"

namespace atl::mpi {

class Attributes;
class ErrorSlot;

/// Kinds of objects. The values are unlikely to occur in other memory, so that invalid handles are recognised.
enum class Kind : std::uint32_t {
  freed = 0,
  comm = 0x4D504901,
  datatype,
  errhandler,
  file,
  group,
  info,
  message,
  op,
  request,
  session,
  win
};

/// The object of a handle. Reference-counted: the handle holds one reference, operations in flight hold others.
class Object {
 public:
  explicit Object(Kind kind) : kind_(kind) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  [[gnu::no_sanitize("vptr")]] Kind kind() const { return kind_; }
  void retain() {
    if (constant_ == 0) count_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Drops a reference. Predefined objects live until the library ends, however often programs free them.
  void release() {
    if (constant_ != 0) return;
    // Acquire and release: the thread that destroys the object sees the writes of all others; partner: itself. The
    // holder of the only reference shares it with no thread.
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// The handle as a number.
  std::uintptr_t handle() const { return constant_ != 0 ? constant_ : reinterpret_cast<std::uintptr_t>(this); }
  bool is_predefined() const { return constant_ != 0; }
  /// Makes this the object of an ABI constant, until dismiss().
  void predefine(std::uintptr_t constant);
  void dismiss() { delete this; }

  // Properties that some kinds have.
  /// The value of a predefined attribute, if the object has it.
  virtual std::optional<void*> own_attribute(int keyval) {
    static_cast<void>(keyval);
    return std::nullopt;
  }
  virtual ErrorSlot* errors() { return nullptr; }
  virtual Attributes* attributes() { return nullptr; }
  virtual std::string* name() { return nullptr; }

  /// With ATOLL_MPI_CHECK freed memory is reused late, so that freed handles are recognised.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory);

  /// The Fortran handle: the constant, or a number assigned at the first call.
  int number();
  /// Returns null for an unknown number.
  static Object* of_number(int number);

 protected:
  virtual ~Object();

 private:
  Kind kind_;
  std::atomic<std::uint32_t> count_{1};
  std::uintptr_t constant_ = 0;
  std::atomic<int> number_{0};
};

namespace detail {
inline constexpr std::uintptr_t first_address = 0x1000;
extern Object* predefined[first_address];
}  // namespace detail

/// The object of kind T of a handle; null when the handle is invalid or freed. Deliberately reads memory that may no
/// longer be an object.
template <class T>
[[gnu::no_sanitize("vptr")]] T* find(typename T::Handle handle) {
  auto value = reinterpret_cast<std::uintptr_t>(handle);
  Object* object;
  if (value < detail::first_address) object = detail::predefined[value];
  else object = value % alignof(Object) == 0 ? reinterpret_cast<Object*>(handle) : nullptr;
  return object != nullptr && object->kind() == T::kind ? static_cast<T*>(object) : nullptr;
}

/// The same; throws Failure with the kind's error class instead of returning null.
template <class T>
T& need(typename T::Handle handle) {
  T* object = find<T>(handle);
  if (object == nullptr) [[unlikely]]
    fail(T::error_class, "{:#x} is no {}, or it has been freed", reinterpret_cast<std::uintptr_t>(handle), T::what);
  return *object;
}

// The object of a handle whose class belongs to a higher folder; throws Failure with the kind's error class.
Object& any(MPI_Comm handle);
Object& any(MPI_Win handle);
Object& any(MPI_File handle);
Object& any(MPI_Session handle);
Object& any(MPI_Datatype handle);

// Conversion between handles and Fortran handles; an invalid one becomes a constant below first_address.
int number_of_handle(std::uintptr_t handle);
std::uintptr_t handle_of_number(int number);
template <class Handle>
int number_of(Handle handle) {
  return number_of_handle(reinterpret_cast<std::uintptr_t>(handle));
}
template <class Handle>
Handle from_number(int number) {
  return reinterpret_cast<Handle>(handle_of_number(number));
}

/// The handle of an object; for null the null handle of its kind.
template <class T>
typename T::Handle handle_of(const T* object) {
  return object == nullptr ? T::null_handle() : reinterpret_cast<typename T::Handle>(object->handle());
}
template <class T>
typename T::Handle handle_of(const T& object) {
  return reinterpret_cast<typename T::Handle>(object.handle());
}

/// A counted pointer to an Object.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Adds a reference.
  explicit Ref(T& object) : object_(&object) { object.retain(); }
  explicit Ref(T* object) : object_(object) {
    if (object != nullptr) object->retain();
  }
  /// Takes over the reference of a new object.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Hands the reference over to a handle.
  T* leak() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

/// Stores a handle of the new object, which takes over the reference.
template <class T>
void give(Ref<T> object, typename T::Handle* handle) {
  *handle = handle_of(*object);
  if (checking()) [[unlikely]]
    detail::watcher->given(*object);
  (void)object.leak();
}

}  // namespace atl::mpi
