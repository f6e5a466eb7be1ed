#include "darp/core/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

namespace darp {
namespace {

namespace fs = std::filesystem;

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "darp_file_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path at(std::string_view name) const { return folder_ / name; }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string content(const fs::path& path) {
    return std::string(as_text(MappedFile(path).bytes()));
  }
  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(File, MapsWhatWasWritten) {
  const std::string text("a\0b\n", 4);
  write_file(at("x"), text);
  EXPECT_EQ(content(at("x")), text);
  MappedFile file(at("x"));
  const MappedFile moved = std::move(file);
  EXPECT_EQ(as_text(moved.bytes()), text);
  EXPECT_TRUE(file.bytes().empty());  // NOLINT: what is left behind is the point
}

TEST_F(File, AnEmptyFileMapsToNoBytes) {
  write_file(at("empty"), "");
  EXPECT_TRUE(MappedFile(at("empty")).bytes().empty());
}

TEST_F(File, AMappingOutlivesItsReplacement) {
  write_file(at("x"), "old");
  const MappedFile file(at("x"));
  write_file(at("x"), "new and longer");
  EXPECT_EQ(as_text(file.bytes()), "old");
}

TEST_F(File, WhatCannotBeMappedIsAnError) {
  const std::string missing = error_of([&] { MappedFile{at("missing")}; });
  EXPECT_EQ(missing, at("missing").string() +
                         ": cannot be opened: No such file or directory; check the path and its "
                         "permissions");
  EXPECT_NE(error_of([&] { MappedFile{folder_}; }).find("is not a regular file"),
            std::string::npos);
}

TEST_F(File, APipeIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { MappedFile{at("pipe")}; }).find("is not a regular file"),
            std::string::npos);
}

TEST_F(File, ADeviceOrAPipeIsNotReplaced) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { write_file(at("pipe"), "x"); }).find("is a device or a pipe"),
            std::string::npos);
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, CommitReplacesAndLeavesNoTemporary) {
  write_file(at("x"), "old");
  AtomicFile file(at("x"));
  file.write("new ");
  file.write("text");
  EXPECT_EQ(content(at("x")), "old");
  file.commit();
  EXPECT_EQ(content(at("x")), "new text");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, WithoutCommitTheOldFileStaysAndNothingElse) {
  write_file(at("x"), "old");
  {
    AtomicFile file(at("x"));
    file.write("new");
    EXPECT_EQ(entries(), 2u);
  }
  EXPECT_EQ(content(at("x")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, OthersMayWriteThroughTheDescriptor) {
  AtomicFile file(at("x"));
  EXPECT_EQ(::ftruncate(file.descriptor(), 3), 0);
  file.commit();
  EXPECT_EQ(content(at("x")), std::string(3, '\0'));
}

TEST_F(File, TwoWritersOfOneFileDoNotMix) {
  AtomicFile first(at("x")), second(at("x"));
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(content(at("x")), "first");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, ASymbolicLinkIsFollowed) {
  fs::create_directory(at("real"));
  write_file(at("real/x"), "old");
  fs::create_symlink("real/x", at("link"));
  write_file(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content(at("real/x")), "new");
}

TEST_F(File, ALinkToNothingMakesItsTarget) {
  fs::create_symlink("later", at("link"));
  write_file(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content(at("later")), "new");
}

TEST_F(File, ALinkToItselfIsAnError) {
  fs::create_symlink("loop", at("loop"));
  EXPECT_NE(error_of([&] { AtomicFile{at("loop")}; }).find("symbolic link"), std::string::npos);
  EXPECT_THROW(MappedFile{at("loop")}, Error);
}

TEST_F(File, WhatCannotBeWrittenIsAnErrorAndLeavesNothing) {
  const std::string missing = error_of([&] { AtomicFile{at("missing/x")}; });
  EXPECT_NE(missing.find("missing/x: cannot be written: No such file or directory; check that the "
                         "folder exists"),
            std::string::npos)
      << missing;
  EXPECT_NE(error_of([&] { AtomicFile{at("")}; }).find("is a folder"), std::string::npos);
  fs::create_directory(at("folder"));
  EXPECT_THROW(write_file(at("folder"), "x"), Error);
  EXPECT_THROW(AtomicFile{""}, Error);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, AFileInTheCurrentFolderNeedsNoPath) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_file("plain", "x");
  fs::current_path(before);
  EXPECT_EQ(content(at("plain")), "x");
}

}  // namespace
}  // namespace darp
