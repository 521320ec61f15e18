// SPDX-License-Identifier: Apache-2.0
// What a rank sees of a file: the bytes that its filetype picks, as one stream.
#pragma once

#include <limits>

#include "datatype/checked.hpp"
#include "datatype/cursor.hpp"
#include "datatype/type.hpp"
#include "io/datarep.hpp"

namespace atl::mpi::io {

using datatype::Count;
using datatype::Region;
using datatype::Run;

/// Where the bytes of a stream lie in a file. The layout may be another rank's.
struct Stream {
  Count displacement = 0;
  datatype::NodePtr layout;
  Count extent = 1;

  /// One run from the displacement on.
  bool contiguous() const { return layout->kind == datatype::Node::Kind::leaf && layout->size == extent; }
  Region region() const {
    // As many elements as there can be, so that a contiguous layout is one run.
    Count most = contiguous() ? std::numeric_limits<Count>::max() / 2 / layout->size : 1;
    return {layout.get(), extent, most};
  }
  /// The file's offset of stream byte `at`.
  Count offset_of(Count at) const {
    if (contiguous()) return displacement + layout->offset + at;
    return displacement + datatype::Cursor(region(), at).here().offset;
  }
  /// Bytes of the stream that lie below that offset of the file.
  Count bytes_below(Count offset) const;
};

/// The runs of a stream, neighbours joined.
class StreamRuns {
 public:
  StreamRuns(const Stream& stream, Count at) : displacement_(stream.displacement), cursor_(stream.region(), at) {}
  /// Of at most `most` bytes, as offsets of the file.
  Run next(Count most);

 private:
  Count displacement_;
  datatype::Cursor cursor_;
};

/// MPI_ERR_IO unless the bytes of an etype or filetype follow one another from its displacement on; those of a file
/// that is `written` must not overlap. Cost: linear in its runs.
void check_order(const datatype::Type& type, bool written);

struct View {
  Stream stream;
  datatype::TypePtr etype, filetype;
  const Representation* representation = find_representation("native");
  Count unit = 1;  ///< bytes of an etype in the file

  View() : View(0, datatype::named(datatype::byte_handle), datatype::named(datatype::byte_handle)) {}
  /// A filetype without bytes shows nothing: a rank that has it moves nothing, wherever that would be.
  View(Count displacement, datatype::TypePtr element, datatype::TypePtr pattern)
      : stream{displacement, (pattern->size() == 0 ? element : pattern)->layout(),
               (pattern->size() == 0 ? element : pattern)->extent()},
        etype(std::move(element)),
        filetype(std::move(pattern)),
        unit(etype->size()) {}

  /// The byte of the stream at which that etype begins.
  Count position_of(Count etypes) const { return datatype::checked_multiply(etypes, unit); }
  /// Throws OverflowError when `etypes` from the etype `first` on end beyond byte 2^63 of the file.
  void validate(Count first, Count etypes) const {
    const Count end = position_of(datatype::checked_add(first, etypes));
    const Count filetypes = end / stream.layout->size + 1;
    (void)datatype::checked_add(stream.displacement, datatype::checked_multiply(filetypes, stream.extent));
  }
};

}  // namespace atl::mpi::io
