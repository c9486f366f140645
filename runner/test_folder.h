// For tests: temporary folders, and one that looks like a build's folder of case binaries.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace cudasem::test {

namespace fs = std::filesystem;

/// A new folder that goes away with its owner.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (fs::temp_directory_path() / "cudasem-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  fs::path operator/(const fs::path& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  void write(const fs::path& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

 private:
  fs::path path_;
};

inline std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// What a build would have written, with the misbehaving binary in it. Needs no libtorch.
class MisbehaveFolder : public TestFolder {
 public:
  nlohmann::json subject = {{"torch", "2.14.1+cu130"}, {"git", "abc"},   {"cuda_build", "13.0"},
                            {"torch_lib", ""},         {"cuda_lib", ""}, {"compiler", "Clang 14.0.6"},
                            {"areas", {"misbehave"}},  {"build_log", ""}};

  MisbehaveFolder() {
    fs::create_symlink(fs::path(CUDASEM_MISBEHAVE_DIR) / "cudasem_misbehave", *this / "cudasem_misbehave");
    save();
  }
  void save() const { write("subject.json", subject.dump()); }
};

/// What the std::runtime_error says that `fn` throws.
template <typename Fn>
std::string refusal(Fn fn) {
  try {
    fn();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  ADD_FAILURE() << "should have thrown";
  return {};
}

/// Sets environment variables and puts the old values back.
class WithEnvironment {
 public:
  WithEnvironment(std::initializer_list<std::pair<std::string, std::string>> values) {
    for (const auto& [name, value] : values) {
      const char* old = getenv(name.c_str());
      old_[name] = old ? std::string(old) : std::string();
      had_[name] = old != nullptr;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~WithEnvironment() {
    for (const auto& [name, value] : old_)
      had_[name] ? setenv(name.c_str(), value.c_str(), 1) : unsetenv(name.c_str());
  }
  WithEnvironment(const WithEnvironment&) = delete;
  WithEnvironment& operator=(const WithEnvironment&) = delete;

 private:
  std::map<std::string, std::string> old_;
  std::map<std::string, bool> had_;
};

}  // namespace cudasem::test
