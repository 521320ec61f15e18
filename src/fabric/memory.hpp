// SPDX-License-Identifier: Apache-2.0
// Obtaining a job's memory: the part in which `loop` and `shm` differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::fabric {

namespace loop {
/// Private, zero, sparse memory at a multiple of segment_alignment(bytes), with 2 MiB pages where the kernel gives
/// them.
std::byte* map(std::size_t bytes);
}  // namespace loop

namespace shm {
/// A nameless file of `bytes` zero bytes, sparse, readable only by this user.
int create(std::size_t bytes);
/// Whether other processes can open a file by its name in /proc.
bool has_names();
/// What another process of this user may give to open() while this one lives. Without /proc only a descendant can,
/// which inherits the file from now on.
std::string name(int descriptor);
/// Opens the file another process of this user holds, by its name. -1 and errno on failure.
int open(const std::string& name);
std::size_t size(int descriptor);
/// Maps the whole file at a multiple of segment_alignment(bytes).
std::byte* map(int descriptor, std::size_t bytes);
/// Maps a part of the file over what lies at `where`.
void map_over(int descriptor, std::uint64_t offset, void* where, std::size_t bytes);
}  // namespace shm

void unmap(std::byte* base, std::size_t bytes) noexcept;

/// Bytes of address space that this process may still map (`ulimit -v`), or another one whose program takes
/// `programs_bytes`; an eighth of the limit at least. The largest number: there is no limit.
std::uint64_t available_address_bytes(std::uint64_t programs_bytes);

/// Throws what errno says about mapping or sizing `bytes`: MemoryError when there is no memory or address space, else
/// SetupError.
[[noreturn]] void refuse_mapping(std::string_view what, std::size_t bytes);

/// A place for `bytes` at a multiple of segment_alignment(bytes): reserved and inaccessible, to be mapped over.
std::byte* reserve(std::size_t bytes);

}  // namespace atl::fabric
