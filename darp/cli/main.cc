// darp <command>: parses, runs, and turns every failure into one line and an exit code:
// 0 good, 1 bad input or failure, 2 usage; above that a command's own answers.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <system_error>

#include "darp/cli/commands.h"
#include "darp/cli/interrupt.h"
#include "darp/core/error.h"
#include "darp/core/openblas.h"
#include "darp/core/suggest.h"

namespace {

constexpr int kFailure = 1, kUsage = 2;

/// Says what went wrong; never throws, even where nothing can be written any more.
int fail(int code, std::string_view what, std::string_view remedy = "") {
  const std::string line =
      fmt::format("error: {}{}{}\n", darp::printable(what), remedy.empty() ? "" : "; ", remedy);
  std::fputs(line.c_str(), stderr);
  return code;
}

/// CLI11 calls an unknown command an unexpected argument; say what was meant instead.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return "";
  return fmt::format("'{}' is not a command; {}", argv[1], darp::suggestion(argv[1], names));
}

int run(int argc, char** argv) {
  CLI::App app{
      "Imitation learning that keeps its demonstrations.\nFormats, settings and examples: docs/ "
      "and `darp <command> --help`."};
  app.name("darp");
  app.set_version_flag("--version", DARP_VERSION);
  app.require_subcommand(1);
  darp::add_info_command(app);
  darp::add_convert_command(app);
  darp::add_collect_command(app);
  darp::add_neighbors_command(app);
  darp::add_train_command(app);
  darp::add_eval_command(app);
  darp::add_compare_command(app);
  darp::add_tune_command(app);
  darp::add_study_command(app);
  darp::add_report_command(app);
  darp::add_environments_command(app);
  darp::add_expert_command(app);
  darp::add_import_reference_command(app);
  darp::add_bench_command(app);

  if (const std::string wrong = unknown_command(app, argc, argv); !wrong.empty())
    return fail(kUsage, wrong);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);
  } catch (const CLI::RuntimeError& verdict) {
    return verdict.get_exit_code();  // a command that answers with its exit code
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, error.what(), "see darp --help and darp <command> --help");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  darp::repair_openblas(argv);  // LAPACK's, for spectra; LibTorch would multiply with it as well
  try {
    const int code = run(argc, argv);
    // A full disk or a closed pipe must not look like success.
    return std::fflush(stdout) == 0
               ? code
               : fail(kFailure, "standard output cannot be written", "check the disk or the pipe");
  } catch (const darp::Interrupted&) {
    std::fflush(stdout);
    darp::end_by_interrupt();
  } catch (const darp::Error& error) {
    return fail(kFailure, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "not enough memory", "use a machine with more, or less data");
  } catch (const std::system_error& error) {
    return fail(kFailure, error.what(), "check the disk, the pipe and permissions");
  } catch (const std::exception& error) {
    return fail(kFailure, error.what(),
                "this is a bug in darp: please report it with the command that you ran");
  }
}
