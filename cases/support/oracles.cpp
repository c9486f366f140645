// What a case can say (case.h), turned into records.
#include <c10/util/Exception.h>
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <typeinfo>

#include "case.h"
#include "support/record.h"

namespace cudasem {
namespace {

std::string place(const char* file, int line) {
  return std::string(file) + ":" + std::to_string(line);
}

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

void record_failure(bool setup, const std::string& text, const char* file, int line) {
  record({{"record", "observe"},
          {"outcome", "fail"},
          {"at", place(file, line)},
          {"setup", setup},
          {"text", text}});
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

/// The value that an oracle compares with.
double asked_for(double want) {
  return mutated() ? want + 1 : want;
}

[[noreturn]] void skip(std::string_view detail, std::string_view why) {
  record({{"record", "observe"}, {"outcome", "skip"}, {"detail", detail}, {"text", why}});
  throw CaseEnded{};
}

}  // namespace

bool mutated() {
  static const bool yes = [] {
    const char* const value = std::getenv("CUDASEM_MUTATED");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return yes;
}

void require(bool holds, std::string_view what, const char* file, int line) {
  if (holds) return;
  record_failure(true, "required: " + std::string(what), file, line);
  throw CaseEnded{};
}

void require_equal(const at::Tensor& tensor, double want, const char* file, int line) {
  const std::string text = difference(tensor, want);
  require(text.empty(), text, file, line);
}

void expect_equal(const at::Tensor& tensor, double want, const char* file, int line) {
  const std::string text = difference(tensor, asked_for(want));
  if (!text.empty()) record_failure(false, text, file, line);
}

void expect_equal(const at::Tensor& got, const at::Tensor& want, const char* file, int line) {
  if (got.sizes() != want.sizes() || got.device() != want.device() || got.dtype() != want.dtype()) {
    record_failure(false,
                   "expected " + want.toString() + c10::str(want.sizes()) + " on " + want.device().str() +
                       ", got " + got.toString() + c10::str(got.sizes()) + " on " + got.device().str(),
                   file, line);
    return;
  }
  const auto wanted = mutated() ? on_host(want) + 1 : on_host(want);
  const auto values = on_host(got);
  const auto others = values.ne(wanted).nonzero();
  if (others.numel() == 0) return;
  const auto index = others[0].item<std::int64_t>();
  record_failure(false,
                 "element " + std::to_string(index) + " of " + std::to_string(values.numel()) +
                     ": expected " + number(wanted[index].item<double>()) + ", got " +
                     number(values[index].item<double>()),
                 file, line);
}

void check_intact(std::string_view expression, const at::Tensor& tensor, double value) {
  const double want = asked_for(value);
  const auto values = on_host(tensor);
  require(values.numel() > 0, std::string(expression) + " has elements to look at");
  const auto index = first_other(values, want);
  if (index < 0) return;
  const bool some_right = values.eq(want).any().item<bool>();
  const bool untouched = values.eq(kCanary).all().item<bool>();
  record({{"record", "observe"},
          {"outcome", "corrupt"},
          {"at", expression},
          {"class", some_right  ? "unordered"
                    : untouched ? "stale"
                                : "overwritten"},
          {"want", number(want)},
          {"got", number(values[index].item<double>())}});
}

void fill_canary(at::Tensor& tensor) {
  tensor.fill_(kCanary);
}

void fact(std::string_view key, std::int64_t value) {
  record({{"record", "fact"}, {"key", key}, {"value", value}});
}
void fact(std::string_view key, double value) {
  record({{"record", "fact"}, {"key", key}, {"value", value}});
}
void fact(std::string_view key, std::string_view value) {
  record({{"record", "fact"}, {"key", key}, {"value", value}});
}

void row(std::string_view table, const std::vector<std::pair<std::string, Cell>>& cells) {
  nlohmann::json values = nlohmann::json::object();
  for (const auto& [name, cell] : cells) {
    std::visit([&, &column = name](const auto& value) { values[column] = value; }, cell);
  }
  record({{"record", "row"}, {"table", table}, {"cells", values}});
}

void mark(std::string_view label) {
  record({{"record", "mark"}, {"label", label}});
}

void skip_unsupported(std::string_view why) {
  skip("unsupported", why);
}
void skip_resource(std::string_view why) {
  skip("resource", why);
}
void skip_harmful(std::string_view why) {
  skip("harmful", why);
}

void record_current_exception(std::string_view label) {
  nlohmann::json what = {{"record", "observe"}, {"outcome", "error"}, {"at", label}};
  try {
    throw;
  } catch (const c10::AcceleratorError& error) {
    what.update({{"type", "c10::AcceleratorError"}, {"code", error.get_error_code()}, {"text", error.msg()}});
  } catch (const c10::Error& error) {
    what.update({{"type", type_name(typeid(error))}, {"text", error.msg()}});
  } catch (const std::exception& error) {
    what.update({{"type", type_name(typeid(error))}, {"text", error.what()}});
  } catch (...) {
    what.update({{"type", "unknown"}, {"text", "an exception that is not a std::exception"}});
  }
  record(what);
}

}  // namespace cudasem
