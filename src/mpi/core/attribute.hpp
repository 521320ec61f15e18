// SPDX-License-Identifier: Apache-2.0
// Attributes that programs hang on communicators, windows and datatypes.
#pragma once

#include <utility>
#include <vector>

#include "core/object.hpp"

namespace atl::mpi {

/// An attribute key. Its number is what programs see; it lives as long as an attribute uses it.
class Keyval;

class Attributes {
 public:
  Attributes() = default;
  ~Attributes();
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  /// What `from`'s copy functions say to copy. Throws Failure with their code.
  void copy_from(Object& from);
  /// All that the other holds, which then holds nothing.
  void take(Attributes& other) { entries_.swap(other.entries_); }
  /// Deletes all, newest first, calling the delete functions.
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
/// `copy`: 0 for no copy, 1 for the same value.
void create_keyval(Kind of, CopyFunction copy, DeleteFunction remove, int* keyval, void* extra);
void free_keyval(Kind of, int* keyval);
void set_attribute(Object& object, int keyval, void* value);
void get_attribute(Object& object, int keyval, void* value, int* flag);
void delete_attribute(Object& object, int keyval);

}  // namespace atl::mpi
