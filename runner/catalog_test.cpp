#include "catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_folder.h"

namespace cudasem {
namespace {

namespace fs = std::filesystem;
using test::MisbehaveFolder;
using test::refusal;
using test::TestFolder;
using test::WithEnvironment;
using testing::AllOf;
using testing::HasSubstr;

Catalog load(const MisbehaveFolder& folder) {
  SubprocessSet set;
  return load_catalog(set, read_subject(folder.path()));
}

/// A folder `torch` with a lib and a version, as a wheel installs it.
struct FakeTorch : TestFolder {
  explicit FakeTorch(const std::string& version) {
    write("torch/lib/libtorch.so", "");
    write("torch/version.py",
          "__all__ = ['__version__', 'debug']\n__version__ = '" + version + "'\ndebug = False\n");
  }
  fs::path torch() const { return path() / "torch"; }
};

TEST(Catalog, KnowsEveryCaseOfEveryBinary) {
  const MisbehaveFolder folder;
  const Catalog catalog = load(folder);
  ASSERT_GT(catalog.cases.size(), 30u);
  EXPECT_EQ(catalog.cases[0].info.name, "misbehave.passes");
  EXPECT_EQ(catalog.cases[0].area, "misbehave");
  EXPECT_TRUE(catalog.uncompiled.empty());
}

TEST(Catalog, CaseListedTwiceIsRefused) {
  const MisbehaveFolder folder;
  BuiltFor twice = read_subject(folder.path());
  twice.areas.push_back(twice.areas.front());
  SubprocessSet set;
  EXPECT_THAT(refusal([&] { load_catalog(set, twice); }), HasSubstr("listed twice"));
}

TEST(Catalog, WithoutSubjectJsonSaysHowToBuild) {
  const TestFolder folder;
  EXPECT_THAT(refusal([&] { read_subject(folder.path()); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("ci/setup"), HasSubstr("--cases")));
}

TEST(Catalog, BrokenSubjectJsonIsNamed) {
  const TestFolder folder;
  folder.write("subject.json", "{\"torch\": 3}");
  EXPECT_THAT(refusal([&] { read_subject(folder.path()); }), HasSubstr("subject.json"));
}

TEST(Catalog, AreaWithoutBinaryIsUncompiledWithItsFirstError) {
  MisbehaveFolder folder;
  folder.write("build.log",
               "[1/9] Building\n"
               "FAILED: cases/CMakeFiles/cudasem_replay.dir/replay/x.cpp.o\n"
               "/src/cases/replay/x.cpp:3:1: error: another area\n"
               "FAILED: cases/CMakeFiles/cudasem_capture.dir/capture/y.cpp.o\n"
               "clang++ -c y.cpp\n"
               "/torch/include/graph.h:7:1: error: no member named 'capture_end'\n"
               "/src/cases/capture/y.cpp:9:1: error: second\n");
  folder.subject["areas"] = {"capture", "misbehave"};
  folder.subject["build_log"] = folder / "build.log";
  folder.save();
  const Catalog catalog = load(folder);
  ASSERT_EQ(catalog.uncompiled.size(), 1u);
  EXPECT_EQ(catalog.uncompiled[0].area, "capture");
  EXPECT_EQ(catalog.uncompiled[0].text, "/torch/include/graph.h:7:1: error: no member named 'capture_end'");
  EXPECT_GT(catalog.cases.size(), 30u);
}

TEST(Catalog, ErrorOfAnAreaWhoseNameOnlyBeginsAlikeIsNotTaken) {
  EXPECT_EQ(first_error("FAILED: cudasem_streams_more\nx: error: no\n", "streams"), "");
  EXPECT_EQ(first_error("FAILED: cudasem_streams\nld: error: yes\n", "streams"), "ld: error: yes");
}

TEST(Catalog, BinaryThatRefusesTheLibtorchSaysWhichItWants) {
  const MisbehaveFolder folder;
  const WithEnvironment mode{{"MISBEHAVE_LIST", "wrong_torch"}};
  EXPECT_THAT(refusal([&] { load(folder); }), AllOf(HasSubstr("built for torch 2.14.1"),
                                                    HasSubstr("loaded with 2.11.0"), HasSubstr("--torch")));
}

TEST(Catalog, AnswerThatIsNoJsonIsShown) {
  const MisbehaveFolder folder;
  const WithEnvironment mode{{"MISBEHAVE_LIST", "garbage"}};
  EXPECT_THAT(refusal([&] { load(folder); }),
              AllOf(HasSubstr("--list"), HasSubstr("terminate called after")));
}

TEST(Catalog, NewerProtocolIsRefused) {
  const MisbehaveFolder folder;
  const WithEnvironment mode{{"MISBEHAVE_LIST", "newer"}};
  EXPECT_THAT(refusal([&] { load(folder); }), HasSubstr("speaks record protocol 2, this cudasem speaks 1"));
}

TEST(Libtorch, OfTheRightReleaseIsAccepted) {
  const FakeTorch torch("2.14.1+cu130");
  BuiltFor built{.torch = "2.14.1", .torch_lib = torch.torch() / "lib"};
  check_torch(built);
  EXPECT_EQ(torch_in_use(built), "2.14.1+cu130");
}

TEST(Libtorch, OfAnotherReleaseIsRefusedWithBothVersions) {
  const FakeTorch torch("2.11.0+cu130");
  BuiltFor built{.torch = "2.14.1+cu130", .torch_lib = torch.torch() / "lib"};
  EXPECT_THAT(
      refusal([&] { check_torch(built); }),
      AllOf(HasSubstr("built for torch 2.14.1+cu130, found 2.11.0+cu130 in " + torch.torch().string()),
            HasSubstr("--torch")));
}

TEST(Libtorch, ThatIsNotThereIsNamed) {
  BuiltFor built{.torch = "2.14.1", .torch_lib = "/nowhere/torch/lib"};
  EXPECT_THAT(refusal([&] { check_torch(built); }),
              AllOf(HasSubstr("/nowhere/torch/lib"), HasSubstr("ci/setup")));
}

TEST(Libtorch, CanBeNamedByItsFolderOrItsLibFolder) {
  const FakeTorch torch("2.14.1");
  fs::create_directories(torch / "nvidia/cu13/lib");
  for (const fs::path& given : {torch.torch(), torch.torch() / "lib"}) {
    BuiltFor built{.torch = "2.14.1", .torch_lib = "/old/lib", .cuda_lib = "/old/cuda"};
    use_torch(built, given);
    EXPECT_EQ(built.torch_lib, torch.torch() / "lib");
    EXPECT_EQ(built.cuda_lib, torch.path() / "nvidia/cu13/lib");
  }
}

TEST(Libtorch, FoldersComeBeforeTheOldLibraryPath) {
  const WithEnvironment old{{"LD_LIBRARY_PATH", "/old"}};
  BuiltFor built{.torch_lib = "/t/lib", .cuda_lib = "/c/lib"};
  EXPECT_EQ(library_environment(built).at("LD_LIBRARY_PATH"), "/t/lib:/c/lib:/old");
}

}  // namespace
}  // namespace cudasem
