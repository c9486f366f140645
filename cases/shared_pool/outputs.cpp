#include "case.h"
#include "support/capture.h"

MISUSE(shared_pool, output_released_before_the_next_capture,
       .title = "An output released before the next capture into its pool is overwritten by that graph: "
                "an alias reads "
                "the other's data",
       .claims = {"gmem.freed-intermediate.reused", "cap.keep-references"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  const Graph one = capture(pool, [&] { first = x * 2; });
  const Tensor alias = at::from_blob(first.data_ptr(), first.sizes(), first.options());
  if (wrong) first.reset();  // don't: an address is not a reference
  const Graph two = capture(pool, [&] { second = x * 10; });
  require((second.data_ptr() == alias.data_ptr()) == wrong,
          "a released output's block goes to the next capture");

  replay(one, two);
  expect_intact(alias, 2);
}

MISUSE(shared_pool, common_input_filled_twice,
       .title = "Graphs that read one input buffer see what it holds at their replay: fill it just before "
                "each",
       .claims = {"rep.static-input-example", "cap.same-addresses"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor input = gpu_tensor(0), first, second;
  const Graph one = capture(pool, [&] { first = input * 10; });
  const Graph two = capture(pool, [&] { second = input * 100; });

  input.fill_(1);
  if (!wrong) replay(one);
  input.fill_(2);
  if (wrong) replay(one);  // don't: its input is gone
  replay(two);
  expect_intact(first, 10);
  expect_intact(second, 200);
}
