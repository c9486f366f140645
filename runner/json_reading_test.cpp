#include "json_reading.h"

#include <gmock/gmock.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using testing::HasSubstr;

std::string nested(int deep) {
  return std::string(static_cast<size_t>(deep), '[') + std::string(static_cast<size_t>(deep), ']');
}

TEST(json_reading, values_as_deep_as_allowed_are_read_and_deeper_ones_refused) {
  EXPECT_EQ(parse_json(nested(16), 16).dump(), nested(16));
  EXPECT_EQ(test::refusal([] { parse_json(nested(18), 16); }), "nested more than 16 deep");
  EXPECT_EQ(test::refusal([] { parse_json(nested(1'000'000), 16); }), "nested more than 16 deep");
}

TEST(json_reading, what_is_no_json_is_a_parse_error) {
  EXPECT_THROW(parse_json("[1,", 16), nlohmann::json::parse_error);
}

TEST(json_reading, whole_numbers_of_32_bits_are_read) {
  for (int number : {0, -1, 700, 2147483647, -2147483647 - 1})
    EXPECT_EQ(whole_number(number, "code"), number);
}

TEST(json_reading, what_an_int_cannot_hold_is_no_number) {
  for (const char* text : {"4294967297", "-2147483649", "18446744073709551615", "1e300", "1.5", "\"1\"",
                           "true", "null", "[]", "1.0"})
    EXPECT_THAT(test::refusal([&] { whole_number(nlohmann::json::parse(text), "code"); }),
                HasSubstr("`code` is " + std::string(text).substr(0, 1)))
        << text;
}

}  // namespace
}  // namespace cudasem
