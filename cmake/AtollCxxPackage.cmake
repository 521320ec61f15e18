# SPDX-License-Identifier: Apache-2.0
# The C++ layers for runtime authors, as a CMake package: `make install PREFIX=…`, then find_package(Atoll) and
# target_link_libraries(program Atoll::bootstrap). Layers above `agg` are not part of it.
set(ATOLL_CXX_LAYERS base fabric runtime messaging portal bootstrap launch coll agg)
set(ATOLL_CXX_PLACE lib/cmake/Atoll)
foreach(layer IN LISTS ATOLL_CXX_LAYERS)
  set_target_properties(atoll_${layer} PROPERTIES EXPORT_NAME ${layer})
  target_compile_features(atoll_${layer} PUBLIC cxx_std_20)
  install(TARGETS atoll_${layer} EXPORT Atoll ARCHIVE DESTINATION lib COMPONENT cxx
          FILE_SET HEADERS DESTINATION include COMPONENT cxx)
endforeach()
install(EXPORT Atoll NAMESPACE Atoll:: FILE AtollTargets.cmake DESTINATION ${ATOLL_CXX_PLACE} COMPONENT cxx)
install(TARGETS atoll-run RUNTIME DESTINATION bin COMPONENT cxx)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/AtollConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/AtollConfig.cmake ${CMAKE_BINARY_DIR}/AtollConfigVersion.cmake
        DESTINATION ${ATOLL_CXX_PLACE} COMPONENT cxx)
