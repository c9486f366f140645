#include "layout.h"

#include <cstdlib>

namespace cudasem::layout {

namespace fs = std::filesystem;

const char* version() {
  return CUDASEM_VERSION;
}

fs::path program_dir() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path home() {
  fs::path source = CUDASEM_SOURCE_DIR;
  if (fs::exists(source / "expected")) return source;
  return (program_dir() / ".." / "share" / "cudasem").lexically_normal();
}

fs::path default_cases() {
  if (const char* folder = std::getenv("CUDASEM_CASES"); folder && *folder) return folder;
  return (program_dir() / ".." / "cases").lexically_normal();
}

}  // namespace cudasem::layout
