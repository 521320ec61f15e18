// SPDX-License-Identifier: Apache-2.0
#include "fortran/slices.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace atl::mpi::fortran {
namespace {

/// Extents and strides of a slice.
struct Shape {
  explicit Shape(const CFI_cdesc_t& slice)
      : rank(slice.rank), element_bytes(static_cast<MPI_Count>(slice.elem_len)), dimensions() {
    std::copy_n(slice.dim, rank, dimensions.begin());
  }
  MPI_Count elements() const {
    MPI_Count product = 1;
    for (int k = 0; k < rank; ++k) product *= dimensions[static_cast<std::size_t>(k)].extent;
    return product;
  }
  /// Distance in memory of a byte from the first, by its place in the contiguous array. The last dimension has no end.
  MPI_Count offset_of(MPI_Count place) const {
    MPI_Count element = place / element_bytes, offset = place % element_bytes;
    for (int k = 0; k < rank; ++k) {
      const CFI_dim_t& one = dimensions[static_cast<std::size_t>(k)];
      const bool is_last = k == rank - 1;
      offset += (is_last ? element : element % one.extent) * one.sm;
      element = is_last ? 0 : element / one.extent;
    }
    return offset;
  }

  int rank;
  MPI_Count element_bytes;
  std::array<CFI_dim_t, CFI_MAX_RANK> dimensions;
};

/// Datatypes that are freed unless they are taken.
class Types {
 public:
  Types() = default;
  ~Types() {
    for (MPI_Datatype& one : made_) MPI_Type_free(&one);
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  MPI_Datatype add(MPI_Datatype type) { return made_.emplace_back(type); }
  MPI_Datatype take(MPI_Datatype type) {
    std::erase(made_, type);
    return type;
  }

 private:
  std::vector<MPI_Datatype> made_;
};

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype hvector(Types& types, MPI_Count count, MPI_Count stride, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector_c(count, 1, stride, of, &made);
  return types.add(made);
}

MPI_Datatype contiguous(Types& types, MPI_Count count, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_contiguous_c(count, of, &made);
  return types.add(made);
}

int combiner_of(MPI_Datatype type) {
  MPI_Count integers, addresses, counts, types;
  int combiner = MPI_UNDEFINED;
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  return combiner;
}

/// `count` elements of a predefined type, of which an element of the slice holds `per_element`: for each dimension a
/// vector of the whole parts of the one before, and the rest behind them.
MPI_Datatype describe_plain(const Shape& shape, MPI_Count count, MPI_Count per_element, MPI_Datatype type) {
  Types types;
  std::vector<MPI_Count> lengths, places;
  std::vector<MPI_Datatype> parts;
  MPI_Count left = count / per_element;
  const MPI_Count rest = count % per_element;
  // Parts of the dimensions below: an element, a line, a plane.
  std::vector<MPI_Datatype> below{per_element == 1 ? type : contiguous(types, per_element, type)};
  std::vector<MPI_Count> sizes{1};
  for (int k = 0; k + 1 < shape.rank; ++k) {
    const CFI_dim_t& one = shape.dimensions[static_cast<std::size_t>(k)];
    below.push_back(hvector(types, one.extent, one.sm, below.back()));
    sizes.push_back(sizes.back() * one.extent);
  }
  MPI_Count place = 0;
  for (int k = shape.rank - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    const MPI_Count whole = left / sizes[at];
    left %= sizes[at];
    if (whole == 0) continue;
    parts.push_back(hvector(types, whole, shape.dimensions[at].sm, below[at]));
    lengths.push_back(1), places.push_back(place);
    place += whole * shape.dimensions[at].sm;
  }
  if (rest != 0) parts.push_back(type), lengths.push_back(rest), places.push_back(place);
  if (parts.size() == 1 && rest == 0) return committed(types.take(parts.front()));
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_struct_c(static_cast<MPI_Count>(parts.size()), lengths.data(), places.data(), parts.data(), &made);
  return committed(made);
}

struct Run {
  MPI_Count place, bytes;
};

/// Appends bytes, to the last run if they continue it.
void append(std::vector<Run>& runs, MPI_Count place, MPI_Count bytes) {
  if (!runs.empty() && runs.back().place + runs.back().bytes == place) runs.back().bytes += bytes;
  else runs.push_back({place, bytes});
}

/// The bytes that one element of a type has, in its order. Packs bytes that tell their own places: of each place first
/// the lowest byte, then the next. None when the type has bytes before its beginning.
std::optional<std::vector<Run>> runs_of(MPI_Datatype type) {
  MPI_Count begin = 0, span = 0, size = 0;
  MPI_Type_get_true_extent_c(type, &begin, &span);
  MPI_Type_size_c(type, &size);
  if (begin < 0) return std::nullopt;
  const auto end = static_cast<std::size_t>(begin + span), bytes = static_cast<std::size_t>(size);
  std::vector<unsigned char> from(end), packed(bytes);
  std::vector<MPI_Count> places(bytes);
  for (unsigned shift = 0; shift < 64 && (shift == 0 || (end - 1) >> shift != 0); shift += 8) {
    for (std::size_t i = 0; i < end; ++i) from[i] = static_cast<unsigned char>(i >> shift);
    MPI_Count position = 0;
    if (MPI_Pack_c(from.data(), 1, type, packed.data(), size, &position, MPI_COMM_SELF) != MPI_SUCCESS)
      return std::nullopt;
    for (std::size_t i = 0; i < bytes; ++i) places[i] |= static_cast<MPI_Count>(packed[i]) << shift;
  }
  std::vector<Run> runs;
  for (MPI_Count place : places) append(runs, place, 1);
  return runs;
}

/// The predefined type of which a type consists; MPI_BYTE when there are several.
MPI_Datatype element_of(MPI_Datatype type) {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = 0;
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return type;
  if (types == 0) return MPI_BYTE;
  std::vector<int> of_integers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> of_addresses(static_cast<std::size_t>(addresses));
  std::vector<MPI_Count> of_counts(static_cast<std::size_t>(counts));
  std::vector<MPI_Datatype> of_types(static_cast<std::size_t>(types));
  MPI_Type_get_contents_c(type, integers, addresses, counts, types, of_integers.data(), of_addresses.data(),
                          of_counts.data(), of_types.data());
  MPI_Datatype element = element_of(of_types.front());
  for (MPI_Datatype& one : of_types) {
    if (element_of(one) != element) element = MPI_BYTE;
    if (combiner_of(one) != MPI_COMBINER_NAMED) MPI_Type_free(&one);
  }
  return element;
}

/// Any type, run by run.
MPI_Datatype describe_runs(const Shape& shape, MPI_Count count, MPI_Datatype type) {
  const auto of_one = runs_of(type);
  if (!of_one) return MPI_DATATYPE_NULL;
  MPI_Count begin = 0, extent = 0;
  MPI_Type_get_extent_c(type, &begin, &extent);
  std::vector<Run> runs;
  for (MPI_Count i = 0; i < count; ++i)
    for (Run run : *of_one)
      for (MPI_Count done = 0; done < run.bytes;) {
        const MPI_Count place = i * extent + run.place + done;
        if (place < 0) return MPI_DATATYPE_NULL;
        const MPI_Count bytes = std::min(run.bytes - done, shape.element_bytes - place % shape.element_bytes);
        append(runs, shape.offset_of(place), bytes);
        done += bytes;
      }
  MPI_Datatype element = element_of(type);
  MPI_Count size = 0;
  MPI_Type_size_c(element, &size);
  auto is_cut = [&](const Run& run) { return run.bytes % size != 0; };
  if (std::any_of(runs.begin(), runs.end(), is_cut)) element = MPI_BYTE, size = 1;
  std::vector<MPI_Count> lengths, places;
  for (const Run& run : runs) lengths.push_back(run.bytes / size), places.push_back(run.place);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_c(static_cast<MPI_Count>(runs.size()), lengths.data(), places.data(), element, &made);
  return committed(made);
}

}  // namespace

bool is_strided(const CFI_cdesc_t& slice) {
  if (slice.base_addr == nullptr) return false;
  auto contiguous_stride = static_cast<CFI_index_t>(slice.elem_len);
  bool is = false;
  for (int k = 0; k < slice.rank; ++k) {
    const CFI_dim_t& one = slice.dim[k];
    if (one.extent <= 0) return false;  // empty, or of assumed size, which is contiguous
    if (one.extent != 1 && one.sm != contiguous_stride) is = true;
    contiguous_stride *= one.extent;
  }
  return is;
}

MPI_Datatype describe(const CFI_cdesc_t& slice, MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0, begin = 0, extent = 0;
  if (type == MPI_DATATYPE_NULL || count < 0 || MPI_Type_size_c(type, &size) != MPI_SUCCESS) return MPI_DATATYPE_NULL;
  MPI_Type_get_extent_c(type, &begin, &extent);
  const Shape shape(slice);
  const bool is_plain = combiner_of(type) == MPI_COMBINER_NAMED && begin == 0 && extent == size && size != 0 &&
                        shape.element_bytes % size == 0;
  if (count == 0 || size == 0) {
    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous_c(0, type, &nothing);
    return committed(nothing);
  }
  return is_plain ? describe_plain(shape, count, shape.element_bytes / size, type) : describe_runs(shape, count, type);
}

MPI_Datatype describe_evenly(const CFI_cdesc_t& slice, MPI_Datatype type) {
  MPI_Count size = 0, begin = 0, extent = 0;
  if (type == MPI_DATATYPE_NULL || MPI_Type_size_c(type, &size) != MPI_SUCCESS) return MPI_DATATYPE_NULL;
  MPI_Type_get_extent_c(type, &begin, &extent);
  const Shape shape(slice);
  if (size != shape.element_bytes || extent != size || begin != 0) return MPI_DATATYPE_NULL;
  CFI_index_t stride = 0, next = 0;  // of all elements, and of the next dimension
  for (int k = 0; k < shape.rank; ++k) {
    const CFI_dim_t& one = shape.dimensions[static_cast<std::size_t>(k)];
    if (one.extent == 1) continue;
    if (stride == 0) stride = next = one.sm;
    if (one.sm != next) return MPI_DATATYPE_NULL;
    next *= one.extent;
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_resized_c(type, 0, stride, &made);
  return committed(made);
}

// ---- copies

class Copies::List : public BufferCopies {
 public:
  void* add(const CFI_cdesc_t& slice, bool is_written) {
    Copy& one = copies_.emplace_back(slice, is_written);
    one.bytes = static_cast<std::size_t>(one.shape.elements() * one.shape.element_bytes);
    one.data = std::make_unique_for_overwrite<std::byte[]>(one.bytes);
    one.move(Direction::in);
    return one.data.get();
  }
  void copy_in() override {
    for (const Copy& one : copies_) one.move(Direction::in);
  }
  void copy_out() override {
    for (const Copy& one : copies_)
      if (one.is_written) one.move(Direction::out);
  }

 private:
  enum class Direction { in, out };
  struct Copy {
    Copy(const CFI_cdesc_t& slice, bool written)
        : shape(slice), base(static_cast<std::byte*>(slice.base_addr)), is_written(written) {}
    void move(Direction direction) const {
      const auto element = static_cast<std::size_t>(shape.element_bytes);
      for (std::size_t place = 0; place < bytes; place += element) {
        std::byte* there = base + shape.offset_of(static_cast<MPI_Count>(place));
        if (direction == Direction::in) std::memcpy(data.get() + place, there, element);
        else std::memcpy(there, data.get() + place, element);
      }
    }
    Shape shape;
    std::byte* base;
    bool is_written;
    std::size_t bytes = 0;
    std::unique_ptr<std::byte[]> data;
  };
  std::vector<Copy> copies_;
};

Copies::Copies() = default;
Copies::~Copies() = default;

void* Copies::add(const CFI_cdesc_t* slice, bool is_written) {
  if (!is_strided(*slice)) return memory_at(slice->base_addr);
  if (!list_) list_ = std::make_unique<List>();
  return list_->add(*slice, is_written);
}
void* Copies::read(const CFI_cdesc_t* slice) { return add(slice, false); }
void* Copies::written(const CFI_cdesc_t* slice) { return add(slice, true); }

int Copies::finish(int code) {
  if (list_ && code == MPI_SUCCESS) list_->copy_out();
  return code;
}

int Copies::keep(int code, MPI_Request* request) {
  if (list_ && code == MPI_SUCCESS) atoll_mpi_keep_copies(request, list_.release());
  return code;
}

}  // namespace atl::mpi::fortran
