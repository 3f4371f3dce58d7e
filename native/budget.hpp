// What a search may spend, and the meter that says when it is spent.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

namespace infmcs {

struct Budget {
    std::int64_t visits = std::numeric_limits<std::int64_t>::max();  // search nodes: reproducible
    double seconds = std::numeric_limits<double>::infinity();        // wall clock: not
};

// Asked now and then during long work; true stops it. The bindings pass 'was Ctrl-C pressed'.
using Interrupted = std::function<bool()>;

// One a search. `spent` is called at every search node, so it must cost next to nothing: the clock is read
// every 1,024 nodes, the outside world is asked every 20 ms. Where seconds are not counted the clock is not even read
// at the beginning: for the smallest pairs that would be a tenth of all time.
class Meter {
public:
    explicit Meter(Budget budget, const Interrupted* interrupted = nullptr)
        : budget_(budget), limit_(budget.visits), interrupted_(interrupted) {
        if (budget.seconds < std::numeric_limits<double>::infinity()) start();
    }

    // From here on seconds are counted.
    void start() {
        started_ = now();
        next_question_ = started_ + 0.02;
    }

    bool spent() {
        if (visited_ >= limit_) return at_limit();
        if ((++visited_ & 1023) == 0) look_around();
        return stopped_;
    }

    // After so many visits more, `spent` tells the search to come back, with what is left for another way to go on.
    void pause_after(std::int64_t visits) { limit_ = std::min(budget_.visits - visited_, visits) + visited_; }
    void go_on() { limit_ = budget_.visits; }

    bool stopped() const { return stopped_; }
    bool was_interrupted() const { return was_interrupted_; }
    std::int64_t visited() const { return visited_; }
    double seconds() const { return now() - started_; }

private:
    static double now() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    bool at_limit() {
        stopped_ = stopped_ || visited_ >= budget_.visits;
        return true;
    }

    void look_around() {
        const double time = now();
        if (!started_) start();
        if (time - started_ >= budget_.seconds) stopped_ = true;
        if (interrupted_ && time >= next_question_) {
            next_question_ = time + 0.02;
            if ((*interrupted_)()) stopped_ = was_interrupted_ = true;
        }
    }

    Budget budget_;
    std::int64_t limit_;
    const Interrupted* interrupted_;
    double started_ = 0, next_question_ = 0;
    std::int64_t visited_ = 0;
    bool stopped_ = false, was_interrupted_ = false;
};

}  // namespace infmcs
