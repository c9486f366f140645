#include "case_info.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace cudasem {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json listed() {
  return json::parse(R"({"case": "capture.item_inside", "kind": "misuse", "ways": ["wrong", "right"],
    "title": "item() inside a capture is refused", "claims": ["cap.sync.item"], "links": [],
    "needs": {"gpus": 1, "features": ["f"], "caching": true},
    "lacks": [], "isolation": "process",
    "time_limit_s": 10, "file": "cases/capture/host_sync.cpp", "line": 6, "source": "MISUSE", "hash": "5e0c"})");
}

std::string refusal(const json& info) {
  try {
    case_info_from_json(info);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(case_info, every_member_is_read) {
  const auto info = case_info_from_json(listed());
  EXPECT_EQ(info.name, "capture.item_inside");
  EXPECT_EQ(info.kind, Kind::misuse);
  EXPECT_THAT(info.claims, ElementsAre("cap.sync.item"));
  EXPECT_EQ(info.needs_gpus, 1);
  EXPECT_THAT(info.needs_features, ElementsAre("f"));
  EXPECT_TRUE(info.needs_caching);
  EXPECT_EQ(info.isolation, "process");
  EXPECT_EQ(info.time_limit_s, 10);
  EXPECT_EQ(info.line, 6);
  EXPECT_EQ(info.hash, "5e0c");
}

TEST(case_info, a_misuse_has_an_id_for_each_way_and_others_have_one) {
  EXPECT_THAT(case_info_from_json(listed()).ids(),
              ElementsAre("capture.item_inside/wrong", "capture.item_inside/right"));
  EXPECT_THAT((CaseInfo{.name = "a.b"}).ids(), ElementsAre("a.b"));
}

TEST(case_info, each_missing_member_is_named) {
  const json all = listed();
  for (const auto& [key, value] : all.items()) {
    json without = listed();
    without.erase(key);
    EXPECT_THAT(refusal(without), HasSubstr("`" + key + "`"));
  }
}

TEST(case_info, each_mistyped_member_is_named) {
  const json all = listed();
  for (const auto& [key, value] : all.items()) {
    json wrong = listed();
    wrong[key] = value.is_object() ? json("x") : json::object();
    EXPECT_THAT(refusal(wrong), HasSubstr("`" + key + "`"));
  }
}

TEST(case_info, what_contradicts_itself_is_refused) {
  const auto with = [](const char* key, const json& value) {
    json changed = listed();
    changed[key] = value;
    return refusal(changed);
  };
  EXPECT_THAT(with("ways", {"wrong"}), HasSubstr("\"wrong\" and \"right\""));
  EXPECT_THAT(with("kind", "rule"), HasSubstr("only a misuse has ways"));
  EXPECT_THAT(with("kind", "fact"), HasSubstr("rule, misuse, observe or measure"));
  EXPECT_THAT(with("isolation", "none"), HasSubstr("process, shared, right_shared or exclusive"));
  EXPECT_EQ(with("isolation", "right_shared"), "accepted");
  json rule = listed();
  rule.update({{"kind", "rule"}, {"ways", json::array()}, {"isolation", "right_shared"}});
  EXPECT_THAT(refusal(rule), HasSubstr("only a misuse has a right way"));
  EXPECT_THAT(with("time_limit_s", 0), HasSubstr("more than 0"));
  EXPECT_THAT(with("time_limit_s", 1e300), HasSubstr("at most 3600 s"));
  for (const json& gpus : {json(-5), json(65), json(4294967297)})
    EXPECT_THAT(with("needs", {{"gpus", gpus}, {"features", json::array()}, {"caching", false}}),
                HasSubstr("gpus` is " + gpus.dump()));
  EXPECT_THAT(with("line", -1), HasSubstr("`line` is -1"));
  EXPECT_THAT(with("case", "capture"), HasSubstr("area.name"));
  EXPECT_THAT(with("case", "capture.x/wrong"), HasSubstr("area.name"));
  EXPECT_THAT(refusal(json::array()), HasSubstr("an object was expected"));
}

}  // namespace
}  // namespace cudasem
