// Which operations of PyTorch make the host wait, and which a capture bears: a table, whose cells are facts.
#include "case.h"
#include "support/host_memory.h"
#include "support/memory.h"
#include "support/operation_table.h"

OBSERVE(capture, operations_with_sizes_that_depend_on_values,
        .title = "Which operations that count, select or look values up make the host wait, and which a "
                 "capture bears",
        .claims = {"cap.sync.item"},
        .links = {"https://docs.nvidia.com/dl-cuda-graph/torch-cuda-graph/writing-sync-free-code.html"},
        .time_limit_s = 60) {
  const Tensor x = at::arange(64, at::device(at::kCUDA).dtype(at::kFloat)), mask = x > 31,
               index = x.to(at::kLong);
  const Tensor cpu_index = index.cpu(), repeats = at::ones_like(index), zero = at::zeros({}, x.options());
  record_operations({
      {"item", [&] { x[0].item(); }},
      {"is_nonzero", [&] { at::is_nonzero(x[0]); }},
      {"equal", [&] { at::equal(x, x); }},
      {"allclose", [&] { at::allclose(x, x); }},
      {"nonzero", [&] { at::nonzero(x); }},
      {"nonzero_static", [&] { at::nonzero_static(x, 8); }},
      {"argwhere", [&] { at::argwhere(x); }},
      {"where with one argument", [&] { at::where(mask); }},
      {"where with three arguments", [&] { at::where(mask, x, zero); }},
      {"masked_select", [&] { at::masked_select(x, mask); }},
      {"index by a mask", [&] { x.index({mask}); }},
      {"index by an index", [&] { x.index({index}); }},
      {"index by an index on the CPU", [&] { x.index({cpu_index}); }},
      {"index_put_ of a value on the GPU", [&] { x.clone().index_put_({index}, zero); }},
      {"index_put_ of a value on the CPU", [&] { x.clone().index_put_({index}, at::tensor(0.F)); }},
      {"index_put_ by a mask", [&] { x.clone().index_put_({mask}, zero); }},
      {"masked_fill_ with a number", [&] { x.clone().masked_fill_(mask, 0); }},
      {"masked_fill_ with a tensor", [&] { x.clone().masked_fill_(mask, zero); }},
      {"masked_scatter", [&] { x.masked_scatter(mask, x); }},
      {"unique", [&] { at::_unique2(x); }},
      {"unique_consecutive", [&] { at::unique_consecutive(x); }},
      {"repeat_interleave", [&] { at::repeat_interleave(x, repeats, 0); }},
      {"repeat_interleave with its size", [&] { at::repeat_interleave(x, repeats, 0, 64); }},
      {"repeat_interleave by a number", [&] { at::repeat_interleave(x, 2, 0); }},
      {"bincount", [&] { at::bincount(index); }},
      {"histc with bounds", [&] { at::histc(x, 8, 0, 64); }},
      {"histc without bounds", [&] { at::histc(x, 8); }},
      {"one_hot", [&] { at::one_hot(index); }},
      {"one_hot with its number of classes", [&] { at::one_hot(index, 64); }},
      {"isin", [&] { at::isin(x, x); }},
      {"searchsorted", [&] { at::searchsorted(x, x); }},
      {"gather", [&] { at::gather(x, 0, index); }},
      {"scatter_add", [&] { x.scatter_add(0, index, x); }},
      {"index_select", [&] { x.index_select(0, index); }},
      {"index_add", [&] { x.index_add(0, index, x); }},
      {"take", [&] { x.take(index); }},
      {"embedding",
       [&] {
         at::embedding(x.view({64, 1}), index);
       }},
  });
}

OBSERVE(capture, operations_between_host_and_gpu,
        .title = "Which copies between host and GPU, and which factories, make the host wait, and which a "
                 "capture bears",
        .claims = {"cap.pageable-copy", "cap.sync.item"},
        .links = {"https://docs.nvidia.com/dl-cuda-graph/torch-cuda-graph/writing-sync-free-code.html"},
        .time_limit_s = 60) {
  const Tensor x = gpu_tensor(1), pageable = pageable_tensor(2), pinned = pinned_tensor(3);
  const auto gpu = x.options();
  record_operations({
      {"cpu()", [&] { (void)x.cpu(); }},
      {"copy_ to pageable memory", [&] { pageable.copy_(x); }},
      {"copy_ to pageable memory, non_blocking", [&] { pageable.copy_(x, true); }},
      {"copy_ to pinned memory", [&] { pinned.copy_(x); }},
      {"copy_ to pinned memory, non_blocking", [&] { pinned.copy_(x, true); }},
      {"copy_ from pageable memory", [&] { x.copy_(pageable); }},
      {"copy_ from pageable memory, non_blocking", [&] { x.copy_(pageable, true); }},
      {"copy_ from pinned memory", [&] { x.copy_(pinned); }},
      {"copy_ from pinned memory, non_blocking", [&] { x.copy_(pinned, true); }},
      {"copy_ on the GPU", [&] { x.copy_(x.clone()); }},
      {"to(kCUDA)", [&] { (void)pageable.to(at::kCUDA); }},
      {"to(kCUDA) of pinned memory, non_blocking", [&] { (void)pinned.to(at::kCUDA, true); }},
      {"to(kCPU), non_blocking", [&] { (void)x.to(at::kCPU, true); }},
      {"pin_memory()", [&] { (void)pageable.pin_memory(); }},
      {"tensor of one value", [&] { at::tensor(5.F, gpu); }},
      {"tensor of values",
       [&] {
         at::tensor({5.F, 6.F}, gpu);
       }},
      {"scalar_tensor", [&] { at::scalar_tensor(5, gpu); }},
      {"full", [&] { at::full({8}, 5, gpu); }},
      {"zeros", [&] { at::zeros({8}, gpu); }},
      {"empty", [&] { at::empty({8}, gpu); }},
      {"arange", [&] { at::arange(8, gpu); }},
      {"linspace", [&] { at::linspace(0, 1, 8, gpu); }},
      {"eye", [&] { at::eye(8, gpu); }},
      {"tril_indices", [&] { at::tril_indices(8, 8, 0, gpu.dtype(at::kLong)); }},
      {"fill_ with a number", [&] { x.fill_(2); }},
      {"fill_ with a tensor on the CPU", [&] { x.fill_(at::scalar_tensor(2)); }},
      {"add a tensor of one value on the CPU", [&] { x + at::scalar_tensor(2); }},
  });
}

OBSERVE(capture, operations_that_compute,
        .title = "Which operations that sort, reduce, solve or draw make the host wait, and which a capture "
                 "bears",
        .claims = {"cap.incompatible-ops", "cap.sync.item"},
        .links = {"https://docs.nvidia.com/dl-cuda-graph/torch-cuda-graph/writing-sync-free-code.html"},
        .time_limit_s = 120) {
  const Tensor x = at::arange(64, at::device(at::kCUDA).dtype(at::kFloat)) + 1;
  const Tensor matrix = at::eye(16, x.options()) * 2, batch = matrix.expand({4, 16, 16}).contiguous();
  const Tensor classes = at::arange(16, x.options().dtype(at::kLong)), probabilities = x / x.sum();
  record_operations({
      {"uniform_", [&] { at::empty_like(x).uniform_(); }},
      {"normal_", [&] { at::empty_like(x).normal_(); }},
      {"dropout", [&] { at::dropout(x, 0.5, true); }},
      {"bernoulli", [&] { at::bernoulli(probabilities); }},
      {"randperm of 8", [&] { at::randperm(8, x.options().dtype(at::kLong)); }},
      {"randperm of 100000", [&] { at::randperm(100000, x.options().dtype(at::kLong)); }},
      {"multinomial without replacement", [&] { at::multinomial(probabilities, 4); }},
      {"multinomial with replacement", [&] { at::multinomial(probabilities, 4, true); }},
      {"sum", [&] { x.sum(); }},
      {"max", [&] { x.max(); }},
      {"argmax", [&] { x.argmax(); }},
      {"std", [&] { x.std(); }},
      {"median", [&] { x.median(); }},
      {"quantile", [&] { at::quantile(x, 0.5); }},
      {"kthvalue", [&] { at::kthvalue(x, 3); }},
      {"mode", [&] { at::mode(x); }},
      {"sort", [&] { at::sort(x); }},
      {"topk", [&] { at::topk(x, 4); }},
      {"cumsum", [&] { x.cumsum(0); }},
      {"softmax", [&] { at::softmax(x, 0); }},
      {"clamp by tensors", [&] { at::clamp(x, x[0], x[1]); }},
      {"pow by a number", [&] { x.pow(3); }},
      {"cat",
       [&] {
         at::cat({x, x});
       }},
      {"roll", [&] { x.roll(1); }},
      {"mm", [&] { at::mm(matrix, matrix); }},
      {"bmm", [&] { at::bmm(batch, batch); }},
      {"norm", [&] { x.norm(); }},
      {"cdist", [&] { at::cdist(matrix, matrix); }},
      {"layer_norm", [&] { at::layer_norm(x, {64}); }},
      {"batch_norm", [&] { at::batch_norm(matrix, {}, {}, {}, {}, true, 0.1, 1e-5, false); }},
      {"cross_entropy_loss", [&] { at::cross_entropy_loss(matrix, classes); }},
      {"linalg_cholesky", [&] { at::linalg_cholesky(matrix); }},
      {"linalg_cholesky_ex", [&] { at::linalg_cholesky_ex(matrix); }},
      {"linalg_inv", [&] { at::linalg_inv(matrix); }},
      {"linalg_inv_ex", [&] { at::linalg_inv_ex(matrix); }},
      {"linalg_solve", [&] { at::linalg_solve(matrix, matrix); }},
      {"fft_fft", [&] { at::fft_fft(x); }},
  });
}
