#include "darp/core/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <utility>

#include "darp/core/error.h"
#include "darp/core/utf8.h"

namespace darp::internal {
namespace {

size_t line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : static_cast<size_t>(mark.line) + 1;
}

/// Builds the tree from yaml-cpp's events. Throwing from an event stops the parser, which bounds
/// its recursion by ours.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlSource& source) : source_(source) {}

  YamlNode release() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true))
      fail(mark, "more text follows after the settings have ended",
           "keep one document, without --- or ... in the middle");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(node(mark, YamlNode::Kind::kNull));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "aliases (*name) are not supported", "write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    check_tag(mark, tag, {"str", "int", "float", "bool"});
    // yaml-cpp turns the escapes \N and \_ into single bytes that are no characters.
    if (!is_valid_utf8(text))
      fail(mark, "an escape in quotes does not give a character",
           R"(write "\u0085" for "\N" and "\u00a0" for "\_")");
    YamlNode scalar = node(mark, YamlNode::Kind::kScalar);
    scalar.text = text;
    scalar.quoted = tag == "!" || tag == std::string(kCore) + "str";
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag, {"seq"});
    open(mark, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag, {"map"});
    open(mark, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  static constexpr std::string_view kCore = "tag:yaml.org,2002:";

  [[noreturn]] void fail(const YAML::Mark& mark, std::string_view what, std::string_view remedy) {
    throw Error(source_.place(line_of(mark)), what, remedy);
  }

  void check_tag(const YAML::Mark& mark, std::string_view tag,
                 std::initializer_list<std::string_view> names) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    if (tag.starts_with(kCore) &&
        std::find(names.begin(), names.end(), tag.substr(kCore.size())) != names.end())
      return;
    fail(mark, fmt::format("the tag '{}' is not supported here", printable(tag, 100)),
         "remove it; put quotes around text that starts with '!'");
  }

  static YamlNode node(const YAML::Mark& mark, YamlNode::Kind kind) {
    YamlNode result;
    result.kind = kind;
    result.line = line_of(mark);
    return result;
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (open_.size() >= kYamlMaxDepth)
      fail(mark, fmt::format("is nested more than {} levels deep", kYamlMaxDepth),
           "settings are nested a few levels at most: check the brackets and the indentation");
    open_.push_back(node(mark, kind));
  }

  void close() {
    YamlNode done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode&& finished) {
    (open_.empty() ? root_ : open_.back().items.emplace_back()) = std::move(finished);
  }

  const YamlSource& source_;
  std::vector<YamlNode> open_;
  YamlNode root_;
  bool started_ = false;
};

/// What yaml-cpp would misread: it takes byte 4 for the end of the text, zeros for UTF-16, and
/// repairs broken UTF-8 in silence.
void check_text(const YamlSource& source) {
  if (source.text.size() > kYamlMaxBytes)
    throw Error(
        source.where,
        fmt::format("holds {} bytes, expected at most {}", source.text.size(), kYamlMaxBytes),
        "give a settings file in YAML");
  size_t line = 1;
  for (std::string_view rest = source.text; !rest.empty();) {
    const size_t length = utf8_sequence_length(rest);
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (length == 0)
      throw Error(source.place(line), fmt::format("byte 0x{:02x} is not valid UTF-8", byte),
                  "save the file as UTF-8");
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F)
      throw Error(source.place(line), fmt::format("holds the control character 0x{:02x}", byte),
                  fmt::format("remove it, or write \"\\x{:02x}\" in quotes", byte));
    if (byte == '\n') ++line;
    rest.remove_prefix(length);
  }
}

}  // namespace

std::string YamlSource::place(size_t line) const {
  return has_lines && line > 0 ? fmt::format("{}:{}", where, line) : std::string(where);
}

YamlNode parse_yaml(const YamlSource& source) {
  check_text(source);
  TreeBuilder builder(source);
  try {
    std::istringstream stream{std::string(source.text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    throw Error(source.place(line_of(e.mark)), "is not valid YAML: " + e.msg,
                "check the line's indentation, quotes and brackets, and the line before it");
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(source.where, std::string("cannot be read as YAML: ") + e.what(), "");
  }
  return builder.release();
}

}  // namespace darp::internal
