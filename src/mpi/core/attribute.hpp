// SPDX-License-Identifier: Apache-2.0
// Attributes of communicators, windows and datatypes.
#pragma once

#include <utility>
#include <vector>

#include "core/object.hpp"

namespace atl::mpi {

/// An attribute key, which programs know by number. It lives until it is freed and no attribute uses it.
class Keyval;

class Attributes {
 public:
  Attributes() = default;
  ~Attributes();
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  /// Copies the attributes for which `from`'s copy functions ask. Throws Failure with their error code.
  void copy_from(Object& from);
  /// Moves all attributes of `other`, which must be discarded afterwards.
  void take(Attributes& other) { entries_.swap(other.entries_); }
  /// Deletes all attributes, newest first, and calls their delete functions.
  void clear(Object& owner);

 private:
  friend void set_attribute(Object& object, int keyval, void* value);
  friend void get_attribute(Object& object, int keyval, void* value, int* flag);
  friend void delete_attribute(Object& object, int keyval);
  struct Entry {
    Keyval* key;
    void* value;
  };
  void erase(Object& owner, std::size_t index);
  std::vector<Entry> entries_;
};

using CopyFunction = int (*)(void* handle, int keyval, void* extra, void* in, void* out, int* flag);
using DeleteFunction = int (*)(void* handle, int keyval, void* value, void* extra);
/// `copy` may be 0 for "do not copy" or 1 for "copy the value".
void create_keyval(Kind of, CopyFunction copy, DeleteFunction remove, int* keyval, void* extra);
void free_keyval(Kind of, int* keyval);
void set_attribute(Object& object, int keyval, void* value);
void get_attribute(Object& object, int keyval, void* value, int* flag);
void delete_attribute(Object& object, int keyval);

}  // namespace atl::mpi
