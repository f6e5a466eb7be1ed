#pragma once
// Every command of the program; each lives in a file of its name.

namespace CLI {
class App;
}

namespace darp {

void add_info_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_collect_command(CLI::App& app);
void add_neighbors_command(CLI::App& app);
void add_train_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_environments_command(CLI::App& app);
void add_expert_command(CLI::App& app);
void add_import_reference_command(CLI::App& app);
void add_bench_command(CLI::App& app);

}  // namespace darp
