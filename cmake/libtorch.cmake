# Defines the target `libtorch` for the libtorch in CUDASEM_TORCH_DIR, and LIBTORCH_VERSION, LIBTORCH_GIT,
# LIBTORCH_CUDA, LIBTORCH_LIB and LIBTORCH_CUDA_LIB.
#
# An imported target of our own instead of find_package(Torch): that one enables the CUDA language, so it wants nvcc and
# a whole toolkit, and it leaves the toolkit's run path in the binaries, so that another CUDA runtime than the
# release's own is loaded. This one needs the wheel, its CUDA runtime and the `crt` headers.
set(torch ${CUDASEM_TORCH_DIR})
if(NOT EXISTS "${torch}/lib/libtorch.so")
  message(FATAL_ERROR "No libtorch in CUDASEM_TORCH_DIR='${torch}': expected ${torch}/lib/libtorch.so. "
                      "Run ci/setup, then pass -DCUDASEM_TORCH_DIR=$(ci/setup --print-torch-dir)")
endif()

file(STRINGS "${torch}/version.py" version_lines)
foreach(pair "__version__=LIBTORCH_VERSION" "git_version=LIBTORCH_GIT" "cuda=LIBTORCH_CUDA")
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 key)
  list(GET pair 1 variable)
  foreach(line IN LISTS version_lines)
    if(line MATCHES "^${key}(: [^=]*)? = '([^']*)'")
      set(${variable} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
endforeach()
if(NOT LIBTORCH_CUDA)
  message(FATAL_ERROR "${torch}/version.py names no CUDA version: this is a CPU-only libtorch; cudasem needs a CUDA build")
endif()
file(STRINGS "${torch}/include/torch/headeronly/version.h" header_version REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" header_version "${header_version}")
string(REPLACE ";" "." header_version "${header_version}")
if(NOT LIBTORCH_VERSION MATCHES "^${header_version}")
  message(FATAL_ERROR "${torch}: version.py says ${LIBTORCH_VERSION}, its headers say ${header_version}: "
                      "two releases in one folder. Remove it and run ci/setup again")
endif()

set(LIBTORCH_LIB "${torch}/lib")
get_filename_component(site "${torch}" DIRECTORY)
set(LIBTORCH_CUDA_LIB "${site}/nvidia/cu13/lib")
set(cuda_include "${site}/nvidia/cu13/include")
foreach(wanted "cuda_runtime.h=nvidia-cuda-runtime" "crt/host_defines.h=nvidia-cuda-crt")
  string(REPLACE "=" ";" wanted ${wanted})
  list(GET wanted 0 header)
  list(GET wanted 1 package)
  if(NOT EXISTS "${cuda_include}/${header}")
    message(FATAL_ERROR "No ${cuda_include}/${header}: install the package ${package} beside torch (ci/setup does)")
  endif()
endforeach()

add_library(libtorch INTERFACE)
foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
  add_library(libtorch_${name} SHARED IMPORTED)
  set_target_properties(libtorch_${name} PROPERTIES IMPORTED_LOCATION "${LIBTORCH_LIB}/lib${name}.so")
  target_link_libraries(libtorch INTERFACE libtorch_${name})
endforeach()
add_library(libtorch_cudart SHARED IMPORTED)
set_target_properties(libtorch_cudart PROPERTIES IMPORTED_LOCATION "${LIBTORCH_CUDA_LIB}/libcudart.so.13")
target_link_libraries(libtorch INTERFACE libtorch_cudart)
target_include_directories(libtorch SYSTEM INTERFACE "${torch}/include" "${torch}/include/torch/csrc/api/include"
                                                     "${cuda_include}")
target_compile_features(libtorch INTERFACE cxx_std_20)
# The wheel's libraries name symbols of NVIDIA libraries that a build machine without a GPU does not have.
target_link_options(libtorch INTERFACE LINKER:--no-as-needed LINKER:--allow-shlib-undefined LINKER:-z,now)
message(STATUS "libtorch ${LIBTORCH_VERSION}, CUDA ${LIBTORCH_CUDA}: ${torch}")
