// Work on another thread, as cases about threads need it.
#pragma once

#include <exception>
#include <thread>
#include <utility>

namespace cudasem {

/// Runs `body` on a new thread and waits for it. What it throws is thrown here.
template <typename Body>
void on_new_thread(Body&& body) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      std::forward<Body>(body)();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace cudasem
