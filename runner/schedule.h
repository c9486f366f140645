// Which case may start now: GPUs are slots, and some cases want to be alone. Starts nothing itself.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace cudasem {

class Schedule {
 public:
  struct Item {
    int gpus = 0;
    bool alone = false;
  };
  struct Start {
    size_t item = 0;  ///< index into the items given
    std::vector<int> gpus = {};
  };
  /// How many cases run at once: in all, and on one GPU.
  struct Limits {
    int total = 1;
    int on_a_gpu = 1;
    /// `jobs` 0: one case on each GPU, host-only cases on up to 8 cores. Otherwise that many in all.
    static Limits from(int jobs, int gpus, int cores);
  };

  Schedule(std::vector<Item> items, const std::vector<int>& gpus, Limits limits);

  /// One more item, to start after all that wait, but before those that run alone. Returns its index.
  size_t add(Item item);
  /// The next item that may start, in the order given as far as slots allow; it then counts as running.
  std::optional<Start> next();
  void finished(const Start& start);
  /// While held, items that need a GPU do not start.
  void hold_gpus(bool held) { held_ = held; }
  void quarantine(int gpu);
  /// Takes out what needs more GPUs than are left.
  std::vector<size_t> take_stranded();
  /// Nothing starts any more.
  void close() { closed_ = true; }
  bool closed() const { return closed_; }
  bool exhausted() const { return pending_.empty(); }

 private:
  std::optional<std::vector<int>> slots_for(const Item& item) const;

  std::vector<Item> items_;
  std::vector<size_t> pending_;
  std::map<int, int> load_;  // running items on each GPU that is not quarantined
  Limits limits_;
  int running_ = 0;
  bool alone_runs_ = false;
  bool held_ = false;
  bool closed_ = false;
};

}  // namespace cudasem
