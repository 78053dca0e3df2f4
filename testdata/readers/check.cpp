// Prints what Stan's own reader makes of CmdStan files, for check.py to compare: one line per file
// with the settings, one with the names of the columns, one with the metric, then one per row.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <stan/io/stan_csv_reader.hpp>

int main(int argc, char** argv) {
  std::cout << std::setprecision(17);
  for (int f = 1; f < argc; f++) {
    std::ifstream in(argv[f]);
    std::stringstream messages;
    stan::io::stan_csv csv = stan::io::stan_csv_reader::parse(in, &messages);
    std::cout << "file " << csv.metadata.num_samples << " " << csv.metadata.num_warmup << " "
              << csv.metadata.save_warmup << " " << csv.metadata.thin << " "
              << csv.metadata.chain_id << " " << csv.adaptation.step_size << "\nheader";
    for (size_t i = 0; i < csv.header.size(); i++) std::cout << " " << csv.header[i];
    std::cout << "\nmetric " << csv.adaptation.metric.rows() << " " << csv.adaptation.metric.cols();
    for (int i = 0; i < csv.adaptation.metric.rows(); i++)
      for (int j = 0; j < csv.adaptation.metric.cols(); j++)
        std::cout << " " << csv.adaptation.metric(i, j);
    std::cout << "\n";
    for (int i = 0; i < csv.samples.rows(); i++) {
      std::cout << "row";
      for (int j = 0; j < csv.samples.cols(); j++) std::cout << " " << csv.samples(i, j);
      std::cout << "\n";
    }
    if (!messages.str().empty()) std::cout << "message " << messages.str() << "\n";
  }
}
