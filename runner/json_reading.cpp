#include "json_reading.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace cudasem {

using nlohmann::json;

json parse_json(std::string_view text, int deepest) {
  return json::parse(text, [deepest](int depth, auto, const auto&) {
    if (depth > deepest) throw std::runtime_error(fmt::format("nested more than {} deep", deepest));
    return true;
  });
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
