// SPDX-License-Identifier: Apache-2.0
#include "core/codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "core/failure.hpp"
#include "mpi-ext.h"

namespace atl::mpi {
namespace {

struct Sentence {
  int code;
  const char* text;
};
constexpr Sentence sentences[] = {
    {MPI_SUCCESS, "no error"},
    {MPI_ERR_BUFFER, "the buffer is not valid"},
    {MPI_ERR_COUNT, "the count is not valid"},
    {MPI_ERR_TYPE, "the datatype is not valid, or not committed"},
    {MPI_ERR_TAG, "the tag is not valid"},
    {MPI_ERR_COMM, "the communicator is not valid"},
    {MPI_ERR_RANK, "the rank is not one of the communicator"},
    {MPI_ERR_REQUEST, "the request is not valid"},
    {MPI_ERR_ROOT, "the root is not a rank of the communicator"},
    {MPI_ERR_GROUP, "the group is not valid"},
    {MPI_ERR_OP, "the operation is not valid, or not for this datatype"},
    {MPI_ERR_TOPOLOGY, "the communicator has no topology of that kind"},
    {MPI_ERR_DIMS, "the dimensions are not valid"},
    {MPI_ERR_ARG, "an argument is not valid"},
    {MPI_ERR_UNKNOWN, "an error of unknown kind"},
    {MPI_ERR_TRUNCATE, "the message is longer than the buffer that receives it"},
    {MPI_ERR_OTHER, "an error that no other class describes"},
    {MPI_ERR_INTERN, "an error inside the library"},
    {MPI_ERR_PENDING, "the operation has neither failed nor completed"},
    {MPI_ERR_IN_STATUS, "the errors are in the statuses"},
    {MPI_ERR_ACCESS, "permission denied"},
    {MPI_ERR_AMODE, "the mode to open the file is not valid"},
    {MPI_ERR_ASSERT, "the assertion is not valid"},
    {MPI_ERR_BAD_FILE, "the file's name is not valid"},
    {MPI_ERR_BASE, "the base address is not valid"},
    {MPI_ERR_CONVERSION, "data could not be converted"},
    {MPI_ERR_DISP, "the displacement is not valid"},
    {MPI_ERR_DUP_DATAREP, "a data representation of that name exists"},
    {MPI_ERR_FILE_EXISTS, "the file exists"},
    {MPI_ERR_FILE_IN_USE, "the file is in use"},
    {MPI_ERR_FILE, "the file is not valid"},
    {MPI_ERR_INFO_KEY, "the key is not valid"},
    {MPI_ERR_INFO_NOKEY, "there is no such key"},
    {MPI_ERR_INFO_VALUE, "the value is not valid"},
    {MPI_ERR_INFO, "the info object is not valid"},
    {MPI_ERR_IO, "reading or writing failed"},
    {MPI_ERR_KEYVAL, "the attribute key is not valid"},
    {MPI_ERR_LOCKTYPE, "the kind of lock is not valid"},
    {MPI_ERR_NAME, "nothing was published under that name"},
    {MPI_ERR_NO_MEM, "there is not enough memory"},
    {MPI_ERR_NOT_SAME, "an argument is not the same on all ranks"},
    {MPI_ERR_NO_SPACE, "there is no space left"},
    {MPI_ERR_NO_SUCH_FILE, "there is no such file"},
    {MPI_ERR_PORT, "the port is not valid"},
    {MPI_ERR_QUOTA, "the quota is exceeded"},
    {MPI_ERR_READ_ONLY, "the file or file system is read-only"},
    {MPI_ERR_RMA_ATTACH, "the memory could not be attached"},
    {MPI_ERR_RMA_CONFLICT, "accesses to the window conflict"},
    {MPI_ERR_RMA_RANGE, "the target memory is not part of the window"},
    {MPI_ERR_RMA_SHARED, "the memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "calls that synchronize the window are not in order"},
    {MPI_ERR_SERVICE, "the name could not be taken back"},
    {MPI_ERR_SIZE, "the size is not valid"},
    {MPI_ERR_SPAWN, "processes could not be started"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "the operation is not supported"},
    {MPI_ERR_WIN, "the window is not valid"},
    {MPI_ERR_RMA_FLAVOR, "the window is of another flavour"},
    {MPI_ERR_PROC_ABORTED, "a process has ended"},
    {MPIX_ERR_PROC_FAILED, "a process has died"},
    {MPIX_ERR_PROC_FAILED_PENDING, "a process has died, and what is to come from anybody may be its own"},
    {MPIX_ERR_REVOKED, "the communicator has been revoked"},
    {MPI_ERR_VALUE_TOO_LARGE, "the value does not fit its type"},
    {MPI_ERR_SESSION, "the session is not valid"},
    {MPI_ERR_ERRHANDLER, "the error handler is not valid"},
    {MPI_ERR_ABI, "the binary interface is not the same"},
    {MPI_T_ERR_CANNOT_INIT, "the tools interface cannot be initialized"},
    {MPI_T_ERR_NOT_ACCESSIBLE, "it cannot be accessed"},
    {MPI_T_ERR_NOT_INITIALIZED, "the tools interface is not initialized"},
    {MPI_T_ERR_NOT_SUPPORTED, "it is not supported"},
    {MPI_T_ERR_MEMORY, "out of memory"},
    {MPI_T_ERR_INVALID, "a parameter is not valid"},
    {MPI_T_ERR_INVALID_INDEX, "the index is not valid"},
    {MPI_T_ERR_INVALID_ITEM, "the item index is not valid"},
    {MPI_T_ERR_INVALID_SESSION, "the session is not valid"},
    {MPI_T_ERR_INVALID_HANDLE, "the handle is not valid"},
    {MPI_T_ERR_INVALID_NAME, "there is none of that name"},
    {MPI_T_ERR_OUT_OF_HANDLES, "there are no more handles"},
    {MPI_T_ERR_OUT_OF_SESSIONS, "there are no more sessions"},
    {MPI_T_ERR_CVAR_SET_NOT_NOW, "the variable cannot be set now"},
    {MPI_T_ERR_CVAR_SET_NEVER, "the variable cannot be set"},
    {MPI_T_ERR_PVAR_NO_WRITE, "the variable cannot be written"},
    {MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable cannot be started or stopped"},
    {MPI_T_ERR_PVAR_NO_ATOMIC, "the variable cannot be read and reset at once"},
};

const char* standard_sentence(int code) {
  for (const Sentence& sentence : sentences)
    if (sentence.code == code) return sentence.text;
  return nullptr;
}

struct Added {
  int error_class;  // equal to the code for a class
  std::string text;
};
struct Codes {
  std::mutex mutex;
  std::map<int, Added> added;
  int last = MPI_ERR_LASTCODE;

  int add(int error_class) {
    std::lock_guard lock(mutex);
    int code = ++last;
    added[code] = {error_class < 0 ? code : error_class, {}};
    return code;
  }
  std::map<int, Added>::iterator need(int code) {
    auto found = added.find(code);
    if (found == added.end()) fail(MPI_ERR_ARG, "{} is no error code or class that the program has added", code);
    return found;
  }
  void remove(std::map<int, Added>::iterator which) {
    added.erase(which);
    last = added.empty() ? MPI_ERR_LASTCODE : added.rbegin()->first;
  }
};
Codes& codes() {
  static auto& all = *new Codes;
  return all;
}

}  // namespace

int* last_used_code() { return &codes().last; }

std::string error_text(int code) {
  if (const char* text = standard_sentence(code)) return text;
  std::lock_guard lock(codes().mutex);
  auto found = codes().added.find(code);
  return found == codes().added.end() ? fmt::format("error code {}", code) : found->second.text;
}

void error_string(int code, char* text, int* length) {
  if (standard_sentence(code) == nullptr) {
    std::lock_guard lock(codes().mutex);
    codes().need(code);
  }
  std::string sentence = error_text(code).substr(0, MPI_MAX_ERROR_STRING - 1);
  std::memcpy(text, sentence.c_str(), sentence.size() + 1);
  *length = static_cast<int>(sentence.size());
}

void error_class(int code, int* error_class) {
  if (standard_sentence(code) != nullptr) {
    *error_class = code;
    return;
  }
  std::lock_guard lock(codes().mutex);
  *error_class = codes().need(code)->second.error_class;
}

void add_error_class(int* error_class) { *error_class = codes().add(-1); }

void add_error_code(int of_class, int* code) {
  int its_class;
  error_class(of_class, &its_class);
  ATOLL_MPI_REQUIRE(its_class == of_class, MPI_ERR_ARG, "{} is an error code, no class", of_class);
  *code = codes().add(of_class);
}

void add_error_string(int code, const char* text) {
  std::lock_guard lock(codes().mutex);
  codes().need(code)->second.text = std::string(text).substr(0, MPI_MAX_ERROR_STRING - 1);
}

void remove_error_class(int error_class) {
  std::lock_guard lock(codes().mutex);
  auto found = codes().need(error_class);
  ATOLL_MPI_REQUIRE(found->second.error_class == error_class, MPI_ERR_ARG, "{} is an error code, no class",
                    error_class);
  auto belongs = [&](const auto& entry) {
    return entry.first != error_class && entry.second.error_class == error_class;
  };
  ATOLL_MPI_REQUIRE(std::none_of(codes().added.begin(), codes().added.end(), belongs), MPI_ERR_ARG,
                    "the class has error codes: remove these first");
  ATOLL_MPI_REQUIRE(found->second.text.empty(), MPI_ERR_ARG, "the class has a string: remove that first");
  codes().remove(found);
}

void remove_error_code(int code) {
  std::lock_guard lock(codes().mutex);
  auto found = codes().need(code);
  ATOLL_MPI_REQUIRE(found->second.error_class != code, MPI_ERR_ARG, "{} is an error class, no code", code);
  ATOLL_MPI_REQUIRE(found->second.text.empty(), MPI_ERR_ARG, "the code has a string: remove that first");
  codes().remove(found);
}

void remove_error_string(int code) {
  std::lock_guard lock(codes().mutex);
  auto found = codes().need(code);
  ATOLL_MPI_REQUIRE(!found->second.text.empty(), MPI_ERR_ARG, "{} has no string", code);
  found->second.text.clear();
}

}  // namespace atl::mpi
