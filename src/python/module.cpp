// SPDX-License-Identifier: Apache-2.0
// The module atoll._core: its parts, and the one table from C++ to Python exceptions.
#include <string>

#include "atoll/base/error.hpp"
#include "expr.hpp"
#include "symmetric.hpp"

namespace atl::python {
namespace {

PyObject* pe_failed_error = nullptr;

void translate(const std::exception_ptr& error, void*) {
  auto raise = [](PyObject* type, const std::exception& e) { PyErr_SetString(type, e.what()); };
  try {
    std::rethrow_exception(error);
  } catch (const ValueError& e) { raise(PyExc_ValueError, e); } catch (const TypeError& e) {
    raise(PyExc_TypeError, e);
  } catch (const IndexError& e) { raise(PyExc_IndexError, e); } catch (const MemoryError& e) {
    raise(PyExc_MemoryError, e);
  } catch (const OverflowError& e) { raise(PyExc_OverflowError, e); } catch (const TimeoutError& e) {
    raise(PyExc_TimeoutError, e);
  } catch (const Interrupted& e) { raise(PyExc_KeyboardInterrupt, e); } catch (const PeFailedError& e) {
    // The interrupted PE reports the interrupt: the other PE has ended by the same Ctrl-C.
    if (PyErr_CheckSignals() == 0) raise(pe_failed_error, e);
  } catch (const Error& e) { raise(PyExc_RuntimeError, e); }
}

}  // namespace

NB_MODULE(_core, m) {
  // The engine's threads come back to Python by the main interpreter alone; another one would wait for itself at its
  // end.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    throw nb::import_error(
        "atoll works in Python's main interpreter only, not in a subinterpreter. Import it there, or start a process");
  nb::set_leak_warnings(false);  // arrays that live until the interpreter ends are no leak
  pe_failed_error = PyErr_NewException("atoll._core.PeFailedError", PyExc_RuntimeError, nullptr);
  m.attr("PeFailedError") = nb::handle(pe_failed_error);
  nb::register_exception_translator(translate);
  m.attr("VERSION") = ATOLL_VERSION;

  nb::dict dtypes;
  for (std::size_t code = 0; code < array::dtype_count; ++code) {
    const std::string_view name = array::name_of(static_cast<DType>(code));
    dtypes[nb::str(name.data(), name.size())] = code;
  }
  m.attr("DTYPES") = dtypes;
  nb::dict ops, loops;
  for (const array::OpInfo& info : array::op_table()) {
    const nb::str name(info.name.data(), info.name.size());
    ops[name] = static_cast<int>(info.op);
    std::string kinds;  // NumPy's letters
    if (info.kinds & array::kind_b) kinds += 'b';
    if (info.kinds & array::kind_i) kinds += 'i';
    if (info.kinds & (array::kind_u | array::kind_u64)) kinds += 'u';
    if (info.kinds & array::kind_f) kinds += 'f';
    static constexpr const char* results[] = {"", "bool", "uint8", "float64"};  // by ResultRule
    loops[name] = nb::make_tuple(static_cast<int>(info.arity), kinds, results[static_cast<int>(info.result)]);
  }
  m.attr("OPS") = ops;
  m.attr("LOOPS") = loops;

  bind_session(m);
  bind_expr(m);
  bind_operations(m);
  bind_table(m);
  bind_text(m);
  bind_everywhere(m);
  bind_csv(m);
  bind_window(m);
  bind_info(m);
  bind_limbs(m);
  bind_sim(m);
  bind_symmetric(m);
}

}  // namespace atl::python
