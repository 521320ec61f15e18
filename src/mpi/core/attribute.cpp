// SPDX-License-Identifier: Apache-2.0
#include "core/attribute.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "core/codes.hpp"

namespace atl::mpi {

class Keyval {
 public:
  Kind of;
  CopyFunction copy;
  DeleteFunction remove;
  void* extra;
  int number;
  int count;  // references: the program's, and one per attribute; guarded by the lock
  bool freed = false;  // freed by the program; the key stays valid while attributes use it
};

namespace {

// Above all predefined keys.
constexpr int first_keyval = 1000;

struct Keyvals {
  std::mutex mutex;
  std::map<int, Keyval*> all;
  int next = first_keyval;

  Keyval& need(Kind of, int number) {
    auto found = all.find(number);
    if (found == all.end() || found->second->of != of)
      fail_of_nothing(MPI_ERR_KEYVAL, "{} is no attribute key for this kind of object", number);
    return *found->second;
  }
  void let_go(Keyval& key) {
    if (--key.count != 0) return;
    all.erase(key.number);
    delete &key;
  }
};
Keyvals& keyvals() {
  static auto& all = *new Keyvals;
  return all;
}

Keyval& take(Kind of, int number) {
  std::lock_guard lock(keyvals().mutex);
  Keyval& key = keyvals().need(of, number);
  ++key.count;
  return key;
}

void let_go(Keyval& key) {
  std::lock_guard lock(keyvals().mutex);
  keyvals().let_go(key);
}

void* as_argument(const Object& object) { return reinterpret_cast<void*>(object.handle()); }

Attributes& attributes_of(Object& object) { return *object.attributes(); }

bool is_standard(int keyval) { return keyval > 0 && keyval < first_keyval; }

}  // namespace

Attributes::~Attributes() {
  for (Entry& entry : entries_) let_go(*entry.key);
}

void Attributes::copy_from(Object& from) {
  for (const Entry& entry : std::vector(attributes_of(from).entries_)) {
    void* value = entry.value;
    int flag = 0;
    auto way = reinterpret_cast<std::uintptr_t>(entry.key->copy);
    if (way == 1) {
      flag = 1;
    } else if (way != 0) {
      int code = entry.key->copy(as_argument(from), entry.key->number, entry.key->extra, entry.value, &value, &flag);
      ATOLL_MPI_REQUIRE(code == MPI_SUCCESS, code, "an attribute's copy function failed: {}", error_text(code));
    }
    if (flag == 0) continue;
    std::lock_guard lock(keyvals().mutex);
    ++entry.key->count;
    entries_.push_back({entry.key, value});
  }
}

void Attributes::erase(Object& owner, std::size_t index) {
  Entry entry = entries_[index];
  if (entry.key->remove != nullptr) {
    int code = entry.key->remove(as_argument(owner), entry.key->number, entry.value, entry.key->extra);
    ATOLL_MPI_REQUIRE(code == MPI_SUCCESS, code, "an attribute's delete function failed: {}", error_text(code));
  }
  // The delete function may have changed other attributes, so the entry is searched again.
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].key == entry.key) {
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  let_go(*entry.key);
}

void Attributes::clear(Object& owner) {
  while (!entries_.empty()) erase(owner, entries_.size() - 1);
}

void create_keyval(Kind of, CopyFunction copy, DeleteFunction remove, int* keyval, void* extra) {
  std::lock_guard lock(keyvals().mutex);
  int number = keyvals().next++;
  keyvals().all[number] = new Keyval{of, copy, remove, extra, number, 1};
  *keyval = number;
}

void free_keyval(Kind of, int* keyval) {
  std::lock_guard lock(keyvals().mutex);
  ATOLL_MPI_REQUIRE(!is_standard(*keyval), MPI_ERR_KEYVAL, "a predefined attribute key cannot be freed");
  // A delete function may free the key of its own attribute, which is still in use.
  if (Keyval& key = keyvals().need(of, *keyval); !std::exchange(key.freed, true)) keyvals().let_go(key);
  *keyval = MPI_KEYVAL_INVALID;
}

void set_attribute(Object& object, int keyval, void* value) {
  ATOLL_MPI_REQUIRE(!is_standard(keyval), MPI_ERR_KEYVAL, "a predefined attribute cannot be set");
  Keyval& key = take(object.kind(), keyval);
  Attributes& here = attributes_of(object);
  try {
    for (std::size_t i = 0; i < here.entries_.size(); ++i)
      if (here.entries_[i].key == &key) here.erase(object, i--);
  } catch (...) {
    let_go(key);  // the existing attribute has its own reference
    throw;
  }
  here.entries_.push_back({&key, value});
}

void get_attribute(Object& object, int keyval, void* value, int* flag) {
  *flag = 0;
  if (is_standard(keyval)) {
    std::optional<void*> found = object.own_attribute(keyval);
    *flag = found.has_value();
    if (found) *static_cast<void**>(value) = *found;
    return;
  }
  {
    std::lock_guard lock(keyvals().mutex);
    (void)keyvals().need(object.kind(), keyval);
  }
  for (const auto& entry : attributes_of(object).entries_)
    if (entry.key->number == keyval) {
      *static_cast<void**>(value) = entry.value;
      *flag = 1;
    }
}

void delete_attribute(Object& object, int keyval) {
  ATOLL_MPI_REQUIRE(!is_standard(keyval), MPI_ERR_KEYVAL, "a predefined attribute cannot be deleted");
  Attributes& here = attributes_of(object);
  for (std::size_t i = 0; i < here.entries_.size(); ++i)
    if (here.entries_[i].key->number == keyval) return here.erase(object, i);
  // Deleting an absent attribute is allowed, but the key must exist.
  std::lock_guard lock(keyvals().mutex);
  (void)keyvals().need(object.kind(), keyval);
}

}  // namespace atl::mpi
