#include "support/graphed_callable.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "support/capture.h"

namespace cudasem {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// One graphed function: its graphs and the buffers that they read and write. Shared by the callable and by
/// the autograd nodes of its pending backwards. Members are destroyed from the last to the first: the graphs
/// before their memory.
struct Section : torch::CustomClassHolder {
  Callable function;
  variable_list inputs;          ///< the static input, then the parameters
  variable_list differentiable;  ///< those of `inputs` that require a gradient
  at::Tensor output;
  at::Tensor output_gradient;
  variable_list gradients;  ///< beside `inputs`; undefined for those that require none
  Graph forward;
  Graph backward;  ///< null if nothing requires a gradient

  at::Tensor run() const { return function(inputs[0]); }

  variable_list differentiate(const at::Tensor& result, const at::Tensor& gradient) const {
    return torch::autograd::grad({result}, differentiable, {gradient});
  }
};

/// Replays a section: one node of the autograd graph.
struct ReplaySection : torch::autograd::Function<ReplaySection> {
  static at::Tensor forward(AutogradContext* context, const c10::intrusive_ptr<Section>& section,
                            at::TensorList inputs) {
    context->saved_data["section"] = c10::IValue::make_capsule(section);
    section->inputs[0].copy_(inputs[0]);
    section->forward->replay();
    return section->output.detach();
  }

  static variable_list backward(AutogradContext* context, variable_list output_gradients) {
    TORCH_CHECK(!c10::GradMode::is_enabled(), "a graphed callable supports first-order gradients only");
    const auto section =
        c10::static_intrusive_pointer_cast<Section>(context->saved_data["section"].toCapsule());
    variable_list gradients(1 + section->inputs.size());  // the first argument of forward() is no tensor
    if (!section->backward) return gradients;
    section->output_gradient.copy_(output_gradients[0]);
    section->backward->replay();
    for (std::size_t i = 0; i < section->gradients.size(); ++i)
      if (section->gradients[i].defined()) gradients[i + 1] = section->gradients[i].detach();
    return gradients;
  }
};

c10::intrusive_ptr<Section> make_section(const ToGraph& what) {
  auto section = c10::make_intrusive<Section>();
  section->function = what.function;
  section->inputs = {what.sample.detach().clone().requires_grad_(what.sample.requires_grad())};
  section->inputs.insert(section->inputs.end(), what.parameters.begin(), what.parameters.end());
  for (const auto& input : section->inputs)
    if (input.requires_grad()) section->differentiable.push_back(input);
  return section;
}

void warm_up(const Section& section) {
  for (int turn = 0; turn < 3; ++turn) {
    const at::Tensor output = section.run();
    if (output.requires_grad()) section.differentiate(output, at::empty_like(output));
  }
}

void capture_forward(Section& section, c10::MempoolId_t pool) {
  section.forward = capture(pool, [&] { section.output = section.run(); });
}

void capture_backward(Section& section, c10::MempoolId_t pool) {
  if (!section.output.requires_grad()) return;
  section.output_gradient = at::empty_like(section.output);
  variable_list gradients;
  section.backward =
      capture(pool, [&] { gradients = section.differentiate(section.output, section.output_gradient); });
  section.output = section.output.detach();
  auto next = gradients.begin();
  for (const auto& input : section.inputs)
    section.gradients.push_back(input.requires_grad() ? *next++ : at::Tensor());
}

}  // namespace

std::vector<Callable> make_graphed_callables(const std::vector<ToGraph>& all) {
  const c10::AutoGradMode with_gradients(true);
  std::vector<c10::intrusive_ptr<Section>> sections;
  for (const auto& what : all) sections.push_back(make_section(what));
  // From 2.14 on a capture cannot create the generator that its first random operation asks for.
  at::cuda::detail::getDefaultCUDAGenerator();
  c10::cuda::device_synchronize();
  // Autograd remembers the stream on which a leaf was first used: it must be the stream of the captures.
  const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
  for (const auto& section : sections) warm_up(*section);

  const auto pool = at::cuda::graph_pool_handle();
  for (const auto& section : sections) capture_forward(*section, pool);
  for (auto section = sections.rbegin(); section != sections.rend(); ++section)
    capture_backward(**section, pool);
  c10::cuda::device_synchronize();

  std::vector<Callable> graphed;
  for (const auto& section : sections)
    graphed.emplace_back([section](const at::Tensor& input) {
      variable_list inputs = section->inputs;
      inputs[0] = input;
      return ReplaySection::apply(section, at::TensorList(inputs));
    });
  return graphed;
}

Callable make_graphed_callable(const ToGraph& one) {
  return make_graphed_callables({one}).front();
}

}  // namespace cudasem
