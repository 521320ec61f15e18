// SPDX-License-Identifier: Apache-2.0
// Collective and independent accesses through views, pointers, representations, and what goes wrong.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

std::string folder;
bool all_alike =
    false;  // whether all ranks call the same collectives: not where the library is to cope with what is wrong

MPI_File open_file(const char* name, int mode = MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_Comm comm = MPI_COMM_WORLD,
                   MPI_Info info = MPI_INFO_NULL) {
  MPI_File file;
  CHECK(MPI_File_open(comm, (folder + "/" + name).c_str(), mode, info, &file) == MPI_SUCCESS);
  return file;
}

int value_at(std::size_t i) { return static_cast<int>(i * 2654435761u); }

/// What was written is seen by all; brought to the disk once, which is slow.
void settle(MPI_File file, int block) {
  if (block == 1) MPI_File_sync(file);
  else MPI_Barrier(MPI_COMM_WORLD);
}

/// Every rank has every size-th block of the file; what lies behind the last one was there before and stays.
void interleaved(const char* collective, int block, int blocks) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", collective);
  MPI_Info_set(info, "romio_cb_read", collective);
  MPI_Info_set(info, "cb_buffer_size", "8192");
  MPI_File file = open_file("interleaved", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_COMM_WORLD, info);
  MPI_Info_free(&info);
  auto all = static_cast<std::size_t>(block) * blocks * (size + 1);
  if (rank == 0) {
    std::vector<int> old(all, 7);
    MPI_File_write_at(file, 0, old.data(), static_cast<int>(all), MPI_INT, MPI_STATUS_IGNORE);
  }
  settle(file, block);
  // A column of blocks of size + 1: the last block of each row belongs to no rank.
  MPI_Datatype column, type;
  MPI_Type_vector(blocks, block, block * (size + 1), MPI_INT, &column);
  MPI_Type_create_resized(column, 0, static_cast<MPI_Aint>(all * sizeof(int)), &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, static_cast<MPI_Offset>(rank) * block * static_cast<int>(sizeof(int)), MPI_INT, type,
                    "native", MPI_INFO_NULL);
  auto index = [&](std::size_t i) {  // of the file, for element i of this rank
    auto b = static_cast<std::size_t>(block);
    return i / b * b * static_cast<std::size_t>(size + 1) + static_cast<std::size_t>(rank) * b + i % b;
  };
  int mine = block * blocks;
  // Memory with gaps too: every second int.
  std::vector<int> memory(2 * static_cast<std::size_t>(mine), -1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(mine); ++i) memory[2 * i] = value_at(index(i));
  MPI_Datatype spread, pair;
  MPI_Type_vector(1, 1, 2, MPI_INT, &spread);
  MPI_Type_create_resized(spread, 0, 2 * sizeof(int), &pair);
  MPI_Type_commit(&pair);
  MPI_Status status;
  CHECK(MPI_File_write_all(file, memory.data(), mine, pair, &status) == MPI_SUCCESS);
  int count;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == mine);
  std::vector<int> back(static_cast<std::size_t>(mine), -2);
  MPI_Request request;
  CHECK(MPI_File_iread_at_all(file, 0, back.data(), mine, MPI_INT, &request) == MPI_SUCCESS);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == mine);
  for (std::size_t i = 0; i < back.size(); ++i) CHECK(back[i] == value_at(index(i)));
  std::fill(back.begin(), back.end(), -2);
  CHECK(MPI_File_read_at(file, block, back.data(), mine - block, MPI_INT, &status) == MPI_SUCCESS);
  for (std::size_t i = 0; i + static_cast<std::size_t>(block) < back.size(); ++i)
    CHECK(back[i] == value_at(index(i + static_cast<std::size_t>(block))));
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  std::vector<int> whole(all);
  settle(file, block);
  CHECK(MPI_File_read_at_all(file, 0, whole.data(), static_cast<int>(all), MPI_INT, &status) == MPI_SUCCESS);
  for (std::size_t i = 0; i < all; ++i) {
    bool unowned =
        i / static_cast<std::size_t>(block) % static_cast<std::size_t>(size + 1) == static_cast<std::size_t>(size);
    CHECK(whole[i] == (unowned ? 7 : value_at(i)));
  }
  MPI_File_close(&file);
  MPI_Type_free(&column), MPI_Type_free(&type), MPI_Type_free(&spread), MPI_Type_free(&pair);
  if (rank == 0) CHECK(MPI_File_delete((folder + "/interleaved").c_str(), MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A block of a matrix per rank, by darray; read in the order of the file.
void matrix() {
  MPI_File file = open_file("matrix", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  int sizes[2] = {37, 29}, how[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
      arguments[2] = {3, MPI_DISTRIBUTE_DFLT_DARG};
  int grid[2] = {size, 1};
  MPI_Datatype type;
  MPI_Type_create_darray(size, rank, 2, sizes, how, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  int bytes;
  MPI_Type_size(type, &bytes);
  std::vector<double> mine;
  for (int row = 0; row < sizes[0]; ++row)
    for (int column = 0; column < sizes[1]; ++column)
      if (row / 3 % size == rank) mine.push_back(row * 100 + column);
  CHECK(mine.size() * sizeof(double) == static_cast<std::size_t>(bytes));
  MPI_File_set_view(file, 16, MPI_DOUBLE, type, "native", MPI_INFO_NULL);
  MPI_Status status;
  CHECK(MPI_File_write_all_begin(file, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE) == MPI_SUCCESS);
  CHECK(MPI_File_write_all_end(file, mine.data(), &status) == MPI_SUCCESS);
  MPI_File_set_view(file, 16, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  std::vector<double> all(static_cast<std::size_t>(sizes[0] * sizes[1]));
  MPI_File_read_all(file, all.data(), static_cast<int>(all.size()) + 5, MPI_DOUBLE, &status);
  int count;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK(count == static_cast<int>(all.size()));  // the file ends
  for (int i = 0; i < count; ++i) CHECK(all[static_cast<std::size_t>(i)] == i / sizes[1] * 100 + i % sizes[1]);
  MPI_Offset offset;
  MPI_File_get_position(file, &offset);
  CHECK(offset == count);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

// A filetype may have no bytes: its rank takes part and moves nothing.
void empty_view() {
  MPI_File file = open_file("empty", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  int count = rank == size - 1 ? 0 : 1, got[16] = {};
  MPI_Datatype mine;
  MPI_Type_contiguous(count, MPI_INT, &mine);
  MPI_Type_commit(&mine);
  CHECK(MPI_File_set_view(file, 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  for (int round = 0; round < 2; ++round)
    CHECK(MPI_File_write_at_all(file, 0, &rank, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_read_at_all(file, 0, got, size - 1, MPI_INT, MPI_STATUS_IGNORE);
  for (int r = 0; r < size - 1; ++r) CHECK(got[r] == r);
  MPI_Type_free(&mine);
  MPI_File_close(&file);
}

void shared_pointer() {
  MPI_File file = open_file("shared", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  std::vector<int> mine(static_cast<std::size_t>(rank) + 1, rank);
  CHECK(MPI_File_write_ordered(file, mine.data(), rank + 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset offset;
  MPI_File_get_position_shared(file, &offset);
  int ordered = size * (size + 1) / 2;
  CHECK(offset == ordered + size);
  MPI_File_sync(file);
  std::vector<int> all(static_cast<std::size_t>(ordered + size));
  MPI_File_read_at_all(file, 0, all.data(), ordered + size, MPI_INT, MPI_STATUS_IGNORE);
  std::size_t at = 0;
  for (int r = 0; r < size; ++r)
    for (int i = 0; i <= r; ++i) CHECK(all[at++] == r);
  CHECK(std::accumulate(all.begin() + ordered, all.end(), 0) == size * (size - 1) / 2);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  int first = -1;
  MPI_File_read_shared(file, &first, 1, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(first >= 0);
  MPI_File_close(&file);
}

void external32() {
  MPI_File file = open_file("external", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL);
  long numbers[2] = {-2 - rank, 5}, back[2] = {};
  MPI_Status status;
  CHECK(MPI_File_write_at_all(file, 2 * rank, numbers, 2, MPI_LONG, &status) == MPI_SUCCESS);
  int count;
  MPI_Get_count(&status, MPI_LONG, &count);
  CHECK(count == 2);
  MPI_File_read_at(file, 2 * rank, back, 2, MPI_LONG, MPI_STATUS_IGNORE);
  CHECK(std::memcmp(back, numbers, sizeof back) == 0);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  unsigned char bytes[8];
  MPI_File_read_at(file, 8 * rank, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE);
  CHECK(bytes[0] == 0xff && bytes[3] == 0xfe - rank && bytes[7] == 5);
  MPI_File_close(&file);
}

// A representation of the program's own: ints as bytes.
int byte_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  int bytes;
  MPI_Type_size(type, &bytes);
  *extent = bytes / static_cast<int>(sizeof(int));
  return MPI_SUCCESS;
}
int to_ints(void* memory, MPI_Datatype, int count, void* file, MPI_Offset, void*) {
  for (int i = 0; i < count; ++i) static_cast<int*>(memory)[i] = static_cast<unsigned char*>(file)[i];
  return MPI_SUCCESS;
}
int to_bytes(void* memory, MPI_Datatype, int count, void* file, MPI_Offset, void* calls) {
  for (int i = 0; i < count; ++i)
    static_cast<unsigned char*>(file)[i] = static_cast<unsigned char>(static_cast<int*>(memory)[i]);
  ++*static_cast<int*>(calls);
  return MPI_SUCCESS;
}

void registered() {
  int calls = 0;
  CHECK(MPI_Register_datarep("bytes", to_ints, to_bytes, byte_extent, &calls) == MPI_SUCCESS);
  CHECK(class_of(MPI_Register_datarep("bytes", to_ints, to_bytes, byte_extent, &calls)) == MPI_ERR_DUP_DATAREP);
  MPI_File file = open_file("registered", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "bytes", MPI_INFO_NULL);
  int numbers[3] = {rank, 100, 200}, back[3];
  CHECK(MPI_File_write_at_all(file, 3 * rank, numbers, 3, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(calls == 1);
  CHECK(MPI_File_read_at_all(file, 3 * rank, back, 3, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(std::memcmp(back, numbers, sizeof back) == 0);
  MPI_Offset bytes;
  MPI_File_get_size(file, &bytes);
  CHECK(bytes == 3 * size);
  MPI_File_close(&file);
}

// Programs change the view while they write through the one before: each access keeps to its own.
void views_in_flight() {
  MPI_File file = open_file("views", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
  MPI_Datatype mine;
  MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(size * sizeof(int)), &mine);
  MPI_Type_commit(&mine);
  constexpr int count = 500, accesses = 4;
  std::vector<int> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = rank + size * i;
  MPI_Request requests[accesses];
  for (int i = 0; i < accesses; ++i) {
    MPI_Offset begin = (i * count * size + rank) * static_cast<MPI_Offset>(sizeof(int));
    CHECK(MPI_File_set_view(file, begin, MPI_INT, mine, "native", MPI_INFO_NULL) == MPI_SUCCESS);
    CHECK(MPI_File_iwrite_all(file, numbers.data(), count, MPI_INT, &requests[i]) == MPI_SUCCESS);
  }
  CHECK(MPI_Waitall(accesses, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  std::vector<int> all(accesses * count * size);
  CHECK(MPI_File_read_all(file, all.data(), accesses * count * size, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < accesses * count * size; ++i) CHECK(all[i] == i % (count * size));
  MPI_Type_free(&mine);
  MPI_File_close(&file);
}

// Also through one view. Only rank 0 aggregates. When the second access begins, it has received all views of the first
// one except the last rank's; rank 1, which has sent its views, begins the second access late.
void one_view_in_flight() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_File file =
      open_file("one_view", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_COMM_WORLD, info);
  MPI_Info_free(&info);
  MPI_Datatype mine;
  MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(size * sizeof(int)), &mine);
  MPI_Type_commit(&mine);
  constexpr int count = 500;
  std::vector<int> numbers(2 * count), all(2 * count * size);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int done = 0;
  auto second = [&] { return MPI_File_iwrite_all(file, numbers.data() + count, count, MPI_INT, &requests[1]); };
  for (bool waits : {false, true}) {  // for the second access, as its call does
    for (int i = 0; i < 2 * count; ++i) numbers[i] = waits + rank + size * i;
    MPI_File_set_view(file, static_cast<MPI_Offset>(rank * sizeof(int)), MPI_INT, mine, "native", MPI_INFO_NULL);
    CHECK(MPI_File_iwrite_all(file, numbers.data(), count, MPI_INT, &requests[0]) == MPI_SUCCESS);
    if (waits) {
      if (rank == size - 1) CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(MPI_File_write_all(file, numbers.data() + count, count, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    } else if (rank == size - 1) {
      CHECK(second() == MPI_SUCCESS);
      usleep(20000);
      MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
      usleep(80000);
    } else {
      for (double until = MPI_Wtime() + 0.05; rank == 1 && MPI_Wtime() < until;)
        MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
      CHECK(second() == MPI_SUCCESS);
    }
    CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CHECK(MPI_File_read_all(file, all.data(), 2 * count * size, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < 2 * count * size; ++i) CHECK(all[i] == waits + i);
  }
  MPI_Type_free(&mine);
  MPI_File_close(&file);
}

void errors() {
  MPI_File file;
  auto opened = [&](const std::string& name, int mode) {
    return class_of(MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file));
  };
  CHECK(opened(folder + "/missing", MPI_MODE_RDONLY) == MPI_ERR_NO_SUCH_FILE);
  CHECK(opened(folder, MPI_MODE_RDWR) == MPI_ERR_BAD_FILE);
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, rank == 0 ? "" : "x", MPI_MODE_RDWR, MPI_INFO_NULL, &file)) ==
        MPI_ERR_BAD_FILE);
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, rank == 0 ? nullptr : "x", MPI_MODE_RDWR, MPI_INFO_NULL, &file)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_File_open(MPI_COMM_WORLD, folder.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL,
                               rank == 0 ? nullptr : &file)) == MPI_ERR_ARG);
  CHECK(opened(folder + "/x", MPI_MODE_RDWR | MPI_MODE_RDONLY) == MPI_ERR_AMODE);
  CHECK(opened(folder + "/x", MPI_MODE_CREATE | (rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY)) ==
        (size > 1 ? MPI_ERR_NOT_SAME : MPI_SUCCESS));
  if (size == 1) MPI_File_close(&file), MPI_File_delete((folder + "/x").c_str(), MPI_INFO_NULL);
  CHECK(class_of(MPI_File_delete((folder + "/missing").c_str(), MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE);
  file = open_file("only_read", MPI_MODE_WRONLY | MPI_MODE_CREATE);
  int number = 4;
  CHECK(class_of(MPI_File_read(file, &number, 1, MPI_INT, MPI_STATUS_IGNORE)) == MPI_ERR_ACCESS);
  CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "strange", MPI_INFO_NULL)) ==
        MPI_ERR_UNSUPPORTED_DATAREP);
  // A wrong argument of one rank is an error of all ranks: no rank waits.
  CHECK(class_of(MPI_File_set_view(file, rank == 0 ? -1 : 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, rank == size - 1 ? MPI_BYTE : MPI_INT, "native", MPI_INFO_NULL)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == 0 ? "strange" : "native", MPI_INFO_NULL)) ==
        MPI_ERR_UNSUPPORTED_DATAREP);
  CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == 0 ? nullptr : "native", MPI_INFO_NULL)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_File_set_size(file, rank == 0 ? -1 : 8)) == (size > 1 ? MPI_ERR_NOT_SAME : MPI_ERR_ARG));
  CHECK(class_of(MPI_File_preallocate(file, -1)) == MPI_ERR_ARG);
  // So is a split access that only one rank has not ended. What checks programs ends the job there.
  CHECK(MPI_File_write_all_begin(file, &number, 1, MPI_INT) == MPI_SUCCESS);
  if (all_alike || rank != size - 1) CHECK(MPI_File_write_all_end(file, &number, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  if (!all_alike) {
    CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)) ==
          MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_File_set_size(file, 8)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_File_preallocate(file, 8)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_File_set_info(file, MPI_INFO_NULL)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_File_sync(file)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_File_close(&file)) == MPI_ERR_UNSUPPORTED_OPERATION);
    if (rank == size - 1) CHECK(MPI_File_write_all_end(file, &number, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  // The bytes of a filetype follow one another, and in a file that is written there is each once.
  for (auto [displacements, lengths] : {std::pair{std::array{-2, 2}, std::array{1, 1}},
                                        {std::array{3, 0}, std::array{1, 1}},
                                        {std::array{0, 1}, std::array{3, 1}}}) {
    MPI_Datatype odd;
    MPI_Type_indexed(2, lengths.data(), displacements.data(), MPI_INT, &odd);
    MPI_Type_commit(&odd);
    CHECK(class_of(MPI_File_set_view(file, 0, MPI_INT, odd, "native", MPI_INFO_NULL)) == MPI_ERR_IO);
    CHECK(class_of(MPI_File_set_view(file, 0, odd, odd, "native", MPI_INFO_NULL)) == MPI_ERR_IO);
    MPI_Type_free(&odd);
  }
  MPI_File_close(&file);
  file = open_file("only_read", MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
  CHECK(class_of(MPI_File_write(file, &number, 1, MPI_INT, MPI_STATUS_IGNORE)) == MPI_ERR_READ_ONLY);
  MPI_File_close(&file);
  // A device that is always full: every rank learns of it, also those that write nothing themselves.
  CHECK(opened("/dev/full", MPI_MODE_RDWR) == MPI_SUCCESS);
  std::vector<char> much(100000);
  CHECK(class_of(MPI_File_write_at(file, 0, much.data(), 100000, MPI_CHAR, MPI_STATUS_IGNORE)) == MPI_ERR_NO_SPACE);
  if (size > 1)
    CHECK(class_of(MPI_File_write_at_all(file, rank, much.data(), 100000, MPI_CHAR, MPI_STATUS_IGNORE)) ==
          MPI_ERR_NO_SPACE);
  MPI_File_close(&file);
}

// Of a collective access what one rank gives wrong is that rank's error, and the others write what is theirs.
void wrong_on_one_rank() {
  MPI_File file = open_file("wrong", MPI_MODE_RDWR | MPI_MODE_CREATE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int atomic : {0, 1}) {
    MPI_File_set_atomicity(file, atomic);
    const bool wrong = rank == size - 1;
    for (int round = 0; round < 8; ++round) {
      if (all_alike && round == 5) continue;  // whose end is not called where it has not begun
      const int number = 100 * round + rank, count = wrong && round != 1 ? -1 : 1;
      const MPI_Datatype type = wrong && round == 1 ? MPI_DATATYPE_NULL : MPI_INT;
      const int expected = !wrong ? MPI_SUCCESS : round == 1 ? MPI_ERR_TYPE : round == 7 ? MPI_ERR_ARG : MPI_ERR_COUNT;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_File_seek(file, rank, MPI_SEEK_SET);
      int code = MPI_SUCCESS;
      switch (round) {
        case 0:
        case 1: code = MPI_File_write_at_all(file, rank, &number, count, type, MPI_STATUS_IGNORE); break;
        case 2: code = MPI_File_write_all(file, &number, count, type, MPI_STATUS_IGNORE); break;
        case 3: code = MPI_File_iwrite_at_all(file, rank, &number, count, type, &request); break;
        case 4: code = MPI_File_iwrite_all(file, &number, count, type, &request); break;
        case 5: code = MPI_File_write_at_all_begin(file, rank, &number, count, type); break;
        case 6:
          MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
          code = MPI_File_write_ordered(file, &number, count, type, MPI_STATUS_IGNORE);
          break;
        default: code = MPI_File_iwrite_at_all(file, rank, &number, 1, type, wrong ? nullptr : &request);
      }
      CHECK(class_of(code) == expected);
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      if (round == 5 && !wrong) CHECK(MPI_File_write_at_all_end(file, &number, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      MPI_File_sync(file);
      int found = -1;
      if (!wrong) MPI_File_read_at(file, rank, &found, 1, MPI_INT, MPI_STATUS_IGNORE);
      CHECK(wrong || found == number);
    }
  }
  MPI_File_close(&file);
  if (rank == 0) MPI_File_delete((folder + "/wrong").c_str(), MPI_INFO_NULL);
}

}  // namespace

int main(int argc, char** argv) {
  all_alike = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char name[] = "/tmp/atoll-files-XXXXXX";
  if (rank == 0) CHECK(mkdtemp(name) != nullptr);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  folder = name;
  for (const char* collective : {"automatic", "enable", "disable"}) {
    interleaved(collective, 1, 100);
    interleaved(collective, 16, 1000);
    interleaved(collective, 3000, 3);
  }
  interleaved("automatic", 70000, 2);  // runs so long that ranks write their data themselves
  matrix();
  shared_pointer();
  empty_view();
  external32();
  registered();
  views_in_flight();
  one_view_in_flight();
  errors();
  wrong_on_one_rank();
  if (rank == 0) CHECK(rmdir(name) == 0);
  MPI_Finalize();
  return 0;
}
