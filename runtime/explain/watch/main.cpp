// Watches the ranks of a node from outside of them, and says on standard error what no rank can say
// any more: which one is dead, and why all stand. The observer of the node's first rank starts it
// (observer/watcher.cpp); it ends when the last rank has ended.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <utility>

#include "runtime/explain/observer/digest.hpp"
#include "runtime/explain/observer/job_folder.hpp"
#include "runtime/explain/observer/job_line.hpp"
#include "runtime/explain/observer/job_text.hpp"
#include "runtime/explain/watch/ask.hpp"
#include "runtime/explain/watch/meeting.hpp"
#include "runtime/explain/watch/ranks.hpp"
#include "runtime/explain/watch/slow_nodes.hpp"
#include "runtime/explain/watch/voice.hpp"
#include "runtime/explain/watch/words.hpp"

namespace leadline::explain {
namespace {

// Between two glances.
constexpr double kLeastPause = 0.5;
constexpr double kMostPause = 2;
constexpr double kShortPause = 0.02;
// Until `leadline stuck` is asked again about a job that stands and was not found stuck.
constexpr double kAgain = 5;
constexpr double kMostAgain = 120;
// In the last minute of the job's time a hang is reported once it has lasted 5 s; then the question
// is asked again every 15 s.
constexpr double kBeforeEnd = 60;
constexpr double kStandsAtEnd = 5;
constexpr double kAtEndAgain = 15;
constexpr double kForEver = 1e9;
// Between SIGTERM and SIGKILL.
constexpr double kPatience = 5;
// A rank that ended by itself, or in an unknown way, is reported if others still run after this.
constexpr double kLater = 1;
// A launcher that ends the others has done so by then.
constexpr double kLauncher = 10;
// A rank that is leaving has left after a moment, also on a crowded host.
constexpr double kLeaving = 1;

struct Wish {
  double limit = 0;
  bool aborts = false;
};

// "60s", "5m", "1h" or "1d", and ",abort" behind it; no limit where it is anything else.
Wish wish_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  std::string time = text.substr(0, comma);
  const std::string then = comma == std::string::npos ? "" : text.substr(comma + 1);
  if (time.find_first_not_of("0123456789") == std::string::npos) time += 's';
  const std::string units = "smhd";
  constexpr double kSeconds[] = {1, 60, 3600, 86400};
  const std::size_t unit = time.empty() ? std::string::npos : units.find(time.back());
  time = time.substr(0, time.size() - (time.empty() ? 0 : 1));
  const bool is_number = !time.empty() && time.find_first_not_of("0123456789") == std::string::npos;
  if (unit == std::string::npos || !is_number || (!then.empty() && then != "abort")) return {};
  return {.limit = std::strtod(time.c_str(), nullptr) * kSeconds[unit], .aborts = then == "abort"};
}

// When the scheduler ends the job, as time(2) has it; 0 where that is not known.
double end_of_job() {
  const char* const end = std::getenv("SLURM_JOB_END_TIME");
  return end != nullptr ? std::strtod(end, nullptr) : 0;
}

// As much of the text as is kept.
std::string in_a_line(const std::string& text) {
  constexpr std::size_t kMost = 300;
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line.substr(0, kMost);
}

// The sentence with which `leadline stuck` begins, in one line.
std::string sentence_of(const std::string& answer) {
  const std::size_t at = answer.find(kMark);
  if (at == std::string::npos) return "";
  const std::size_t from = at + sizeof kMark - 1;
  return in_a_line(answer.substr(from, answer.find("\n\n", from) - from));
}

class Watch {
 public:
  // `first` is the process that has begun with it.
  Watch(const NodeFile& file, int memory, Wish wish, JobPlace place, std::string head, pid_t first)
      : file_(file),
        wish_(wish),
        place_(std::move(place)),
        head_(std::move(head)),
        ranks_(file),
        meeting_(file, memory, place_),
        slow_nodes_(file, place_),
        first_(first) {}

  // Until the last rank has ended.
  void run() {
    const double pause = std::clamp(wish_.limit / 4, kLeastPause, kMostPause);
    reset();
    while (ranks_.any_runs() || !first_.has_ended()) {
      const double began = now_s();
      const bool is_quiet = later_.empty() && ranks_.have_all_begun();
      ranks_.wait(is_quiet ? pause : kShortPause, first_);
      note_deaths();
      if (!ranks_.any_runs()) continue;
      tell_of_slow_nodes();
      const double lasted = now_s() - began;
      if (ranks_.has_moved() || !ranks_.is_any_at_work() || ranks_.are_all_stopped()) {
        reset();
      } else {
        // While this was stopped, the ranks may have been, too.
        still_ += std::min(lasted, 2 * pause);
        if (!told_ && (still_ >= ask_at_ || others_have_come())) stand();
      }
      const bool is_time = is_near_end() && now_s() >= end_asked_at_ + kAtEndAgain;
      if (!told_ && still_ >= kStandsAtEnd && is_time) stand_at_end();
      if (ends_at_ != 0 && now_s() >= ends_at_) signal_ranks(SIGKILL);
      // Who is killed for its memory takes a while to give it back.
      memory_kills_ = std::exchange(memory_kills_now_, ended_for_memory());
    }
    // Nobody waits for the file.
    end_voice();
    write_file();
  }

 private:
  bool is_first() const { return file_.header().node == 0; }

  // As this node waits for them.
  bool others_have_come() {
    const bool are_here = !is_alone() && is_first() && meeting_.is_whole();
    return are_here && !std::exchange(had_come_, are_here);
  }

  void reset() {
    had_come_ = false;
    still_ = 0;
    told_ = false;
    ask_at_ = wish_.limit;
    meeting_.leave();
  }

  bool is_alone() const { return file_.header().ranks_here == file_.header().ranks_total; }

  static double left_of_job() {
    static const double end = end_of_job();
    return end > 0 ? end - static_cast<double>(std::time(nullptr)) : kForEver;
  }
  // A job that runs on after it was given more time, and then that which is known is over.
  static bool is_near_end() { return left_of_job() > 0 && left_of_job() < kBeforeEnd; }

  void note_deaths() {
    if (later_.empty()) later_at_ = now_s() + kLater;
    std::vector<Death> deaths = ranks_.take_deaths();
    // A launcher sees by its pipes that a rank is leaving, and may have killed these for it.
    const double until = now_s() + kLeaving;
    while (!deaths.empty() && ranks_.is_any_leaving() && now_s() < until) {
      usleep(static_cast<useconds_t>(kLeaving * 1e6 / 100));
      for (Death& death : ranks_.take_deaths()) deaths.push_back(death);
    }
    // Those are ended for the hang.
    if (ends_at_ != 0) return;
    std::vector<Death> killed;
    for (Death& death : deaths) {
      const bool by_signal = death.status && WIFSIGNALED(*death.status);
      const bool by_others = by_signal && is_polite(WTERMSIG(*death.status));
      (by_signal && !by_others ? killed : later_).push_back(death);
    }
    // Launchers end the others after one, by SIGKILL: those are no news.
    std::stable_partition(killed.begin(), killed.end(), has_failed);
    if (!killed.empty() && has_failed(killed[0])) {
      killed.erase(std::find_if_not(killed.begin(), killed.end(), has_failed), killed.end());
    }
    if (!killed.empty() && now_s() >= launcher_until_) {
      const bool memory_was_short = ended_for_memory() > memory_kills_;
      if (!has_failed(killed[0]) && !memory_was_short) killed = causes_of(killed);
      // At once: a launcher that ends the others forwards nothing after that.
      if (!killed.empty()) tell_of(killed, memory_was_short);
      launcher_until_ = now_s() + kLauncher;
    }
    if (!later_.empty() && now_s() >= later_at_) {
      // A launcher says so by itself.
      std::erase_if(later_, [](const Death& death) { return death.has_left; });
      if (!later_.empty() && ranks_.any_runs() && !ranks_.are_all_ending()) tell_of(later_, false);
      later_.clear();
    }
  }

  // Whose end may be why a launcher has killed these: one that ended by itself, or in an unknown
  // way. Nobody's where the program has asked for its end.
  std::vector<Death> causes_of(std::vector<Death> killed) {
    if (ranks_.has_aborted()) return {};
    const auto has_exited = [](const Death& death) {
      return death.has_left || (death.status && WIFEXITED(*death.status));
    };
    if (std::any_of(later_.begin(), later_.end(), has_exited)) killed.clear();
    for (const Death& death : later_) {
      if (!death.status || has_exited(death)) killed.push_back(death);
    }
    later_.clear();
    return killed;
  }

  static bool has_failed(const Death& death) { return WTERMSIG(*death.status) != SIGKILL; }

  // Who ends a job sends these to all ranks.
  static bool is_polite(int signal) {
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  }

  void tell_of(const std::vector<Death>& deaths, bool memory_was_short) {
    const std::string words = words_of(file_, deaths, memory_was_short);
    const std::string what = deaths.size() == 1 ? "a rank has died" : "ranks have died";
    // Who died in a hang was ended for it.
    tell(heading(what) + words + calls_of(file_), told_why_.empty() ? in_a_line(words) : told_why_);
  }

  // It is no hang: the job's file alone keeps it.
  void tell_of_slow_nodes() {
    const std::string text = slow_nodes_.look();
    if (text.empty()) return;
    speak(text);
    write_file();
  }

  // It has stood for as long as it may.
  void stand() {
    const Answer answer = ask();
    if (ranks_.has_moved()) return reset();
    ask_at_ = still_ + std::clamp(still_ / 2, kAgain, kMostAgain);
    std::string words = answer.text;
    if (answer.verdict == Answer::Verdict::kNone && is_alone() && are_all_in_calls(file_)) {
      words = calls_of(file_);
    } else if (answer.verdict != Answer::Verdict::kStuck) {
      return;
    }
    tell_why("no rank has moved for " + seconds_in_words(still_), words);
    if (!wish_.aborts) return;
    speak("leadline: the program ends: abort was asked for\n");
    signal_ranks(SIGTERM);
    ends_at_ = now_s() + kPatience;
  }

  // The job's time is nearly over.
  void stand_at_end() {
    end_asked_at_ = now_s();
    const Answer answer = ask();
    if (ranks_.has_moved() || answer.verdict != Answer::Verdict::kStuck) return;
    end_asked_at_ = kForEver;
    const double left = std::max(left_of_job(), 0.0);
    tell_why("the job's time is over in " + seconds_in_words(left), answer.text);
  }

  // The first node judges when all others have come; they leave there what was seen of them.
  Answer ask() {
    const std::string folder = meeting_.come();
    if (is_first() && !is_alone() && !meeting_.is_whole()) {
      return {.verdict = Answer::Verdict::kMoves, .text = {}};
    }
    Answer answer = ask_leadline(folder, [&] { return !ranks_.have_all_ended(); });
    // Whoever is killed leaves nothing there.
    if (is_alone()) meeting_.leave();
    return answer;
  }

  void tell_why(const std::string& why, const std::string& words) {
    told_ = true;
    const std::string sentence = sentence_of(words);
    tell(heading(why) + words, sentence.empty() ? why : sentence);
  }

  void signal_ranks(int signal) {
    for (const pid_t pid : ranks_.pids()) kill(pid, signal);
  }

  void tell(const std::string& text, const std::string& sentence) {
    speak(text);
    if (place_.is_recording()) return append_to(place_, "hang.txt", text);
    story_ += text;
    write_beside(place_, place_.name + ".stuck", story_);
    told_why_ = sentence;
    write_file();
  }

  // The job's file, unless it has been written for the last time.
  void write_file() {
    const bool is_written = file_.turn().load() == NodeFile::kNever;
    if (!is_first() || is_written || place_.is_recording()) return;
    std::string head = head_;
    if (!told_why_.empty()) head += line("stuck", field(told_why_));
    write_beside(place_, place_.name + ".job", job_text(head, file_, digests_of(file_)));
  }

  NodeFile file_;
  Wish wish_;
  JobPlace place_;
  std::string head_;
  Ranks ranks_;
  Meeting meeting_;
  SlowNodes slow_nodes_;
  Process first_;
  double still_ = 0;  // how long no rank has moved, as far as that was watched
  bool told_ = false;
  bool had_come_ = false;
  double end_asked_at_ = -kAtEndAgain;
  double ask_at_ = 0;
  double ends_at_ = 0;
  unsigned long long memory_kills_now_ = ended_for_memory();
  unsigned long long memory_kills_ = memory_kills_now_;
  std::vector<Death> later_;
  double later_at_ = 0;
  double launcher_until_ = 0;
  std::string story_;
  std::string told_why_;
};

// C libraries before 2.34 have no name for it, and kernels before 5.9 have not it.
constexpr long kCloseRange = 436;

// Nothing of the program's is held but its standard error.
void leave_the_program(int memory) {
  // It has started this with all signals blocked, and may ignore any.
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    std::signal(signal, SIG_IGN);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) dup2(nothing, STDERR_FILENO);
  constexpr long kMost = 65536;
  const long most = std::min(sysconf(_SC_OPEN_MAX), kMost);
  if (memory > STDERR_FILENO + 1) syscall(kCloseRange, STDERR_FILENO + 1, memory - 1, 0);
  if (syscall(kCloseRange, memory + 1, ~0U, 0) != 0) {
    for (int each = STDERR_FILENO + 1; each < most; ++each) {
      if (each != memory) close(each);
    }
  }
  // A rank may be bound to a core, which is its own.
  cpu_set_t cores;
  std::memset(&cores, 0xFF, sizeof cores);
  sched_setaffinity(0, sizeof cores, &cores);
  if (chdir("/") != 0) return;
  fcntl(memory, F_SETFD, FD_CLOEXEC);
}

NodeFile mapped(int memory) {
  struct stat status{};
  if (fstat(memory, &status) != 0) return {};
  const auto size = static_cast<u64>(status.st_size);
  void* const bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (bytes == MAP_FAILED) return {};
  return {.bytes = static_cast<std::byte*>(bytes), .size = size};
}

int watch(const std::vector<std::string>& words) {
  constexpr std::size_t kWords = 11;
  if (words.size() != kWords) {
    speak("leadline-watch: programs with LEADLINE_EXPLAIN_WATCH start it\n");
    return 2;
  }
  const auto number = [&](std::size_t word) {
    return static_cast<int>(std::strtol(words[word].c_str(), nullptr, 10));
  };
  const int memory = number(3);
  const pid_t first = number(2);
  leave_the_program(memory);
  take_voice(first);
  const NodeFile file = mapped(memory);
  if (file.bytes == nullptr) return 1;
  const Wish wish = wish_of(words[1]);
  if (wish.limit <= 0) {
    if (file.header().node == 0) {
      speak("leadline: LEADLINE_EXPLAIN_WATCH=" + words[1] +
            ": give a time such as 60s, or 60s,abort; the program is not watched\n");
    }
    return 2;
  }
  JobPlace place{.folder = words[4],
                 .days = {words[5], words[6], words[7]},
                 .name = words[8],
                 .number = words[9]};
  Watch(file, memory, wish, std::move(place), words[10], first).run();
  return 0;
}

}  // namespace
}  // namespace leadline::explain

int main(int count, char** words) {
  try {
    return leadline::explain::watch(std::vector<std::string>(words, words + count));
  } catch (const std::exception&) {
    // Without memory there is nobody to tell.
    return 1;
  }
}
