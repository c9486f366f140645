// Cases that share a process, and cases that run more than once, end to end.
#include <gmock/gmock.h>

#include "run_program.h"

namespace cudasem {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::RunProgram;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Batches : public RunProgram {
 protected:
  std::vector<int> pids() const {
    std::vector<int> found;
    for (const auto& begin : events("begin")) found.push_back(begin.at("pid"));
    return found;
  }
};

TEST_F(Batches, SharedCasesRunInOneProcess) {
  EXPECT_EQ(run({"misbehave.shares", "misbehave.shares_too", "misbehave.passes", "--jobs", "1"}).ending.exit,
            0);
  const auto seen = pids();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[1], seen[2]);
  EXPECT_EQ(observed("misbehave.shares").facts.at("answer"), 42);
}

TEST_F(Batches, IsolateAllGivesEachItsOwn) {
  run({"misbehave.shares", "misbehave.shares_too", "--isolate", "all", "--jobs", "1"});
  EXPECT_NE(pids().at(0), pids().at(1));
}

TEST_F(Batches, CrashCostsItsOwnCaseWhichRunsAgainAlone) {
  const Finished done = run({"misbehave.shares*", "--jobs", "1"});
  EXPECT_EQ(done.ending.exit, 0) << done.out;
  EXPECT_THAT(ends("misbehave.shares"), ElementsAre("1 first ok"));
  EXPECT_THAT(ends("misbehave.shares_and_crashes"), ElementsAre("1 first crash", "2 alone ok"));
  EXPECT_THAT(ends("misbehave.shares_too"), ElementsAre("1 first ok"));
  EXPECT_EQ(verdict("misbehave.shares_and_crashes"), "as_expected");
}

TEST_F(Batches, DirtIsLoggedAndTheRestGetsANewProcess) {
  run({"misbehave.shares_dirt", "misbehave.shares_last", "--jobs", "1"});
  EXPECT_NE(pids().at(0), pids().at(1));
  EXPECT_EQ(events("end").at(0).at("dirt"), nlohmann::json{"8 bytes are still allocated"});
  EXPECT_THAT(ends("misbehave.shares_last"), ElementsAre("1 first ok"));
}

TEST_F(Batches, SeedShufflesAlwaysInTheSameWay) {
  auto order = [&](const std::string& seed) {
    const auto file = folder / ("runs" + seed);
    fs::remove(file);
    run({"misbehave.shares*", "misbehave.passes", "--jobs", "1", "--shuffle", seed},
        {{"MISBEHAVE_RUNS", file}});
    return read_file(file);
  };
  const auto first = order("7");
  EXPECT_EQ(order("7"), first);
  EXPECT_THAT((std::vector<std::string>{order("1"), order("2"), order("3")}), testing::Contains(Not(first)));
}

TEST_F(Batches, RepeatedCaseHasOneVerdictOfAll) {
  EXPECT_EQ(run({"misbehave.passes", "--repeat", "3", "--jobs", "1"}).ending.exit, 0);
  EXPECT_THAT(ends("misbehave.passes"), ElementsAre("1 first ok", "2 repeat ok", "3 repeat ok"));
  EXPECT_EQ(events("verdict").at(0).at("n"), 3);
}

TEST_F(Batches, RetriesTellAFlakeFromAFailure) {
  const test::Environment once{{"MISBEHAVE_ONCE", folder / "once"}};
  const Finished flaky = run({"misbehave.fails_once", "--retry", "3", "--jobs", "1"}, once);
  EXPECT_EQ(flaky.ending.exit, 1);
  EXPECT_THAT(ends("misbehave.fails_once"),
              ElementsAre("1 first fail", "2 alone ok", "3 order ok", "4 load ok"));
  const auto verdict = events("verdict").at(0);
  EXPECT_EQ(verdict.at("verdict"), "flaky");
  EXPECT_EQ(verdict.at("k"), 3);
  EXPECT_THAT(verdict.at("reason").get<std::string>(), HasSubstr("30 to 95 % of runs"));
  run({"misbehave.fails", "--retry", "2"});
  EXPECT_EQ(this->verdict("misbehave.fails"), "regression");
}

TEST_F(Batches, StressSaysWhatIsStableAndWhatHasEarnedToShare) {
  const Finished done = run({"misbehave.passes", "misbehave.shares_and_crashes", "misbehave.shares_dirt",
                             "misbehave.fails_once", "misbehave.aborts", "misbehave.shares_too", "--stress"},
                            {{"MISBEHAVE_ONCE", folder / "once"}});
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("earned: misbehave.passes\n"), HasSubstr("earned: misbehave.shares_too\n"),
                    HasSubstr("not earned: misbehave.shares_and_crashes: in a batch"),
                    HasSubstr("not earned: misbehave.shares_dirt: it leaves dirt: 8 bytes"),
                    HasSubstr("unstable: misbehave.fails_once: "),
                    HasSubstr("not earned: misbehave.aborts: it crashes")));
  EXPECT_EQ(events("stress").at(0).at("earned"), true);
  EXPECT_EQ(verdict("misbehave.fails_once"), "flaky");
}

}  // namespace
}  // namespace cudasem
