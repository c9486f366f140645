#include "normalise.h"

#include <gtest/gtest.h>

#include <string>

namespace cudasem {
namespace {

using namespace std::string_literals;

// As c10 of 2.11, 2.13 and 2.14 word one and the same error.
const std::string text_2_11 =
    "CUDA error: operation not permitted when stream is capturing\n"
    "Search for `cudaErrorStreamCaptureUnsupported' in "
    "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
    "might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";
const std::string text_2_13 =
    "CUDA error: operation not permitted when stream is capturing\n"
    "For more detailed error information, run with CUDA_LOG_FILE=stderr\n"
    "CUDA kernel errors might be asynchronously reported at some other API call.\n";
const std::string text_2_14 =
    "CUDA error: operation not permitted when stream is capturing\n"
    "The CUDA driver logged these messages, which may provide useful details:\n"
    "[12:01:02.003][4711][CUDA][E] stream is capturing\n";

TEST(normalise, one_error_reads_the_same_on_every_release) {
  const std::string expected = "CUDA error: operation not permitted when stream is capturing";
  EXPECT_EQ(normalise(text_2_11), expected);
  EXPECT_EQ(normalise(text_2_13), expected);
  EXPECT_EQ(normalise(text_2_14), expected);
}

TEST(normalise, every_suffix_is_dropped_wherever_it_stands_first) {
  for (const char* suffix :
       {"Search for `cudaErrorX' in https://x", "CUDA kernel errors might be asynchronously reported at",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "For more detailed error information, run with CUDA_LOG_FILE=stderr",
        "The CUDA driver logged these messages",
        "Device-side assertions were explicitly omitted for this error check",
        "Compile with `TORCH_USE_CUDA_DSA`",
        "Exception raised from capture_end at ../aten/src/ATen/cuda/CUDAGraph.cpp:12 (most recent call "
        "first):\nframe #0"})
    EXPECT_EQ(normalise("CUDA error: x\n"s + suffix), "CUDA error: x") << suffix;
}

TEST(normalise, paths_and_line_numbers_do_not_count) {
  const std::string expected =
      R"(false INTERNAL ASSERT FAILED at "<path>":<line>, please report a bug to PyTorch.)";
  EXPECT_EQ(
      normalise(
          R"(false INTERNAL ASSERT FAILED at "/pytorch/c10/cuda/driver_api.cpp":37, please report a bug to PyTorch. )"),
      expected);
  EXPECT_EQ(
      normalise(
          R"(false INTERNAL ASSERT FAILED at "../c10/cuda/driver_api.cpp":70, please report a bug to PyTorch.)"),
      expected);
  EXPECT_EQ(normalise("at /a/b.so, see x/y/z.h:12:3."), "at <path>, see <path>:<line>:<line>.");
  EXPECT_EQ(normalise("CUDAGraph.cpp:123: oh"), "CUDAGraph.cpp:<line>: oh");
  EXPECT_EQ(normalise("on line 17 of it"), "on line <line> of it");
}

TEST(normalise, what_only_looks_like_a_path_stays) {
  for (const char* text :
       {"CUDA/HIP and/or 1/2", "see https://pytorch.org/docs/x.h:1 there", "a / b", "...", "2.5e+3"})
    EXPECT_EQ(normalise(text), text);
}

TEST(normalise, addresses_are_replaced_and_short_numbers_are_not) {
  EXPECT_EQ(normalise("(address = 0x7f0012345678)."), "(address = <address>).");
  EXPECT_EQ(normalise("flags 0x1, 0x7fzz"), "flags 0x1, 0x7fzz");
}

TEST(normalise, process_ids_are_replaced) {
  EXPECT_EQ(normalise("pid 4711, PID: 12, process 99 and process id 3"),
            "pid <pid>, PID: <pid>, process <pid> and process id <pid>");
  EXPECT_EQ(normalise("in a process of 2"), "in a process of 2");
}

TEST(normalise, out_of_memory_reads_the_same_whatever_else_runs) {
  const std::string head = "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of ";
  const std::string tail = "Including non-PyTorch memory, this process has 2.5 GiB memory in use.";
  const std::string busy = head +
                           "139.81 GiB of which 3 MiB is free. Process 12 has 1.25 GiB memory in use. "
                           "Process 4711 has 512.00 MiB memory in use. " +
                           tail;
  const std::string idle = head + "79.1 GiB of which 78 GiB is free. " + tail;
  EXPECT_EQ(normalise(busy), normalise(idle));
  EXPECT_EQ(normalise(idle),
            "CUDA out of memory. Tried to allocate <size>. GPU 0 has a total capacity of <size> of which "
            "<size> is free. "
            "Including non-PyTorch memory, this process has <size> memory in use.");
}

TEST(normalise, a_number_without_a_unit_stays) {
  EXPECT_EQ(normalise("device 1 of 8, size 3 Bytesize"), "device 1 of 8, size 3 Bytesize");
  EXPECT_EQ(normalise("512 bytes"), "<size>");
}

TEST(normalise, a_device_index_written_as_a_raw_byte_can_be_read) {
  EXPECT_EQ(normalise("Event device \0 does not match \x01."s), "Event device \\x00 does not match \\x01.");
}

TEST(normalise, bytes_that_are_not_utf8_are_escaped) {
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80");  // overlong, surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");           // above U+10FFFF
  EXPECT_EQ(printable("ü – 🚀\n\t"), "ü – 🚀\n\t");
  EXPECT_EQ(printable("\x1b[1m\x7f\r"), "\\x1b[1m\\x7f\\x0d");
}

TEST(normalise, a_raw_text_keeps_its_control_bytes) {
  EXPECT_EQ(valid_utf8("a\0\x1b\xff"s), "a\0\x1b\\xff"s);
}

TEST(normalise, twice_is_once) {
  for (const auto& text :
       {text_2_11, text_2_14, "a\0 pid 1 at /x/y.cpp:3 0x12345 5 MiB Process 3 has 5 MiB memory in use."s,
        "\xff\xfe Process 1 Process 2"s})
    EXPECT_EQ(normalise(normalise(text)), normalise(text));
}

TEST(normalise, a_huge_text_is_taken_in_its_stride) {
  const std::string text(1 << 20, 'x');
  EXPECT_EQ(normalise(text), text);
}

}  // namespace
}  // namespace cudasem
