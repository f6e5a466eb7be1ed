#pragma once
// Numbers too small to be normal cost a hundred times as much as others on most CPUs: here they
// count as zero.

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace darp {

/// Until its end, in this thread: results that are too small become zero, and so do inputs.
class FlushDenormals {
 public:
  FlushDenormals() : before_(read()) { write(before_ | kFlush); }
  ~FlushDenormals() { write(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE2__)
  using Word = uint32_t;
  static constexpr Word kFlush = 0x8040;  // flush to zero, denormals are zero
  static Word read() {
    return _mm_getcsr();
  }
  static void write(Word word) {
    _mm_setcsr(word);
  }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kFlush = Word{1} << 24;
  static Word read() {
    Word word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void write(Word word) {
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
  }
#else
  using Word = uint32_t;
  static constexpr Word kFlush = 0;
  static Word read() {
    return 0;
  }
  static void write(Word) {}
#endif

  Word before_;
};

}  // namespace darp
