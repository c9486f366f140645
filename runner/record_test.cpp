#include "record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::HasSubstr;

const std::string kHello = R"({"record": "hello", "protocol": 1, "built_for": "2.14.1"})"
                           "\n";
const std::string kBegin = R"({"record": "begin", "case": "a.b", "hash": "feed"})"
                           "\n";
const std::string kEnd = R"({"record": "end", "case": "a.b"})"
                         "\n";
const std::string kBye = R"({"record": "bye"})"
                         "\n";
const std::string kError =
    R"({"record": "observe", "outcome": "error", "at": "item", "type": "c10::AcceleratorError", "code": 900, "text": "CUDA error"})"
    "\n";
const std::string kCorrupt =
    R"({"record": "observe", "outcome": "corrupt", "at": "second", "class": "overwritten", "want": "20", "got": "2"})"
    "\n";
const std::string kFail =
    R"({"record": "observe", "outcome": "fail", "at": "x.cpp:1", "setup": false, "text": "no"})"
    "\n";
const std::string kSetup =
    R"({"record": "observe", "outcome": "fail", "at": "x.cpp:2", "setup": true, "text": "no"})"
    "\n";
const std::string kSkip =
    R"({"record": "observe", "outcome": "skip", "detail": "resource", "text": "too little memory"})"
    "\n";
const std::string kMark = R"({"record": "mark", "label": "before"})"
                          "\n";

const Ending kExit0{.exit = 0};
const Ending kAbort{.signal = "SIGABRT"};

Observed observe(const std::string& bytes, const Ending& ending = kExit0, bool timed_out = false,
                 const std::string& err = "") {
  RecordReader reader("a.b", "feed");
  reader.feed(bytes);
  return reader.finish(ending, timed_out, err);
}
Observed body(const std::string& records) {
  return observe(kHello + kBegin + records + kEnd + kBye);
}
std::string protocol(const std::string& bytes) {
  const Observed observed = observe(bytes);
  EXPECT_EQ(observed.outcome, Outcome::missing);
  EXPECT_EQ(observed.detail, "protocol");
  return observed.text;
}

TEST(Record, RowsAreKeptInOrderWithTheirTable) {
  const Observed observed = body(R"({"record": "row", "table": "t", "cells": {"k": 2, "ms": 0.5}})"
                                 "\n"
                                 R"({"record": "row", "table": "t", "cells": {"k": 4}})"
                                 "\n");
  ASSERT_EQ(observed.rows.size(), 2u);
  EXPECT_EQ(observed.rows[0], nlohmann::json::parse(R"({"table": "t", "cells": {"k": 2, "ms": 0.5}})"));
  EXPECT_EQ(observed.rows[1].at("cells").at("k"), 4);
  EXPECT_TRUE(observed.facts.empty());
}

TEST(Record, ValueNestedTooDeeplyCostsTheCaseOnly) {
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  EXPECT_THAT(protocol(kHello + kBegin + R"({"record": "fact", "key": "k", "value": )" + deep + "}\n" + kEnd),
              HasSubstr("nested more than 16 deep"));
}

TEST(Record, RowWithoutCellsIsAProtocolViolation) {
  EXPECT_THAT(protocol(kHello + kBegin + R"({"record": "row", "table": "t", "cells": 3})" + "\n" + kEnd),
              HasSubstr("cells"));
}

TEST(Record, NothingObservedIsOk) {
  const Observed observed = body("");
  EXPECT_EQ(observed.outcome, Outcome::ok);
  EXPECT_EQ(observed.exit, 0);
  EXPECT_TRUE(observed.effects.empty());
}

TEST(Record, AnySplitOfTheBytesGivesTheSame) {
  const std::string bytes = kHello + kBegin + kMark + kError + kCorrupt + kEnd + kBye;
  const auto whole = to_json(observe(bytes));
  for (size_t piece = 1; piece < 40; ++piece) {
    RecordReader reader("a.b", "feed");
    for (size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
    EXPECT_EQ(to_json(reader.finish(kExit0, false, "")), whole) << "in pieces of " << piece;
  }
}

TEST(Record, FirstEffectDecidesLaterOnesAreKept) {
  const Observed observed = body(kError + kCorrupt);
  EXPECT_EQ(observed.outcome, Outcome::error);
  EXPECT_EQ(observed.at, "item");
  EXPECT_EQ(observed.text, "CUDA error");
  ASSERT_EQ(observed.effects.size(), 2u);
  EXPECT_EQ(observed.effects[0].code, 900);
  EXPECT_EQ(observed.effects[1].memory_class, "overwritten");
  EXPECT_EQ(observed.effects[1].got, "2");
}

TEST(Record, FailedAssertionDecidesWhateverCameBefore) {
  const Observed observed = body(kError + kFail);
  EXPECT_EQ(observed.outcome, Outcome::fail);
  EXPECT_EQ(observed.at, "x.cpp:1");
  EXPECT_EQ(observed.detail, "");
}

TEST(Record, FailedRequirementIsSetup) {
  EXPECT_EQ(body(kSetup).detail, "setup");
}

TEST(Record, SkipSaysItsDetailAndWhy) {
  const Observed observed = body(kSkip);
  EXPECT_EQ(observed.outcome, Outcome::skip);
  EXPECT_EQ(observed.detail, "resource");
  EXPECT_EQ(observed.text, "too little memory");
}

TEST(Record, FactsAndWarningsAreKeptAndDecideNothing) {
  const Observed observed = body(R"({"record": "fact", "key": "n", "value": 6})"
                                 "\n"
                                 R"({"record": "warning", "text": "careful"})"
                                 "\n");
  EXPECT_EQ(observed.outcome, Outcome::ok);
  EXPECT_EQ(observed.facts.at("n"), 6);
  EXPECT_THAT(observed.warnings, testing::ElementsAre("careful"));
}

TEST(Record, NoBeginIsMissingHoweverTheProcessEnded) {
  for (const Ending& ending : {kExit0, kAbort, Ending{.exit = 3}}) {
    const Observed observed = observe(kHello, ending, false, "built for another libtorch\n");
    EXPECT_EQ(observed.outcome, Outcome::missing);
    EXPECT_EQ(observed.detail, "no_begin");
    EXPECT_EQ(observed.text, "built for another libtorch");
  }
}

TEST(Record, OverTheStartUpLimitIsNoBegin) {
  EXPECT_EQ(observe(kHello, kAbort, true).detail, "no_begin");
}

TEST(Record, BeginWithoutEndAndExitZeroIsSilent) {
  EXPECT_EQ(observe(kHello + kBegin).detail, "silent");
  EXPECT_EQ(observe(kHello + kBegin + kError).detail, "silent");
}

TEST(Record, SignalAfterBeginIsCrashAtTheLastLabel) {
  const Observed observed = observe(kHello + kBegin + kMark, kAbort, false, "noise\nlast words\n");
  EXPECT_EQ(observed.outcome, Outcome::crash);
  EXPECT_EQ(observed.signal, "SIGABRT");
  EXPECT_EQ(observed.at, "before");
  EXPECT_EQ(observed.text, "last words");
}

TEST(Record, ExitStatusAfterBeginIsCrash) {
  const Observed observed = observe(kHello + kBegin, Ending{.exit = 7});
  EXPECT_EQ(observed.outcome, Outcome::crash);
  EXPECT_EQ(observed.exit, 7);
}

TEST(Record, CrashOverridesAndKeepsWhatWasRecorded) {
  const Observed observed = observe(kHello + kBegin + kMark + kError + kFail, kAbort);
  EXPECT_EQ(observed.outcome, Outcome::crash);
  EXPECT_EQ(observed.at, "item");
  EXPECT_EQ(observed.effects.size(), 2u);
}

TEST(Record, DyingAfterEndIsCrashAtExit) {
  const Observed observed = observe(kHello + kBegin + kMark + kEnd + kBye, kAbort);
  EXPECT_EQ(observed.outcome, Outcome::crash);
  EXPECT_EQ(observed.at, "exit");
}

TEST(Record, OverItsLimitIsHang) {
  const Observed observed =
      observe(kHello + kBegin + kMark, Ending{.signal = "SIGTERM"}, true, "some words\n");
  EXPECT_EQ(observed.outcome, Outcome::hang);
  EXPECT_EQ(observed.at, "before");
  EXPECT_EQ(observed.text, "");
  EXPECT_EQ(observe(kHello + kBegin + kMark + kEnd, kAbort, true).at, "exit");
}

TEST(Record, CrashInTheMiddleOfARecordIsACrash) {
  EXPECT_EQ(observe(kHello + kBegin + "{\"rec", kAbort).outcome, Outcome::crash);
}

TEST(Record, UnknownCaseIsAProtocolViolation) {
  EXPECT_THAT(protocol(kHello + R"({"record": "begin", "case": "a.c", "hash": "feed"})" + "\n"),
              HasSubstr("`begin` of a.b was expected, of a.c found"));
}

TEST(Record, OtherHashThanListedIsAProtocolViolation) {
  EXPECT_THAT(protocol(kHello + R"({"record": "begin", "case": "a.b", "hash": "dead"})" + "\n"),
              HasSubstr("hash feed was expected, dead found"));
}

TEST(Record, SecondBeginAndSecondEndAreProtocolViolations) {
  protocol(kHello + kBegin + kBegin + kEnd);
  EXPECT_THAT(protocol(kHello + kBegin + kEnd + kEnd), HasSubstr("`end` is allowed only once"));
}

TEST(Record, WrongIdAtEndIsAProtocolViolation) {
  protocol(kHello + kBegin + R"({"record": "end", "case": "a.c"})" + "\n");
}

TEST(Record, ObservationsOutsideTheCaseAreProtocolViolations) {
  protocol(kHello + kError);
  protocol(kHello + kBegin + kEnd + kError);
}

TEST(Record, GarbageIsAProtocolViolationWithItsBytesKept) {
  EXPECT_THAT(protocol(kHello + kBegin + std::string("\x00\xff{\n", 4) + kEnd), HasSubstr("\\x00\\xff{"));
}

TEST(Record, HalfALineAtTheEndIsAProtocolViolation) {
  EXPECT_THAT(protocol(kHello + kBegin + "{\"record\": \"obs"),
              HasSubstr("half a line found: {\"record\": \"obs"));
}

TEST(Record, LineOverOneMebibyteIsAProtocolViolation) {
  RecordReader reader("a.b", "feed");
  reader.feed(kHello + kBegin);
  for (int i = 0; i < 40; ++i) reader.feed(std::string(64 * 1024, 'y'));
  reader.feed("\n" + kEnd);
  const Observed observed = reader.finish(kExit0, false, "");
  EXPECT_EQ(observed.detail, "protocol");
  EXPECT_LT(observed.text.size(), 2000u);
}

TEST(Record, MissingMembersAndUnknownWordsAreProtocolViolations) {
  protocol(kHello + kBegin + "{\"record\": \"observe\"}\n" + kEnd);
  protocol(kHello + kBegin + "{\"record\": \"observe\", \"outcome\": \"crash\"}\n" + kEnd);
  protocol(kHello + kBegin + "{\"record\": \"remark\"}\n" + kEnd);
  protocol(kHello + kBegin + "[]\n" + kEnd);
  protocol(kHello + kBegin + "\n" + kEnd);
}

TEST(Record, NewerProtocolIsRefused) {
  EXPECT_THAT(protocol(kBegin + kEnd), HasSubstr("`hello` was expected first, `begin` found"));
  EXPECT_THAT(protocol("{\"record\": \"hello\", \"protocol\": 4294967297}\n" + kBegin + kEnd),
              HasSubstr("`protocol` is 4294967297"));
  EXPECT_THAT(protocol("{\"record\": \"hello\", \"protocol\": 2}\n" + kBegin + kEnd),
              HasSubstr("record protocol 1 was expected, 2 found"));
}

TEST(Record, LeftoverProcessesAreAWarning) {
  EXPECT_THAT(observe(kHello + kBegin + kEnd, Ending{.exit = 0, .leftovers = true}).warnings,
              testing::ElementsAre(HasSubstr("outlived it")));
}

TEST(CrashText, PrefersTheFirstWhatLine) {
  EXPECT_EQ(crash_text("terminate called after throwing\n  what():  first\n  what():  second\nlast\n"),
            "first");
}
TEST(CrashText, FallsBackToTheLastLineThatIsNotBlank) {
  EXPECT_EQ(crash_text("one\ntwo\n\n  \n"), "two");
}
TEST(CrashText, OfSilenceIsEmpty) {
  EXPECT_EQ(crash_text(""), "");
}

}  // namespace
}  // namespace cudasem
