#include "darp/data/ingest/npy.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

/// A version 1.0 file with this header text.
std::string npy(const std::string& header, size_t data_bytes, uint8_t version = 1) {
  ByteWriter out;
  out.append("\x93NUMPY").write(version).write(uint8_t{0});
  if (version == 1)
    out.write(static_cast<uint16_t>(header.size()));
  else
    out.write(static_cast<uint32_t>(header.size()));
  out.append(header).append(std::string(data_bytes, '\0'));
  return std::string(as_text(out.bytes()));
}

ArrayView parse(const std::string& file) {
  return parse_npy(as_byte_span(file), "x.npz: actions");
}

std::string message_of(const std::string& file) {
  try {
    parse(file);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Npy, ParsesWhatItWrites) {
  for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{},
                                             {5},
                                             {0},
                                             {3, 4},
                                             {2, 3, 4},
                                             {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
    for (const char* type : {"<f4", "<f8", "|b1", "<i8", "<U7"}) {
      const ElementType element = parse_element_type(type, "test");
      std::string file = npy_header(element, shape);
      EXPECT_EQ(file.size() % 64, 0u);
      uint64_t size = static_cast<uint64_t>(element.size);
      for (const uint64_t n : shape) size *= n;
      file.append(size, 'x');
      const ArrayView array = parse(file);
      EXPECT_EQ(array.type, element);
      EXPECT_EQ(array.shape, shape);
      EXPECT_FALSE(array.fortran_order);
      EXPECT_EQ(as_text(array.bytes), std::string(size, 'x'));
    }
  }
}

TEST(Npy, ParsesKeysInAnyOrderAndEitherQuotes) {
  for (const uint8_t version : {uint8_t{1}, uint8_t{2}, uint8_t{3}})
    for (const char* header :
         {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }   \n",
          "{\"shape\":(3,4,),\"descr\":\"<f4\",\"fortran_order\":True}",
          "{ 'fortran_order' : True , 'shape' : ( 3 , 4 ) , 'descr' : \"<f4\" }\n"}) {
      const std::string file = npy(header, 48, version);
      const ArrayView array = parse(file);
      EXPECT_EQ(array.shape, (std::vector<uint64_t>{3, 4}));
      EXPECT_TRUE(array.fortran_order);
    }
}

TEST(Npy, RefusesEveryOtherHeader) {
  ASSERT_EQ(message_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 4)),
            "no error");
  for (const char* header :
       {"",
        "{",
        "{}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), ",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), , }",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (+1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': Falsey, 'shape': (1,)}",
        "{'descr': '<f\\x34', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4\", 'fortran_order': False, 'shape': (1,)}",
        "{'descr': f4, 'fortran_order': False, 'shape': (1,)}"})
    EXPECT_NE(message_of(npy(header, 4)), "no error") << header;
  std::string dimensions;
  for (int i = 0; i < 65; ++i) dimensions += "1,";
  EXPECT_NE(
      message_of(npy("{'descr':'<f4','fortran_order':False,'shape':(" + dimensions + ")}", 4)),
      "no error");
}

TEST(Npy, RefusesObjectsAndStructuresByName) {
  const std::string rest = ", 'fortran_order': False, 'shape': (1,), }";
  EXPECT_NE(message_of(npy("{'descr': '|O'" + rest, 8)).find("nothing is unpickled"),
            std::string::npos);
  EXPECT_NE(message_of(npy("{'descr': [('x', '<f4')]" + rest, 4)).find("structures"),
            std::string::npos);
  EXPECT_NE(message_of(npy("{'descr': '<c8'" + rest, 8)).find("'<c8'"), std::string::npos);
}

TEST(Npy, RefusesWrongSizesAndVersions) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(message_of(npy(header, 8)), "no error");
  for (const size_t bytes : {0, 7, 9}) EXPECT_NE(message_of(npy(header, bytes)), "no error");
  EXPECT_NE(message_of(npy(header, 8, 4)).find("version 4.0"), std::string::npos);
  EXPECT_NE(message_of(npy(header, 8, 0)), "no error");
  const std::string whole = npy(header, 8);
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(message_of(whole.substr(0, length)), "no error") << length;
}

}  // namespace
}  // namespace darp
