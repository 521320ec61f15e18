# SPDX-License-Identifier: Apache-2.0
# Files of an installation that have a conduit's name in theirs. Used when the build tree is configured (`atoll`), and when
# it is installed under further names.

cmake_policy(VERSION 3.25)
set(ATOLL_GASNET_MODES seq par parsync)
# Names that GASNet's clients know.
set(ATOLL_GASNET_NAMES atoll smp ofi udp)
set(templates ${CMAKE_CURRENT_LIST_DIR})

# lay_out(NAME TREE VERSION): the Makefile fragments, pkg-config files, libraries and launcher of conduit NAME in TREE.
function(lay_out name tree VERSION)
  if(NOT name IN_LIST ATOLL_GASNET_NAMES)
    list(JOIN ATOLL_GASNET_NAMES ", " known)
    message(FATAL_ERROR "GASNET_CONDUIT has '${name}', which is no name of a conduit. Use one of ${known}?")
  endif()
  string(TOUPPER ${name} NAME)
  set(DEFINES "")
  if(NOT name STREQUAL atoll)
    set(DEFINES " -DGASNET_ATOLL_CONDUIT=${NAME} -DGASNET_CONDUIT_${NAME}=1")
  endif()
  foreach(mode IN LISTS ATOLL_GASNET_MODES)
    string(TOUPPER ${mode} MODE)
    configure_file(${templates}/mode.mak.in ${tree}/include/${name}-conduit/${name}-${mode}.mak @ONLY)
    configure_file(${templates}/mode.pc.in ${tree}/lib/pkgconfig/gasnet-${name}-${mode}.pc @ONLY)
    if(name STREQUAL atoll)
      # A line for the linker: the way in of this mode, and the rest.
      file(WRITE ${tree}/lib/libgasnet-atoll-${mode}.so "INPUT(libgasnet-atoll-${mode}.a libgasnet-atoll.so.1)\n")
    else()
      file(CREATE_LINK libgasnet-atoll-${mode}.a ${tree}/lib/libgasnet-${name}-${mode}.a SYMBOLIC)
      file(CREATE_LINK libgasnet-atoll-${mode}.so ${tree}/lib/libgasnet-${name}-${mode}.so SYMBOLIC)
    endif()
  endforeach()
  file(MAKE_DIRECTORY ${tree}/bin)
  file(COPY_FILE ${templates}/gasnetrun ${tree}/bin/gasnetrun_${name})
  if(name STREQUAL udp)
    file(CREATE_LINK gasnetrun_udp ${tree}/bin/amudprun SYMBOLIC)
  endif()
endfunction()

# lay_out_build_tree(TREE NAME...): what UPC++ asks of a folder in which GASNet was built: TREE/share/gasnet.
function(lay_out_build_tree tree)
  set(built ${tree}/share/gasnet)
  file(MAKE_DIRECTORY ${built})
  list(JOIN ARGN " " CONDUITS)
  configure_file(${templates}/config.status.in ${built}/config.status @ONLY)
  file(CHMOD ${built}/config.status
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  configure_file(${templates}/build_tree.mk ${built}/Makefile COPYONLY)
  file(CREATE_LINK ../../include/gasnet_config.h ${built}/gasnet_config.h SYMBOLIC)
  file(CREATE_LINK ../../bin ${built}/bin SYMBOLIC)
  foreach(name IN LISTS ARGN)
    file(CREATE_LINK ../../include/${name}-conduit ${built}/${name}-conduit SYMBOLIC)
  endforeach()
endfunction()
