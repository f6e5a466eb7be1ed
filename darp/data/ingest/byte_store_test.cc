#include "darp/data/ingest/byte_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/memory_store.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// A new folder that goes away with its test.
class FolderStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / fmt::format("{}-{}", test->name(), ::getpid());
    fs::remove_all(folder_);
    put("a/x", "one");
    put("a/b/y", "three");
    put("z", "");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& key, std::string_view text) {
    fs::create_directories((folder_ / key).parent_path());
    write_file(folder_ / key, text);
  }

  fs::path folder_;
};

std::string text(const ByteStore& store, std::string_view key) {
  const auto value = store.read(key);
  return value ? std::string(as_text(value->bytes())) : "nothing";
}

/// What any store holding the three values above must answer.
void expect_contents(const ByteStore& store) {
  EXPECT_EQ(text(store, "a/x"), "one");
  EXPECT_EQ(text(store, "a/b/y"), "three");
  EXPECT_EQ(text(store, "z"), "");
  EXPECT_EQ(text(store, "a/nowhere"), "nothing");
  EXPECT_EQ(text(store, "z/below_a_value"), "nothing");
  EXPECT_TRUE(store.contains("a/b/y"));
  EXPECT_FALSE(store.contains("a/b"));
  EXPECT_EQ(store.children(""), (std::vector<std::string>{"a", "z"}));
  EXPECT_EQ(store.children("a"), (std::vector<std::string>{"b", "x"}));
  EXPECT_EQ(store.children("nowhere"), std::vector<std::string>());
  EXPECT_EQ(store.stored_bytes(""), 8u);
  EXPECT_EQ(store.stored_bytes("a/b"), 5u);
  EXPECT_EQ(store.stored_bytes("nowhere"), 0u);
}

TEST_F(FolderStoreTest, AnswersForItsFiles) {
  expect_contents(FolderStore(folder_));
}

TEST(MemoryStore, AnswersAsAFolderDoes) {
  MemoryStore store;
  store.put("a/x", "one");
  store.put("a/b/y", "three");
  store.put("z", "");
  expect_contents(store);
}

TEST_F(FolderStoreTest, KeysDoNotLeaveTheFolder) {
  const FolderStore store(folder_ / "a");
  const std::string zero("a\0b", 3);
  for (const std::string& key : {std::string("../z"), std::string("b/../../z"), std::string(".."),
                                 std::string("./x"), std::string("/etc/passwd"),
                                 std::string("b//y"), std::string("b/"), std::string("/"), zero}) {
    EXPECT_THROW(store.read(key), Error) << key;
    EXPECT_THROW(store.contains(key), Error) << key;
    EXPECT_THROW(store.children(key), Error) << key;
    EXPECT_THROW(store.stored_bytes(key), Error) << key;
  }
}

TEST_F(FolderStoreTest, FollowsLinksToFilesAndFolders) {
  fs::create_symlink(folder_ / "a" / "x", folder_ / "file_link");
  fs::create_directory_symlink(folder_ / "a" / "b", folder_ / "folder_link");
  const FolderStore store(folder_);
  EXPECT_EQ(text(store, "file_link"), "one");
  EXPECT_EQ(text(store, "folder_link/y"), "three");
  EXPECT_EQ(store.stored_bytes("folder_link"), 5u);
}

TEST_F(FolderStoreTest, CountsBytesInSpiteOfCircularLinks) {
  fs::create_directory_symlink(folder_ / "a", folder_ / "a" / "again");
  EXPECT_EQ(FolderStore(folder_).stored_bytes("a"), 8u);
}

TEST_F(FolderStoreTest, RefusesFoldersAndPipesAsValues) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const FolderStore store(folder_);
  EXPECT_THROW(store.read("a"), Error);
  EXPECT_THROW(store.read("pipe"), Error);
  EXPECT_FALSE(store.contains("pipe"));
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THROW(store.read("loop"), Error);
  EXPECT_THROW(store.read(std::string(5000, 'n')), Error);
}

TEST_F(FolderStoreTest, NeedsAFolder) {
  EXPECT_THROW(FolderStore(folder_ / "nowhere"), Error);
  EXPECT_THROW(FolderStore(folder_ / "z"), Error);
}

TEST(StoredBytes, OwnOrViewTheirBytes) {
  const std::string text = "kept elsewhere";
  EXPECT_EQ(StoredBytes(as_byte_span(text)).bytes().data(), as_byte_span(text).data());
  StoredBytes own(std::vector<std::byte>(3, std::byte{7}));
  const StoredBytes moved = std::move(own);
  EXPECT_EQ(moved.bytes().size(), 3u);
  EXPECT_EQ(moved.bytes()[2], std::byte{7});
}

}  // namespace
}  // namespace darp
