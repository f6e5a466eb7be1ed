#include <utility>

#include "darp/core/field_kinds.h"

namespace darp::internal {
namespace {

class Writer : public EachField<Writer> {
 public:
  explicit Writer(std::string indent) : indent_(std::move(indent)) {}

  std::string release() { return std::move(text_); }

  template <class T>
  void each(const FieldInfo& info, const T& value) {
    line(info, yaml_text(value));
  }

 protected:
  void visit_choice(const FieldInfo& info, const std::vector<std::string>& names,
                    size_t& index) override {
    line(info, yaml_text(names[index]));
  }

  void visit_group(const FieldInfo& info, const Walk& walk) override {
    Writer inner(indent_ + "  ");
    walk(inner);
    const std::string lines = inner.release();
    line(info, lines.empty() ? "{}" : "");
    text_ += lines;
  }

 private:
  void line(const FieldInfo& info, std::string_view value) {
    text_ += fmt::format("{0}# {1}\n{0}{2}:{3}{4}\n", indent_, printable(info.doc),
                         yaml_text(info.name), value.empty() ? "" : " ", value);
  }

  std::string indent_, text_;
};

}  // namespace

std::string write_yaml(const FieldWalk& walk) {
  Writer writer("");
  walk(writer);
  return writer.release();
}

}  // namespace darp::internal
