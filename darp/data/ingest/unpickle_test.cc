#include "darp/data/ingest/unpickle.h"

#include <gtest/gtest.h>

#include <limits>

#include "darp/core/rng.h"
#include "darp/data/ingest/pickle_text.h"

namespace darp {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

Pickle load(const std::string& file) {
  return unpickle(as_byte_span(file), "x.pkl");
}

std::string error_of(const std::string& file) {
  try {
    load(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
T value_of(const std::string& file) {
  const Pickle pickle = load(file);
  const T* value = pickle.root->get<T>();
  EXPECT_NE(value, nullptr) << pickle.root->kind_name();
  return value ? *value : T{};
}

/// Text or bytes of either Python.
std::string string_of(const std::string& file) {
  const Pickle pickle = load(file);
  if (const auto text = pickle.root->text()) return std::string(*text);
  if (const auto bytes = pickle.root->bytes()) return std::string(as_text(*bytes));
  return "not a string";
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The parts of an array as protocol 3 writes them.
const std::string kNewArray =
    "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\0\x85"s + "C\x01"s + "btR"s;
const std::string kFloatType =
    "cnumpy\ndtype\n(X\2\0\0\0f4\x89\x88tR(K\3X\1\0\0\0<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"s;
const std::string kTwoFloats = "C\x08\0\0\x80?\0\0\0@"s;

TEST(Unpickle, ReadsIntegersOfEverySpelling) {
  EXPECT_EQ(value_of<int64_t>("K\xff."), 255);
  EXPECT_EQ(value_of<int64_t>("M\x01\x02."), 0x201);
  EXPECT_EQ(value_of<int64_t>("J\xfe\xff\xff\xff."), -2);
  EXPECT_EQ(value_of<int64_t>("I-17\n."), -17);
  EXPECT_EQ(value_of<int64_t>("L123L\n."), 123);
  EXPECT_EQ(value_of<int64_t>("\x8a\0."s), 0);
  EXPECT_EQ(value_of<int64_t>("\x8a\2\0\xff."s), -256);
  EXPECT_EQ(value_of<int64_t>("\x8b\3\0\0\0\xff\xff\0."s), 0xFFFF);
  EXPECT_EQ(value_of<int64_t>("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."), INT64_MAX);
  EXPECT_EQ(value_of<int64_t>("\x8a\x09\0\0\0\0\0\0\0\x80\xff."s), INT64_MIN);
  for (const std::string& large :
       {"\x8a\x09\0\0\0\0\0\0\0\x80\0."s, "\x8a\x09\0\0\0\0\0\0\0\0\1."s,
        "\x8a\x09\0\0\0\0\0\0\0\0\xff."s, "L9223372036854775808L\n."s, "I9223372036854775808\n."s})
    EXPECT_TRUE(mentions(error_of(large), "x.pkl: byte 0: an integer")) << error_of(large);
}

TEST(Unpickle, DecodesEveryLongThatFits) {
  Rng rng(1);
  for (int round = 0; round < 1000; ++round) {
    const auto value = static_cast<int64_t>(rng.next_u64()) >> rng.below(64);
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &value, 8);
    // Drop bytes that only repeat the sign, as Python does, or add more of them.
    const char sign = value < 0 ? '\xff' : '\0';
    while (bytes.size() > 1 && bytes.back() == sign &&
           ((bytes[bytes.size() - 2] ^ sign) & 0x80) == 0)
      bytes.pop_back();
    ASSERT_EQ(decode_long(as_byte_span(bytes)), value);
    ASSERT_EQ(decode_long(as_byte_span(bytes + std::string(rng.below(12), sign))), value);
  }
}

TEST(Unpickle, ReadsBoolNoneAndFloats) {
  EXPECT_TRUE(value_of<bool>("\x88."));
  EXPECT_FALSE(value_of<bool>("\x89."));
  EXPECT_TRUE(value_of<bool>("I01\n."));
  EXPECT_FALSE(value_of<bool>("I00\n."));
  EXPECT_NE(load("N.").root->get<PickleNone>(), nullptr);
  EXPECT_EQ(value_of<double>("G\xbf\xf8\0\0\0\0\0\0."s), -1.5);
  EXPECT_EQ(value_of<double>("F-1.5e3\n."), -1500);
  EXPECT_EQ(value_of<double>("Finf\n."), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(mentions(error_of("F1.5x\n."), "a float that is none"));
}

TEST(Unpickle, ReadsStringsOfEverySpelling) {
  EXPECT_EQ(string_of("\x8c\x03"s + "a\xc3\xa9."), "aé");
  EXPECT_EQ(string_of("X\1\0\0\0a."s), "a");
  EXPECT_EQ(string_of("\x8d\1\0\0\0\0\0\0\0a."s), "a");
  EXPECT_EQ(string_of("Va\xe9\\u20ac\\U0001f600\\n\n."), "aé€\U0001F600\\n");
  EXPECT_EQ(string_of("S'a\\'\\\\\\n\\x00\"'\n."), "a'\\\n\0\""s);
  EXPECT_EQ(string_of("S\"it's\"\n."), "it's");
  EXPECT_EQ(string_of("U\2a\xff."), "a\xff");
  EXPECT_EQ(string_of("T\2\0\0\0a\xff."s), "a\xff");
  EXPECT_EQ(string_of("C\2a\xff."), "a\xff");
  EXPECT_EQ(string_of("B\1\0\0\0a."s), "a");
  EXPECT_EQ(string_of("\x8e\1\0\0\0\0\0\0\0a."s), "a");
  EXPECT_EQ(string_of("\x96\1\0\0\0\0\0\0\0a."s), "a");
  for (const std::string& broken :
       {"\x8c\1\xff."s, "V\\u12\n."s, "V\\ud800\n."s, "V\\U00110000\n."s, "Sa\n."s, "S'\n."s,
        "S'a\"\n."s, "S'a'b'\n."s, "S'\\x1'\n."s, "S'\\'\n."s, "S'\\q'\n."s})
    EXPECT_TRUE(mentions(error_of(broken), "x.pkl: byte 0: ")) << error_of(broken);
}

TEST(Unpickle, LooksIntoTheFileInsteadOfCopying) {
  const std::string file =
      "C\x03"
      "abc.";
  const Pickle pickle = load(file);
  EXPECT_EQ(static_cast<const void*>(pickle.root->bytes()->data()), file.data() + 2);
}

TEST(Unpickle, EncodesLatin1TextOnly) {
  const std::string encode = "c_codecs\nencode\n";
  EXPECT_EQ(string_of(encode + "(Va\xe9\xff\nVlatin1\ntR."), "a\xe9\xff");
  EXPECT_TRUE(mentions(error_of(encode + "(V\\u0100\nVlatin1\ntR."), "not Latin-1"));
  EXPECT_TRUE(mentions(error_of(encode + "(Va\nVrot13\ntR."), "'latin1'"));
  EXPECT_TRUE(mentions(error_of(encode + "(Va\ntR."), "'latin1'"));
  EXPECT_TRUE(mentions(error_of(encode + "(K\1Vlatin1\ntR."), "'latin1'"));
}

TEST(Unpickle, BoundsWhatTextCanBeEncodedTo) {
  // One text of 1000 characters, encoded again and again by a few bytes each.
  std::string file =
      "](c_codecs\nencode\nq\0"s + "V" + std::string(1000, 'x') + "\nVlatin1\n\x86q\1R";
  for (int i = 0; i < 100; ++i) file += "h\0h\1R"s;
  EXPECT_TRUE(mentions(error_of(file + "e."), "more bytes than the file holds"));
  // Protocol 0 writes one byte for what is two in UTF-8; that is no reason to refuse it.
  const std::string once = "c_codecs\nencode\n(V" + std::string(1000, '\xe9') + "\nVlatin1\ntR.";
  EXPECT_EQ(string_of(once), std::string(1000, '\xe9'));
}

TEST(Unpickle, BuildsContainersByEveryOpcode) {
  // [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], each kind of tuple by its own opcode.
  const Pickle tuples = load(
      "])aK\1\x85"
      "aK\1K\2\x86"
      "a(K\1K\2K\3\x87(K\1K\2K\3K\4te.");
  const auto& list = tuples.root->get<PickleList>()->items;
  ASSERT_EQ(list.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const auto* tuple = list[i]->get<PickleTuple>();
    ASSERT_NE(tuple, nullptr);
    ASSERT_EQ(tuple->items.size(), i);
    for (size_t j = 0; j < i; ++j)
      EXPECT_EQ(*tuple->items[j]->get<int64_t>(), static_cast<int64_t>(j) + 1);
  }
  for (const char* file : {"(K\1K\2l.", "](K\1K\2e.", "]K\1aK\2a.",
                           "](NN1K\1aNN00K\2a("
                           "0."})
    EXPECT_EQ(load(file).root->get<PickleList>()->items.size(), 2u) << file;
  for (const char* file : {"(K\1K\2K\3K\4d.", "}(K\1K\2K\3K\4u.", "}K\1K\2sK\3K\4s."}) {
    const Pickle pickle = load(file);
    const auto& entries = pickle.root->get<PickleDict>()->entries;
    ASSERT_EQ(entries.size(), 2u) << file;
    EXPECT_EQ(*entries[1].first->get<int64_t>(), 3);
    EXPECT_EQ(*entries[1].second->get<int64_t>(), 4);
  }
}

TEST(Unpickle, KeepsSharedValuesSharedAndSurvivesCycles) {
  const Pickle shared = load("](]q\1h\1h\1e.");
  const auto& items = shared.root->get<PickleList>()->items;
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0], items[1]);
  EXPECT_EQ(items[0], items[2]);

  const Pickle cycle = load("]\x94h\0a."s);
  EXPECT_EQ(cycle.root->get<PickleList>()->items[0], cycle.root);
  // A tuple that holds itself through a list: Python pops what it began and recalls the memo.
  const Pickle tuple = load(
      "]\x94h\0\x85\x94"
      "a0h\1."s);
  EXPECT_NE(tuple.root->get<PickleTuple>(), nullptr);
}

TEST(Unpickle, SurvivesDeepNesting) {
  const size_t depth = 1 << 20;
  std::string file(depth, ']');
  file += std::string(depth - 1, 'a') + ".";
  EXPECT_EQ(load(file).root->get<PickleList>()->items.size(), 1u);
  EXPECT_NE(load("N" + std::string(depth, '\x85') + ".").root->get<PickleTuple>(), nullptr);
  EXPECT_TRUE(mentions(error_of(std::string(depth, '(') + "."), "exactly one value"));
}

TEST(Unpickle, ReadsArraysAsProtocol3WritesThem) {
  const std::string file = kNewArray + "(K\1K\2K\1\x86" + kFloatType + "\x89" + kTwoFloats + "tb.";
  const Pickle pickle = load(file);
  const PickleArray* array = pickle.root->array();
  ASSERT_NE(array, nullptr);
  EXPECT_TRUE(array->complete);
  EXPECT_EQ(array->view.type, (ElementType{'f', 4, false}));
  EXPECT_EQ(array->view.shape, (std::vector<uint64_t>{2, 1}));
  EXPECT_FALSE(array->view.fortran_order);
  EXPECT_EQ(as_text(array->view.bytes), "\0\0\x80?\0\0\0@"s);
}

TEST(Unpickle, ReadsNumpyScalarsAndBuffers) {
  const std::string scalar = "cnumpy.core.multiarray\nscalar\n(" + kFloatType + "C\4\0\0\x80?tR."s;
  EXPECT_TRUE(load(scalar).root->array()->view.shape.empty());
  const std::string buffer =
      "cnumpy._core.numeric\n_frombuffer\n(" + kTwoFloats + kFloatType + "K\2\x85X\1\0\0\0FtR."s;
  EXPECT_TRUE(load(buffer).root->array()->view.fortran_order);
}

TEST(Unpickle, RefusesEveryOtherGlobalByName) {
  const std::string message = error_of("cos\nsystem\n(S'true'\ntR.");
  EXPECT_TRUE(
      message.starts_with("x.pkl: byte 0: refuses to load 'os.system': only lists, dicts, strings, "
                          "numbers and numpy arrays are read; "))
      << message;
  EXPECT_TRUE(mentions(message, "NPZ or HDF5"));
  EXPECT_TRUE(mentions(error_of("\x8c\2os\x8c\6system\x93."), "refuses to load 'os.system'"));
  EXPECT_TRUE(mentions(error_of("(ios\nsystem\n."), "refuses to load 'os.system'"));
  for (const char* name : {"builtins\neval", "numpy\nload", "numpy.core.multiarray\nfromfile",
                           "_codecs\ndecode", "numpy\n", "\nndarray", "numpy\nndarray.tofile"})
    EXPECT_TRUE(mentions(error_of("c"s + name + "\n."), "refuses to load")) << name;
  // The name is hostile as well.
  EXPECT_TRUE(mentions(error_of("ca\x1b[2J\nb\n."), "'a\\x1b[2J.b'"));
}

TEST(Unpickle, RefusesObjectBuildingOpcodesByName) {
  const std::pair<std::string, const char*> cases[] = {
      {"K\1\x81.", "NEWOBJ"},   {"\x92.", "NEWOBJ_EX"},
      {"(o.", "OBJ"},           {"Pid\n.", "PERSID"},
      {"NQ.", "BINPERSID"},     {"\x82\1.", "EXT1"},
      {"\x83\1\1.", "EXT2"},    {"\x84\1\1\1\1.", "EXT4"},
      {"\x97.", "NEXT_BUFFER"}, {"\x98.", "READONLY_BUFFER"},
      {"\x8f.", "EMPTY_SET"},   {"(\x91.", "FROZENSET"},
      {"(\x90.", "ADDITEMS"},   {"N2.", "DUP"}};
  for (const auto& [file, name] : cases)
    EXPECT_TRUE(mentions(error_of(file), fmt::format("refuses opcode {} (0x", name)))
        << error_of(file);
}

TEST(Unpickle, NamesUnknownOpcodesWithByteAndPosition) {
  EXPECT_EQ(error_of("NN\xf7."),
            "x.pkl: byte 2: unknown pickle opcode 0xf7; the file is damaged or not a pickle: copy "
            "or create it again");
}

TEST(Unpickle, RefusesArraysThatNumpyWouldNotWrite) {
  const std::string state = "(K\1K\2\x85" + kFloatType + "\x89" + kTwoFloats + "tb";
  ASSERT_EQ(error_of(kNewArray + state + "."), "no error");
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string file = kNewArray + state + ".";
    const size_t at = file.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return error_of(file.replace(at, from.size(), to));
  };
  const std::string_view version = "(K\1", shape = "K\2\x85",
                         fortran =
                             "\x89"
                             "C",
                         order = "\1\0\0\0<"sv;
  EXPECT_TRUE(mentions(changed(version, "(K\2"), "an array whose state"));
  EXPECT_TRUE(mentions(changed(shape, "K\3\x85"), "has 8 bytes for shape (3)"));
  EXPECT_TRUE(mentions(changed(shape, "J\xfe\xff\xff\xff\x85"), "a dimension that is no size"));
  EXPECT_TRUE(mentions(changed(shape, "N\x85"), "a dimension that is no size"));
  EXPECT_TRUE(mentions(changed(shape, "K\2"), "shape is not a tuple"));
  EXPECT_TRUE(mentions(changed(shape, "(" + std::string(65, 'N') + "t"), "at most 64 dimensions"));
  EXPECT_TRUE(mentions(changed(fortran, "NC"), "bytes in a known order"));
  EXPECT_TRUE(mentions(changed(fortran, "\x89\x8c"), "bytes in a known order") ||
              mentions(changed(fortran, "\x89\x8c"), "not UTF-8"));
  EXPECT_TRUE(mentions(changed(order, "\1\0\0\0!"sv), "a dtype whose state"));
  EXPECT_TRUE(mentions(changed(order, "\1\0\0\0|"sv), "a dtype whose state"));
  EXPECT_EQ(changed(order, "\1\0\0\0="sv), "no error");
  EXPECT_TRUE(mentions(changed("f4", "O8"), "Python objects"));
  EXPECT_TRUE(mentions(changed("f4", "c8"), "elements of type"));
  EXPECT_TRUE(mentions(changed("f4\x89", "f4N"), "two flags"));
  EXPECT_TRUE(mentions(changed("C\1b", "C\1c"), "_reconstruct with arguments"));
  EXPECT_TRUE(mentions(changed("K\0\x85"sv, "K\1\x85"), "_reconstruct with arguments"));
  // An array and a type are completed once.
  EXPECT_TRUE(mentions(error_of(kNewArray + state + state + "."), "an array whose state"));
  EXPECT_TRUE(mentions(error_of("]N\x85"
                                "b."),
                       "sets the state of a list"));
  EXPECT_TRUE(mentions(error_of(kNewArray + "]b."), "a state that is not a tuple"));
  EXPECT_TRUE(mentions(error_of("cnumpy\nndarray\n)R."), "calls numpy.ndarray"));
}

TEST(Unpickle, RefusesStacksThatDoNotAddUp) {
  for (const char* file :
       {".",     "NN.",   "(N.",    "0.",    "1.",   "a.",     "Na.",     "NNa.",        "]e.",
        "(e.",   "K\1s.", "}NNNs.", "}(Nu.", "(Nd.", "](]Ns.", "}]Ns.",   "}}Ns.",       "t.",
        "\x87.", "R.",    "NNR.",   "b.",    "Nb.",  "\x93.",  "NN\x93.", "(N\x85(\x85."})
    EXPECT_TRUE(mentions(error_of(file), "x.pkl: byte")) << file;
  EXPECT_TRUE(mentions(error_of(""), "x.pkl: is empty"));
}

TEST(Unpickle, ChecksTheMemo) {
  EXPECT_TRUE(mentions(error_of("Nh\1."), "never set"));
  EXPECT_TRUE(mentions(error_of("Nr\xff\xff\xff\x7f."), "too large"));
  EXPECT_TRUE(mentions(error_of("Np99999999999\n."), "too large"));
  EXPECT_TRUE(mentions(error_of("Np-1\n."), "number that is none"));
  EXPECT_TRUE(mentions(error_of("Nq\0q\0."s), "twice"));
  EXPECT_TRUE(mentions(error_of("q\0."s), "empty stack"));
}

TEST(Unpickle, ChecksProtocolFramesAndTheEnd) {
  EXPECT_EQ(error_of("\x80\5N."), "no error");
  EXPECT_TRUE(mentions(error_of("\x80\6N."), "protocol 6"));
  EXPECT_TRUE(mentions(error_of("N\x80\2."), "in the middle"));
  const auto frame = [](char size) { return "\x95"s + size + std::string(7, '\0'); };
  EXPECT_EQ(error_of("\x80\4" + frame(2) + "N."), "no error");
  // Python writes large bytes between two frames.
  EXPECT_EQ(error_of("\x80\4" + frame(1) + "]C\2ab" + frame(2) + "a."), "no error");
  EXPECT_TRUE(
      mentions(error_of("\x80\4" + frame(2) + "]C\2ab" + frame(2) + "a."), "past its frame"));
  EXPECT_TRUE(mentions(error_of("\x80\4" + frame(3) + "N."), "longer than the file"));
  EXPECT_TRUE(mentions(error_of("\x80\4" + frame(11) + frame(2) + "N."), "inside a frame"));
  EXPECT_TRUE(mentions(error_of("N.N."), "single pickle.dump"));
}

}  // namespace
}  // namespace darp
