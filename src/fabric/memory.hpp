// SPDX-License-Identifier: Apache-2.0
// Allocation of a job's memory, in which `loop` and `shm` differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::fabric {

namespace loop {
/// Maps private, zeroed, sparse memory at a multiple of segment_alignment(bytes), with 2 MiB pages where the kernel
/// provides them.
std::byte* map(std::size_t bytes);
/// Makes whole pages zero again, and gives them back.
bool discard(std::byte* where, std::size_t bytes) noexcept;
}  // namespace loop

namespace shm {
/// Creates an unnamed sparse file of `bytes` zero bytes that only this user can read.
int create(std::size_t bytes);
/// Whether other processes can open such a file through /proc.
bool has_names();
/// A name that another process of this user can pass to open() while this process lives. Without /proc only descendants
/// can, which inherit the descriptor from now on.
std::string name(int descriptor);
/// Opens the file of another process of this user by that name. Returns -1 and sets errno on failure.
int open(const std::string& name);
std::size_t size(int descriptor);
/// Maps the whole file at a multiple of segment_alignment(bytes).
std::byte* map(int descriptor, std::size_t bytes);
/// Maps a part of the file over the existing mapping at `where`.
void map_over(int descriptor, std::uint64_t offset, void* where, std::size_t bytes);
/// Makes whole pages of the file zero again, and gives them back.
bool discard(int descriptor, std::uint64_t offset, std::size_t bytes) noexcept;
}  // namespace shm

void unmap(std::byte* base, std::size_t bytes) noexcept;

/// Address space that this process, or another one whose program uses `programs_bytes`, may still map (`ulimit -v`); at
/// least an eighth of the limit. The largest number when there is no limit.
std::uint64_t available_address_bytes(std::uint64_t programs_bytes);

/// Throws the error of errno after mapping or sizing `bytes` failed: MemoryError when memory or address space is
/// exhausted, else SetupError.
[[noreturn]] void refuse_mapping(std::string_view what, std::size_t bytes);

/// Reserves `bytes` of inaccessible address space at a multiple of segment_alignment(bytes), to be mapped over.
std::byte* reserve(std::size_t bytes);

}  // namespace atl::fabric
