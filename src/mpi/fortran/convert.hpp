// SPDX-License-Identifier: Apache-2.0
// Conversion of Fortran arguments to C arguments, one class or function per kind. The objects live until the C call has
// returned, and their destructors store its results.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi.h"

namespace atl::mpi::fortran {

inline void give(int* error, int code) {
  if (error != nullptr) *error = code;
}

// ---- handles are integers

#define ATOLL_FORTRAN_HANDLE(Kind, Name) \
  inline void convert(int from, Kind& to) { to = MPI_##Name##_fromint(from); } \
  inline int number(Kind handle) { return MPI_##Name##_toint(handle); }
ATOLL_FORTRAN_HANDLE(MPI_Comm, Comm)
ATOLL_FORTRAN_HANDLE(MPI_Datatype, Type)
ATOLL_FORTRAN_HANDLE(MPI_Errhandler, Errhandler)
ATOLL_FORTRAN_HANDLE(MPI_File, File)
ATOLL_FORTRAN_HANDLE(MPI_Group, Group)
ATOLL_FORTRAN_HANDLE(MPI_Info, Info)
ATOLL_FORTRAN_HANDLE(MPI_Message, Message)
ATOLL_FORTRAN_HANDLE(MPI_Op, Op)
ATOLL_FORTRAN_HANDLE(MPI_Request, Request)
ATOLL_FORTRAN_HANDLE(MPI_Session, Session)
ATOLL_FORTRAN_HANDLE(MPI_Win, Win)
#undef ATOLL_FORTRAN_HANDLE

template <class Kind>
Kind handle(const int* from) {
  Kind to;
  convert(*from, to);
  return to;
}

/// A handle that the call may change.
template <class Kind>
class Handle {
 public:
  explicit Handle(int* number) : number_(number), before_(handle<Kind>(number)), now_(before_) {}
  ~Handle() {
    if (now_ != before_) *number_ = number(now_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator Kind*() { return &now_; }

 private:
  int* number_;
  Kind before_, now_;
};

/// An array of handles that the call may change.
template <class Kind>
class Handles {
 public:
  Handles(int* numbers, std::ptrdiff_t count)
      : numbers_(numbers), before_(static_cast<std::size_t>(count > 0 ? count : 0)) {
    for (std::size_t i = 0; i < before_.size(); ++i) convert(numbers[i], before_[i]);
    now_ = before_;
  }
  ~Handles() {
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (now_[i] != before_[i]) numbers_[i] = number(now_[i]);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  operator Kind*() { return now_.data(); }

 private:
  int* numbers_;
  std::vector<Kind> before_, now_;
};

/// An array of handles that the call only reads.
template <class Kind>
class ConstHandles {
 public:
  ConstHandles(const int* numbers, std::ptrdiff_t count) : handles_(static_cast<std::size_t>(count > 0 ? count : 0)) {
    for (std::size_t i = 0; i < handles_.size(); ++i) convert(numbers[i], handles_[i]);
  }
  operator const Kind*() const { return handles_.data(); }

 private:
  std::vector<Kind> handles_;
};

// ---- constants that are recognised by address

/// COMMON blocks /ATOLL_MPI_PLACES/ and /ATOLL_MPI_TEXTS/ of mpif.h, in declaration order.
struct Places {
  int bottom, in_place, buffer_automatic, unweighted[1], weights_empty[1], errcodes_ignore[1];
  int status_ignore[8], statuses_ignore[8];
};
struct Texts {
  char argv_null[1], argvs_null[1];
};
extern "C" {
extern Places atoll_mpi_places_;
extern Texts atoll_mpi_texts_;
}

inline void* memory_at(void* given) {
  const Places& places = atoll_mpi_places_;
  if (given == &places.bottom) return MPI_BOTTOM;
  if (given == &places.in_place) return MPI_IN_PLACE;
  if (given == &places.buffer_automatic) return MPI_BUFFER_AUTOMATIC;
  return given;
}

inline int* weights_at(int* given) {
  if (given == atoll_mpi_places_.unweighted) return MPI_UNWEIGHTED;
  if (given == atoll_mpi_places_.weights_empty) return MPI_WEIGHTS_EMPTY;
  return given;
}

inline MPI_Status* status_at(int* given) {
  static_assert(sizeof(MPI_Status) == 8 * sizeof(int));
  const Places& places = atoll_mpi_places_;
  return given == places.status_ignore || given == places.statuses_ignore ? MPI_STATUS_IGNORE
                                                                          : reinterpret_cast<MPI_Status*>(given);
}

/// Receives an address result that the caller ignores.
class Unused {
 public:
  operator void*() { return &place_; }

 private:
  void* place_ = nullptr;
};

// ---- Fortran strings have a fixed length and trailing blanks

inline std::string text_of(const char* from, std::size_t length) {
  while (length > 0 && from[length - 1] == ' ') --length;
  std::size_t begin = 0;
  while (begin < length && from[begin] == ' ') ++begin;
  return {from + begin, length - begin};
}

class Text {
 public:
  Text(const char* from, std::size_t length) : text_(text_of(from, length)) {}
  operator const char*() const { return text_.c_str(); }

 private:
  std::string text_;
};

/// A string that the call writes; unchanged when it fails.
class Line {
 public:
  Line(char* to, std::size_t length)
      : to_(to), length_(length), text_(std::max<std::size_t>(length, MPI_MAX_LIBRARY_VERSION_STRING) + 1, '\0') {
    std::memcpy(text_.data(), untouched, sizeof(untouched));
  }
  ~Line() {
    if (std::memcmp(text_.data(), untouched, sizeof(untouched)) == 0) return;
    std::size_t written = std::min(std::strlen(text_.data()), length_);
    std::memcpy(to_, text_.data(), written);
    std::memset(to_ + written, ' ', length_ - written);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  operator char*() { return text_.data(); }

 private:
  static constexpr char untouched[4] = {1, 2, 1, 0};
  char* to_;
  std::size_t length_;
  std::vector<char> text_;
};

/// The length of a string buffer: C needs one more character for the terminating zero.
class Room {
 public:
  explicit Room(int* length) : length_(length), with_end_(*length > 0 ? *length + 1 : 0) {}
  ~Room() { *length_ = std::max(with_end_ - 1, 0); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  operator int*() { return &with_end_; }

 private:
  int* length_;
  int with_end_;
};

// ---- array indices begin with 1

class Position {
 public:
  explicit Position(int* to) : to_(to) {}
  ~Position() { *to_ = index_ == MPI_UNDEFINED ? index_ : index_ + 1; }
  Position(const Position&) = delete;
  Position& operator=(const Position&) = delete;
  operator int*() { return &index_; }

 private:
  int* to_;
  int index_ = MPI_UNDEFINED;
};

class Positions {
 public:
  Positions(int* to, const int* count) : to_(to), count_(count) {}
  ~Positions() {
    for (int i = 0; i < *count_; ++i) ++to_[i];
  }
  Positions(const Positions&) = delete;
  Positions& operator=(const Positions&) = delete;
  operator int*() { return to_; }

 private:
  int* to_;
  const int* count_;  // MPI_UNDEFINED is negative
};

// ---- array lengths that depend on the communicator

inline int peers_of(const int* comm) {
  int inter = 0, size = 0;
  MPI_Comm handle_of_comm = handle<MPI_Comm>(comm);
  if (MPI_Comm_test_inter(handle_of_comm, &inter) != MPI_SUCCESS) return 0;
  if (inter != 0) MPI_Comm_remote_size(handle_of_comm, &size);
  else MPI_Comm_size(handle_of_comm, &size);
  return size;
}

/// Numbers of incoming and outgoing neighbours of this rank.
std::pair<int, int> sources_of(const int* comm);

}  // namespace atl::mpi::fortran
