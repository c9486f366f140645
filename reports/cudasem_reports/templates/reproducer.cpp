// What a case can say (cases/case.h), for a program that stands alone: `cudasem export` takes from here what
// the case uses. It must say the same as cases/support/oracles.cpp.
#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>
#include <cxxabi.h>
#include <sys/utsname.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

int effects_seen = 0;

/// Says what was seen, at once: a crash that follows must not take it along.
void seen(const std::string& effect, const std::string& text) {
  ++effects_seen;
  std::cerr << "SEEN " << effect << "\n" << (text.empty() ? "" : "     " + text + "\n") << std::flush;
}

/// Thrown to end the case early.
struct CaseEnded {};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type.name();
}

/// The set-up: what must hold for the rest to mean anything.
void require(bool holds, std::string_view what, int line = __builtin_LINE()) {
  if (holds) return;
  seen("fail (setup)", "line " + std::to_string(line) + ": required: " + std::string(what));
  throw CaseEnded{};
}

/// The values of `tensor` on the host, flattened. Waits for the current stream.
at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU, at::kDouble).reshape(-1);
}

/// Index of the first element that is not `want`, or -1.
std::int64_t first_other(const at::Tensor& values, double want) {
  const auto others = values.ne(want).nonzero();
  return others.numel() == 0 ? -1 : others[0].item<std::int64_t>();
}

/// Says in words where `tensor` is not `want`; empty if it is everywhere.
std::string difference(const at::Tensor& tensor, double want) {
  const auto values = on_host(tensor);
  if (values.numel() == 0) return "expected " + number(want) + ", the tensor has no elements";
  const auto index = first_other(values, want);
  if (index < 0) return "";
  return "element " + std::to_string(index) + " of " + std::to_string(values.numel()) + ": expected " +
         number(want) + ", got " + number(values[index].item<double>());
}

void require_equal(const at::Tensor& tensor, double want, int line = __builtin_LINE()) {
  const std::string text = difference(tensor, want);
  require(text.empty(), text, line);
}

void failed(const std::string& text, int line) {
  seen("fail", "line " + std::to_string(line) + ": " + text);
}

void expect_equal(const at::Tensor& tensor, double want, int line = __builtin_LINE()) {
  const std::string text = difference(tensor, want);
  if (!text.empty()) failed(text, line);
}

void expect_equal(const at::Tensor& got, const at::Tensor& want, int line = __builtin_LINE()) {
  const bool alike =
      got.sizes() == want.sizes() && got.device() == want.device() && got.dtype() == want.dtype();
  if (!alike) failed("shape, device or dtype differ", line);
  if (alike && !on_host(got).equal(on_host(want))) failed("values differ", line);
}

/// What nothing computes. Memory that still holds it was not written.
constexpr double kCanary = -7777;

void fill_canary(at::Tensor& tensor) {
  tensor.fill_(kCanary);
}

/// An oracle on memory: every element of `tensor` should be `want`.
void check_intact(std::string_view expression, const at::Tensor& tensor, double want) {
  const auto values = on_host(tensor);
  require(values.numel() > 0, std::string(expression) + " has elements to look at");
  const auto index = first_other(values, want);
  if (index < 0) return;
  const bool some_right = values.eq(want).any().item<bool>();
  const bool untouched = values.eq(kCanary).all().item<bool>();
  seen("corrupt at " + std::string(expression) + ": " + number(values[index].item<double>()) +
           " instead of " + number(want) + " (" +
           (some_right  ? "unordered"
            : untouched ? "stale"
                        : "overwritten") +
           ")",
       "");
}

#define expect_intact(tensor, want) check_intact(#tensor, tensor, want)

/// Where we are, should it crash or hang.
void mark(std::string_view label) {
  std::cerr << "  at " << label << "\n" << std::flush;
}

/// Says which exception is being handled.
void record_current_exception(std::string_view label) {
  const std::string at = " at " + std::string(label);
  try {
    throw;
  } catch (const c10::AcceleratorError& error) {
    seen("error " + std::to_string(error.get_error_code()) + at, error.msg());
  } catch (const c10::Error& error) {
    seen("error " + type_name(typeid(error)) + at, error.msg());
  } catch (const std::exception& error) {
    seen("error " + type_name(typeid(error)) + at, error.what());
  } catch (...) {
    seen("error unknown" + at, "an exception that is not a std::exception");
  }
}

/// Runs `fn`, says what it throws, and goes on. Returns whether it went through.
template <typename Fn>
bool attempt(std::string_view label, Fn&& fn) {
  mark(label);
  try {
    fn();
    return true;
  } catch (const CaseEnded&) {
    throw;
  } catch (...) {
    record_current_exception(label);
    return false;
  }
}

template <typename Value>
void fact(std::string_view key, const Value& value) {
  std::cout << key << " = " << value << std::endl;
}

using Cell = std::variant<std::int64_t, double, bool, std::string>;

/// A row of a table.
void row(std::string_view table, const std::vector<std::pair<std::string, Cell>>& cells) {
  std::cout << table << ":";
  for (const auto& [name, cell] : cells) {
    std::visit([&, &column = name](const auto& value) { std::cout << " " << column << "=" << value; }, cell);
  }
  std::cout << std::endl;
}

[[noreturn]] void skip(std::string_view detail, std::string_view why) {
  seen("skip (" + std::string(detail) + ")", std::string(why));
  throw CaseEnded{};
}

[[noreturn]] void skip_unsupported(std::string_view why) {
  skip("unsupported", why);
}

[[noreturn]] void skip_resource(std::string_view why) {
  skip("resource", why);
}

[[noreturn]] void skip_harmful(std::string_view why) {
  skip("harmful", why);
}

template <typename Value>
std::string shown(const Value& value) {
  std::ostringstream out;
  if constexpr (requires { out << value; }) out << std::boolalpha << value;
  return out.str();
}

/// What came of a comparison; `<< "words"` adds to what is said of one that failed.
struct Compared {
  bool holds;
  explicit operator bool() const { return holds; }
};

template <typename Value>
Compared operator<<(Compared compared, const Value& value) {
  if (!compared.holds) std::cerr << "     " << value << std::endl;
  return compared;
}

template <typename Got, typename Want>
Compared compare(bool holds, const char* text, const Got& got, const Want& want, int line) {
  if (!holds) failed(std::string("expected ") + text + ", found " + shown(got) + " and " + shown(want), line);
  return {holds};
}

#define COMPARED(a, operation, b)                                                \
  [](const auto& one, const auto& two, int line) {                               \
    return compare(one operation two, #a " " #operation " " #b, one, two, line); \
  }(a, b, __LINE__)

#define EXPECT_EQ(a, b) COMPARED(a, ==, b)

#define EXPECT_DOUBLE_EQ(a, b) COMPARED(a, ==, b)

#define EXPECT_NE(a, b) COMPARED(a, !=, b)

#define EXPECT_LT(a, b) COMPARED(a, <, b)

#define EXPECT_LE(a, b) COMPARED(a, <=, b)

#define EXPECT_GT(a, b) COMPARED(a, >, b)

#define EXPECT_GE(a, b) COMPARED(a, >=, b)

#define EXPECT_TRUE(a) COMPARED(static_cast<bool>(a), ==, true)

#define EXPECT_FALSE(a) COMPARED(static_cast<bool>(a), ==, false)

#define ASSERT_EQ(a, b) \
  if (!COMPARED(a, ==, b)) return

#define ASSERT_NE(a, b) \
  if (!COMPARED(a, !=, b)) return

#define EXPECT_NO_THROW(statement)         \
  try {                                    \
    statement;                             \
  } catch (...) {                          \
    failed(#statement " threw", __LINE__); \
  }

#define EXPECT_THROW(statement, type)                     \
  try {                                                   \
    statement;                                            \
    failed(#statement " did not throw " #type, __LINE__); \
  } catch (const type&) {                                 \
  }

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// The first line of the file `path` that holds `word`, or nothing.
std::string line_with(const char* path, std::string_view word) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.find(word) != std::string::npos) return line;
  }
  return "";
}

/// The part of `python -m torch.utils.collect_env` that a program without Python knows.
void print_versions() {
  int runtime = 0;
  int count = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  const bool available = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  utsname system{};
  uname(&system);
  std::cout << "PyTorch version: " << TORCH_VERSION
            << "\nCUDA used to build PyTorch: " << cuda_version(CUDART_VERSION)
            << "\nOS: " << line_with("/etc/os-release", "PRETTY_NAME") << "\nKernel: " << system.sysname
            << " " << system.release << " " << system.machine << "\nCompiler: " << __VERSION__
            << "\nIs CUDA available: " << (available ? "True" : "False")
            << "\nCUDA runtime version: " << cuda_version(runtime)
            << "\nNvidia driver version: " << line_with("/proc/driver/nvidia/version", "NVRM") << "\n";
  for (int index = 0; available && index < count; ++index) {
    cudaDeviceProp gpu{};
    (void)cudaGetDeviceProperties(&gpu, index);
    std::cout << "GPU " << index << ": " << gpu.name << ", compute capability " << gpu.major << "."
              << gpu.minor << "\n";
  }
  std::cout << std::endl;
}

/// Runs `body`, says what came out of it, and ends the process: 0 nothing but what should be, 1 something
/// else.
template <typename Body>
[[noreturn]] void show(Body&& body) {
  try {
    body();
  } catch (const CaseEnded&) {
  } catch (...) {
    record_current_exception("body");
  }
  if (effects_seen == 0) std::cerr << "SEEN ok" << std::endl;
  std::fflush(nullptr);
  _exit(effects_seen == 0 ? 0 : 1);  // how libtorch takes itself down is no part of this
}
