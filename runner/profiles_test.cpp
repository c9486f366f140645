#include "profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class Profiles : public testing::Test {
 protected:
  test::WithEnvironment clean_{{"PYTORCH_CUDA_ALLOC_CONF", ""},
                               {"PYTORCH_ALLOC_CONF", ""},
                               {"PYTORCH_NO_CUDA_MEMORY_CACHING", ""},
                               {"CUDA_LAUNCH_BLOCKING", ""}};
};

TEST_F(Profiles, SetTheirVariables) {
  EXPECT_THAT(enter_profile("expandable_segments"),
              UnorderedElementsAre(Pair("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")));
  EXPECT_STREQ(getenv("PYTORCH_CUDA_ALLOC_CONF"), "expandable_segments:True");
  enter_profile("launch_blocking");
  EXPECT_STREQ(getenv("CUDA_LAUNCH_BLOCKING"), "1");
}

TEST_F(Profiles, NativeAndLabelsSetNothing) {
  EXPECT_THAT(enter_profile("native"), IsEmpty());
  EXPECT_THAT(enter_profile("our_cluster"), IsEmpty());
  EXPECT_EQ(not_native(), "");
}

TEST_F(Profiles, NativeWarnsOfWhatIsSet) {
  enter_profile("no_caching");
  EXPECT_THAT(not_native(), HasSubstr("PYTORCH_NO_CUDA_MEMORY_CACHING=1 is set"));
}

TEST_F(Profiles, KnowWhatTurnsCachingOff) {
  EXPECT_EQ(caching_turned_off_by(), "");
  enter_profile("cuda_malloc_async");
  EXPECT_EQ(caching_turned_off_by(), "backend:cudaMallocAsync");
  enter_profile("no_caching");
  EXPECT_EQ(caching_turned_off_by(), "PYTORCH_NO_CUDA_MEMORY_CACHING");
}

}  // namespace
}  // namespace cudasem
