// SPDX-License-Identifier: Apache-2.0
// File views: the bytes that a rank's filetype selects, as one stream.
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

/// Positions of a stream's bytes in the file. The layout may belong to another rank.
struct Stream {
  Count displacement = 0;
  datatype::NodePtr layout;
  Count extent = 1;

  /// Whether the stream is one run from the displacement on.
  bool contiguous() const { return layout->kind == datatype::Node::Kind::leaf && layout->size == extent; }
  Region region() const {
    // The greatest possible count, so that a contiguous layout is one run.
    Count most = contiguous() ? std::numeric_limits<Count>::max() / 2 / layout->size : 1;
    return {layout.get(), extent, most};
  }
  /// The file offset of stream byte `at`.
  Count offset_of(Count at) const {
    if (contiguous()) return displacement + layout->offset + at;
    return displacement + datatype::Cursor(region(), at).here().offset;
  }
  /// Number of stream bytes below a file offset.
  Count bytes_below(Count offset) const;
};

/// Iterator over the runs of a stream; adjacent runs are joined.
class StreamRuns {
 public:
  StreamRuns(const Stream& stream, Count at) : displacement_(stream.displacement), cursor_(stream.region(), at) {}
  /// The next run, of at most `most` bytes, in file offsets.
  Run next(Count most);

 private:
  Count displacement_;
  datatype::Cursor cursor_;
};

/// Throws MPI_ERR_IO unless the displacements of an etype or filetype are non-negative and ascend; for a file that is
/// `written` they must not overlap. Cost: linear in the number of runs.
void check_order(const datatype::Type& type, bool written);

struct View {
  Stream stream;
  datatype::TypePtr etype, filetype;
  const Representation* representation = find_representation("native");
  Count unit = 1;  ///< bytes of an etype in the file

  View() : View(0, datatype::named(datatype::byte_handle), datatype::named(datatype::byte_handle)) {}
  /// With an empty filetype a rank transfers nothing, so the etype serves as its layout.
  View(Count displacement, datatype::TypePtr element, datatype::TypePtr pattern)
      : stream{displacement, (pattern->size() == 0 ? element : pattern)->layout(),
               (pattern->size() == 0 ? element : pattern)->extent()},
        etype(std::move(element)),
        filetype(std::move(pattern)),
        unit(etype->size()) {}

  /// The stream byte at which this etype begins.
  Count position_of(Count etypes) const { return datatype::checked_multiply(etypes, unit); }
  /// Throws OverflowError when `etypes` from the etype `first` on end beyond byte 2^63 of the file.
  void validate(Count first, Count etypes) const {
    const Count end = position_of(datatype::checked_add(first, etypes));
    const Count filetypes = end / stream.layout->size + 1;
    (void)datatype::checked_add(stream.displacement, datatype::checked_multiply(filetypes, stream.extent));
  }
};

}  // namespace atl::mpi::io
