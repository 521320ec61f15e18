// SPDX-License-Identifier: Apache-2.0
// MPI_Pack and related functions, and counts of elements in a number of bytes.
#include <cstring>
#include <memory>

#include "core/staging.hpp"
#include "datatype/checked.hpp"
#include "datatype/external32.hpp"
#include "datatype/pack.hpp"
#include "type/chapter.hpp"
#include "type/type.hpp"

namespace atl::mpi {
namespace {

using namespace datatype;

void check(MPI_Count count, MPI_Count size, const MPI_Count* position) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "count is {}", count);
  ATOLL_MPI_REQUIRE(position != nullptr, MPI_ERR_ARG, "no position");
  ATOLL_MPI_REQUIRE(*position >= 0 && *position <= size, MPI_ERR_ARG, "position {} in a buffer of {} bytes", *position,
                    size);
}

void check_room(MPI_Count bytes, MPI_Count size, MPI_Count position) {
  ATOLL_MPI_REQUIRE(bytes <= size - position, MPI_ERR_TRUNCATE,
                    "{} bytes do not fit: the buffer has {} from position {} on", bytes, size - position, position);
}

std::byte* at(const void* buffer, MPI_Count position) {
  return static_cast<std::byte*>(const_cast<void*>(buffer)) + position;
}

void check_external32(const char* datarep) {
  ATOLL_MPI_REQUIRE(datarep != nullptr && std::strcmp(datarep, "external32") == 0, MPI_ERR_ARG,
                    "'{}' is no representation to pack in. 'external32'?", datarep == nullptr ? "" : datarep);
}

// Either side may be a device's.
void copy_from(const Region& region, const void* base, void* packed) {
  const auto bytes = static_cast<std::size_t>(region.size());
  if (!staging::is_on_device(packed)) {
    if (staging::is_on_device(region, base)) staging::pack(region, base, 0, region.size(), packed);
    else datatype::pack(region, base, 0, region.size(), packed);
    return;
  }
  const auto row = std::make_unique_for_overwrite<std::byte[]>(bytes);
  copy_from(region, base, row.get());
  staging::write(packed, row.get(), bytes);
}

void copy_to(const Region& region, void* base, const void* packed) {
  const auto bytes = static_cast<std::size_t>(region.size());
  if (staging::is_on_device(packed)) {
    const auto row = std::make_unique_for_overwrite<std::byte[]>(bytes);
    staging::read(row.get(), packed, bytes);
    return copy_to(region, base, row.get());
  }
  if (!staging::is_on_device(region, base)) return datatype::unpack(region, base, 0, region.size(), packed);
  staging::unpack(region, base, 0, region.size(), packed);
  staging::settle(region, base);
}

}  // namespace

void get_address(const void* location, MPI_Aint* address) {
  ATOLL_MPI_REQUIRE(address != nullptr, MPI_ERR_ARG, "no place for the address");
  *address = reinterpret_cast<MPI_Aint>(location);
}

void pack(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
          MPI_Count* position) {
  Region region = need_committed_type(datatype).region(incount);
  check(incount, outsize, position);
  check_room(region.size(), outsize, *position);
  detail::check_buffer(region, inbuf);
  detail::check_buffer(outbuf, static_cast<std::size_t>(region.size()));
  copy_from(region, inbuf, at(outbuf, *position));
  *position += region.size();
}

void unpack(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
            MPI_Datatype datatype) {
  Region region = need_committed_type(datatype).region(outcount);
  check(outcount, insize, position);
  check_room(region.size(), insize, *position);
  detail::check_buffer(region, outbuf);
  detail::check_buffer(inbuf, static_cast<std::size_t>(region.size()));
  copy_to(region, outbuf, at(inbuf, *position));
  *position += region.size();
}

void pack_size(MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
  const Type& type = need_committed_type(datatype);
  ATOLL_MPI_REQUIRE(incount >= 0, MPI_ERR_COUNT, "count is {}", incount);
  *size = checked_multiply(incount, type.size());
}

void pack_external(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                   MPI_Count outsize, MPI_Count* position) {
  check_external32(datarep);
  const Type& type = need_committed_type(datatype);
  check(incount, outsize, position);
  type.validate_count(incount);
  const MPI_Count bytes = checked_multiply(incount, type.external_size());
  check_room(bytes, outsize, *position);
  ATOLL_MPI_REQUIRE(pack_external32(type, incount, inbuf, at(outbuf, *position)), MPI_ERR_CONVERSION,
                    "an integer is too large for its size in external32");
  *position += bytes;
}

void unpack_external(const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                     MPI_Count outcount, MPI_Datatype datatype) {
  check_external32(datarep);
  const Type& type = need_committed_type(datatype);
  check(outcount, insize, position);
  type.validate_count(outcount);
  const MPI_Count bytes = checked_multiply(outcount, type.external_size());
  check_room(bytes, insize, *position);
  unpack_external32(type, outcount, outbuf, at(inbuf, *position));
  *position += bytes;
}

void pack_external_size(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size) {
  check_external32(datarep);
  const Type& type = need_committed_type(datatype);
  ATOLL_MPI_REQUIRE(incount >= 0, MPI_ERR_COUNT, "count is {}", incount);
  *size = checked_multiply(incount, type.external_size());
}

MPI_Count count_in(const Type& type, MPI_Count bytes) {
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  return bytes % type.size() == 0 ? bytes / type.size() : MPI_UNDEFINED;
}

MPI_Count elements_in(const Type& type, MPI_Count bytes) {
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  Count left = 0;
  Count elements =
      bytes / type.size() * type.elements() + elements_within(*type.description(), bytes % type.size(), left);
  return left == 0 ? elements : MPI_UNDEFINED;
}

}  // namespace atl::mpi
