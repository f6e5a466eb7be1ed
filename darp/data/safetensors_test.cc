#include "darp/data/safetensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "darp/core/rng.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

using File = std::vector<std::byte>;

bool same_content(const SafetensorsFile& a, const SafetensorsFile& b) {
  return a.metadata() == b.metadata() &&
         std::ranges::equal(a.tensors(), b.tensors(),
                            [](const auto& x, const auto& y) { return same_bits(x, y); });
}

/// A file with this header as it stands, and `data_bytes` zeros after it.
File file_of(std::string_view header, size_t data_bytes) {
  return ByteWriter()
      .write(uint64_t{header.size()})
      .append(header)
      .append(std::string(data_bytes, '\0'))
      .release();
}

/// The message with which a file is refused, or empty when it is accepted.
std::string refusal(const File& file, const SafetensorsOptions& options = {}) {
  try {
    SafetensorsFile::parse(file, "test.safetensors", options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

#define EXPECT_REFUSED(file, reason)                                                      \
  do {                                                                                    \
    const std::string message = refusal(file);                                            \
    EXPECT_NE(message.find(reason), std::string::npos) << "got: '" << message << "'";     \
    EXPECT_NE(message.find("test.safetensors"), std::string::npos) << "lacks the source"; \
  } while (false)

template <class T>
TensorView tensor_of(std::string name, Dtype dtype, std::vector<uint64_t> shape,
                     const std::vector<T>& values) {
  return {std::move(name), dtype, std::move(shape), std::as_bytes(std::span(values))};
}

/// Small, but with two tensors, an empty one, metadata and a character beyond ASCII.
File small_file() {
  static const std::vector<float> weights{0.5f, -1.25f};
  static const std::vector<uint8_t> flags{1, 0, 7};
  return safetensors_bytes({{"k", "2\n\xC3\xA9"}},
                           std::vector{tensor_of("w", Dtype::kF32, {2, 1}, weights),
                                       tensor_of<float>("e", Dtype::kF32, {0}, {}),
                                       tensor_of("b", Dtype::kU8, {3}, flags)});
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("safetensors_test_" + name);
}

struct RandomContent {
  SafetensorsMetadata metadata;
  std::vector<std::vector<std::byte>> storage;
  std::vector<TensorView> tensors;
};

RandomContent random_content(Rng rng) {
  RandomContent content;
  for (uint64_t i = rng.below(4); i > 0; --i) {
    std::string value;
    for (uint64_t j = rng.below(20); j > 0; --j) value += static_cast<char>(rng.below(128));
    content.metadata[fmt::format("key \"{}\"", i)] = value;
  }
  for (uint64_t i = rng.below(6); i > 0; --i) {
    const auto dtype = static_cast<Dtype>(rng.below(dtype_names().size()));
    std::vector<uint64_t> shape(rng.below(4));
    for (uint64_t& dimension : shape) dimension = rng.below(6);
    std::vector<std::byte> bytes(*tensor_bytes(dtype, shape));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
    // Without the highest bit of the exponent every pattern is a finite number.
    const size_t size = dtype_size(dtype);
    if (dtype_name(dtype).find('F') != std::string_view::npos)
      for (size_t j = size - 1; j < bytes.size(); j += size) bytes[j] &= std::byte{0xBF};
    content.storage.push_back(std::move(bytes));
    content.tensors.push_back(
        {fmt::format("layer.{}\xE2\x82\xAC", i), dtype, shape, content.storage.back()});
  }
  return content;
}

TEST(Safetensors, KeepsEveryBitInARoundTrip) {
  const std::filesystem::path path = temporary("round_trip");
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomContent content = random_content(Rng(seed));
    write_safetensors(path, content.metadata, content.tensors);
    const SafetensorsFile file = SafetensorsFile::open(path, {.require_checksum = true});
    EXPECT_EQ(file.metadata(), content.metadata);
    EXPECT_EQ(file.checksum().size(), 32u);
    ASSERT_EQ(file.tensors().size(), content.tensors.size());
    for (size_t i = 0; i < content.tensors.size(); ++i) {
      const TensorView& tensor = file.tensors()[i];
      EXPECT_TRUE(same_bits(tensor, content.tensors[i])) << "seed " << seed;
      EXPECT_EQ(&file.get(tensor.name), &tensor);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data.data()) % dtype_size(tensor.dtype), 0u);
    }
  }
  std::filesystem::remove(path);
}

TEST(Safetensors, WritesTheSameAlignedBytesToDiskAndToMemory) {
  const std::filesystem::path path = temporary("same_bytes");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const RandomContent content = random_content(Rng(seed));
    write_safetensors(path, content.metadata, content.tensors);
    const MappedFile mapped(path);
    const File bytes = safetensors_bytes(content.metadata, content.tensors);
    EXPECT_TRUE(std::ranges::equal(mapped.bytes(), bytes));
    EXPECT_EQ((8 + ByteReader(bytes, "").read<uint64_t>()) % 64, 0u);
  }
  std::filesystem::remove(path);
}

TEST(Safetensors, RefusesEveryTruncation) {
  const File file = small_file();
  EXPECT_EQ(refusal(file), "");
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(refusal(File(file.begin(), file.begin() + static_cast<ptrdiff_t>(size))), "") << size;
  File longer = file;
  longer.push_back({});
  EXPECT_REFUSED(longer, "data bytes where its tensors take");
}

TEST(Safetensors, NoticesEveryChangeOfOneByteByItsChecksum) {
  File file = small_file();
  const File intact = file;
  const SafetensorsFile original = SafetensorsFile::parse(intact, "original");
  size_t refused = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      file[i] = intact[i] ^ static_cast<std::byte>(change);
      try {
        const auto changed = SafetensorsFile::parse(file, "changed", {.require_checksum = true});
        ASSERT_TRUE(same_content(original, changed)) << "byte " << i << " change " << change;
      } catch (const Error&) {
        ++refused;
      }
    }
    file[i] = intact[i];
  }
  // Only the spelling of an escape sequence may differ unnoticed, and there is none with a choice.
  EXPECT_EQ(refused, file.size() * 255);
}

TEST(Safetensors, GivesAnErrorOrSoundTensorsForEveryChangeWithoutAChecksum) {
  const std::string_view header =
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"U16","shape":[1,2],"data_offsets":[8,12]},"__metadata__":{"k":"v"}} )";
  const File intact = file_of(header, 12);
  ASSERT_EQ(refusal(intact), "");
  File file = intact;
  size_t accepted = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      file[i] = intact[i] ^ static_cast<std::byte>(change);
      try {
        const SafetensorsFile changed = SafetensorsFile::parse(file, "changed");
        ++accepted;
        size_t total = 0;
        for (const TensorView& tensor : changed.tensors()) {
          ASSERT_EQ(tensor_bytes(tensor.dtype, tensor.shape), tensor.data.size());
          total += tensor.data.size();
        }
        ASSERT_EQ(total, 12u);
      } catch (const Error&) {
      }
    }
    file[i] = intact[i];
  }
  EXPECT_GT(accepted, 0u);
}

TEST(Safetensors, WantsAChecksumWhenAskedTo) {
  const File plain = file_of("{}", 0);
  EXPECT_EQ(refusal(plain), "");
  EXPECT_NE(refusal(plain, {.require_checksum = true}).find("darp.checksum"), std::string::npos);
  EXPECT_REFUSED(file_of(R"({"__metadata__":{"darp.checksum":"0123"}})", 0), "checksum");
}

TEST(Safetensors, ReadsTheSmallestAndTheOddButLegalHeaders) {
  EXPECT_EQ(refusal(file_of("{}   ", 0)), "");
  EXPECT_EQ(refusal(file_of("{\n\t\"__metadata__\" : { } }", 0)), "");
  EXPECT_EQ(refusal(file_of(R"({"":{"shape":[],"data_offsets":[0,1],"dtype":"BOOL"}})", 1)), "");
  const File unsorted = file_of(R"({"b":{"dtype":"I16","shape":[1],"data_offsets":[1,3]},)"
                                R"("z":{"dtype":"F64","shape":[7,0],"data_offsets":[1,1]},)"
                                R"("a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
                                3);
  const SafetensorsFile file = SafetensorsFile::parse(unsorted, "unsorted");
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(file.tensors()[1].name, "z");
  EXPECT_EQ(file.tensors()[2].name, "b");
}

TEST(Safetensors, RefusesABrokenLengthField) {
  EXPECT_REFUSED(File(7), "8 more bytes were promised");
  EXPECT_REFUSED(ByteWriter().write(uint64_t{3}).append("{}").release(), "3 more bytes");
  EXPECT_REFUSED(ByteWriter().write(uint64_t{100'000'001}).append("{}").release(), "100000000");
  EXPECT_REFUSED(ByteWriter().write(~uint64_t{0}).append("{}").release(), "100000000");
}

TEST(Safetensors, RefusesNumbersThatAreNotFiniteUnlessAllowed) {
  for (const std::string type : {"F64", "F32", "F16", "BF16"}) {
    const size_t size = dtype_size(*dtype_from_name(type));
    File file =
        file_of(fmt::format(R"({{"a":{{"dtype":"{}","shape":[2,2],"data_offsets":[0,{}]}}}})", type,
                            4 * size),
                4 * size);
    ASSERT_EQ(refusal(file), "");
    // All ones are a NaN in every type: the element before the last.
    std::fill(file.end() - static_cast<ptrdiff_t>(2 * size),
              file.end() - static_cast<ptrdiff_t>(size), std::byte{0xFF});
    EXPECT_REFUSED(file, "tensor 'a': element 2 of [2, 2] is NaN or infinite");
    EXPECT_EQ(refusal(file, {.allow_nonfinite = true}), "");
  }
}

TEST(Safetensors, ReadsFloatsWhereverTheyLie) {
  const std::vector<float> values{1.5f, -2.25f, 1e-40f};
  for (size_t shift = 0; shift < 8; ++shift) {
    const std::string header =
        R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})" + std::string(shift, ' ');
    const File bytes = ByteWriter()
                           .write(uint64_t{header.size()})
                           .append(header)
                           .append(std::as_bytes(std::span(values)))
                           .release();
    auto original = std::make_unique<SafetensorsFile>(SafetensorsFile::parse(bytes, "shifted"));
    const SafetensorsFile file = *original;
    original.reset();
    EXPECT_TRUE(std::ranges::equal(file.floats("w"), values));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file.floats("w").data()) % alignof(float), 0u);
    EXPECT_EQ(file.read_floats("w"), values);
  }
}

TEST(Safetensors, GivesAViewOfF32AndConvertsOnlyInCopies) {
  const std::vector<double> doubles{0.5, 3};
  const std::vector<int64_t> integers{1};
  const File bytes =
      safetensors_bytes({}, std::vector{tensor_of("double", Dtype::kF64, {2}, doubles),
                                        tensor_of("whole", Dtype::kI64, {}, integers)});
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "types");
  EXPECT_EQ(file.read_floats("double"), (std::vector<float>{0.5f, 3}));
  EXPECT_THROW(file.floats("double"), Error);
  EXPECT_THROW(file.floats("whole"), Error);
  EXPECT_THROW(file.read_floats("whole"), Error);
}

TEST(Safetensors, NamesTheNearestTensorWhenOneIsMissing) {
  const std::vector<float> one{1};
  const File bytes =
      safetensors_bytes({}, std::vector{tensor_of("layers.0.weight", Dtype::kF32, {1}, one)});
  const SafetensorsFile file = SafetensorsFile::parse(bytes, "policy.safetensors");
  EXPECT_EQ(file.find("layers.0.wieght"), nullptr);
  try {
    file.get("layers.0.wieght");
    ADD_FAILURE() << "found a tensor that is not there";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("policy.safetensors"), std::string::npos) << message;
    EXPECT_NE(message.find("did you mean 'layers.0.weight'?"), std::string::npos) << message;
  }
}

TEST(Safetensors, WritesNothingWhenTheContentIsWrong) {
  const std::filesystem::path path = temporary("refused");
  const std::vector<float> good{1, 2}, bad{1, std::numeric_limits<float>::infinity()};
  const auto refuses = [&](const SafetensorsMetadata& metadata, std::vector<TensorView> tensors) {
    EXPECT_THROW(write_safetensors(path, metadata, tensors), Error);
    EXPECT_FALSE(std::filesystem::exists(path));
  };
  const TensorView fine = tensor_of("w", Dtype::kF32, {2}, good);
  refuses({}, {fine, fine});
  refuses({}, {tensor_of("__metadata__", Dtype::kF32, {2}, good)});
  refuses({}, {tensor_of("w", Dtype::kF32, {3}, good)});
  refuses({}, {tensor_of("w", Dtype::kF64, {2}, good)});
  refuses({}, {tensor_of("w", Dtype::kF32, {uint64_t{1} << 62, 2}, good)});
  refuses({}, {tensor_of("w", Dtype::kF32, {2}, bad)});
  refuses({}, {tensor_of("\xFF", Dtype::kF32, {2}, good)});
  refuses({{"\xFF", ""}}, {fine});
  refuses({{"k", "\xED\xA0\x80"}}, {fine});
  refuses({{"darp.checksum", "mine"}}, {fine});
  write_safetensors(path, {}, std::vector{fine});
  EXPECT_TRUE(std::filesystem::remove(path));
}

TEST(Safetensors, RefusesPathsThatAreNoFiles) {
  EXPECT_THROW(SafetensorsFile::open(temporary("absent")), Error);
  EXPECT_THROW(SafetensorsFile::open(::testing::TempDir()), Error);
  write_file(temporary("empty"), "");
  EXPECT_THROW(SafetensorsFile::open(temporary("empty")), Error);
  std::filesystem::remove(temporary("empty"));
}

TEST(Safetensors, ReadsFilesOfTheReferenceImplementation) {
  DARP_REQUIRE_REFERENCE("weights");
  const std::filesystem::path folder = reference_dir() / "weights";
  const SafetensorsFile policy = SafetensorsFile::open(folder / "hopper-darp.safetensors");
  const TensorView& weight = policy.get("layers.0.linear.weight");
  EXPECT_EQ(weight.dtype, Dtype::kF32);
  EXPECT_EQ(weight.shape, (std::vector<uint64_t>{128, 25}));
  EXPECT_EQ(policy.floats("layers.0.linear.weight").size(), 128u * 25u);
  EXPECT_EQ(policy.metadata().at("retrieval.k"), "246");
  EXPECT_EQ(policy.checksum(), "");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    const SafetensorsFile file = SafetensorsFile::open(entry.path());
    EXPECT_FALSE(file.tensors().empty()) << entry.path();
    const File again = safetensors_bytes(file.metadata(), file.tensors());
    EXPECT_TRUE(same_content(file, SafetensorsFile::parse(again, "again"))) << entry.path();
  }
}

}  // namespace
}  // namespace darp
