#include "darp/core/append_file.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

class AppendFileTest : public ::testing::Test {
 protected:
  const fs::path path_ = test_folder() / "file.log";

  std::string content() {
    const MappedFile file(path_);
    return std::string(as_text(file.bytes()));
  }
};

TEST_F(AppendFileTest, GrowsAtItsEndAndKnowsItsSize) {
  AppendFile file(path_, 0);
  file.append(as_byte_span("one"));
  EXPECT_EQ(file.position(), 3);
  file.append(as_byte_span("two"));
  EXPECT_EQ(file.sync(), 6);
  EXPECT_EQ(content(), "onetwo");
}

TEST_F(AppendFileTest, CutsWhatLiesBehindThePosition) {
  write_file(path_, "first second thi");
  AppendFile file(path_, 6);
  EXPECT_EQ(content(), "first ");
  file.append(as_byte_span("again"));
  EXPECT_EQ(content(), "first again");
}

TEST_F(AppendFileTest, RefusesAFileThatIsShorterThanItsPosition) {
  write_file(path_, "first");
  EXPECT_SAYS(error_of([&] { AppendFile file(path_, 6); }),
              "has 5 bytes where the checkpoint counts on 6");
  EXPECT_EQ(content(), "first");
}

TEST_F(AppendFileTest, RefusesWhatIsNoFile) {
  EXPECT_SAYS(error_of([&] { AppendFile file(::testing::TempDir(), 0); }), "cannot be written");
  EXPECT_SAYS(error_of([&] { AppendFile file("/dev/null", 0); }), "not a regular file");
  EXPECT_SAYS(error_of([&] { AppendFile file(path_ / "none" / "x", 0); }), "folder exists");
}

}  // namespace
}  // namespace darp
