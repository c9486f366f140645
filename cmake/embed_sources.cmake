# Writes OUTPUT: a C++ file that defines embedded_sources(), the text of the case files in SOURCES (paths from ROOT).
# Run as: cmake -DROOT=… -DSOURCES=a.cpp;b.cpp -DOUTPUT=… -P embed_sources.cmake
set(text "#include \"support/source.h\"\nnamespace cudasem {\nconst std::vector<SourceFile>& embedded_sources() {\n")
string(APPEND text "  static const std::vector<SourceFile> files = {\n")
foreach(source IN LISTS SOURCES)
  file(READ "${ROOT}/${source}" body)
  string(APPEND text "{\"${source}\", R\"cudasem(${body})cudasem\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n}  // namespace cudasem\n")
file(WRITE "${OUTPUT}" "${text}")
