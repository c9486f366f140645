#include "json_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace cudasem {

using nlohmann::json;

namespace {

/// Of objects and arrays. Asked before parsing: the parser's own callback takes quadratic time on long
/// arrays.
int depth_of(std::string_view text) {
  int depth = 0, most = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return most;
}

}  // namespace

json parse_json(std::string_view text, int deepest) {
  if (depth_of(text) > deepest) throw std::runtime_error(fmt::format("nested more than {} deep", deepest));
  return json::parse(text);
}

int whole_number(const json& value, std::string_view what) {
  const double number = value.is_number_integer() ? value.get<double>() : 0.5;
  if (number != std::floor(number) || number < std::numeric_limits<int>::min() ||
      number > std::numeric_limits<int>::max())
    throw std::runtime_error(
        fmt::format("`{}` is {}: a whole number of at most 32 bits was expected", what,
                    value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40)));
  return static_cast<int>(number);
}

int whole_number_at(const json& object, const char* key) {
  return whole_number(object.at(key), key);
}

}  // namespace cudasem
