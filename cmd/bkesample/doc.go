// Bkesample learns kernels from tables of numbers and shows where samples differ.
//
//	bkesample [flags] [P.csv [Q.csv]]                posterior of the lengthscale, and of the witness
//	bkesample learn [flags] [P.csv [Q.csv]]          the lengthscale alone, by maximum
//	                                                 pseudolikelihood; comparison of kernels
//	bkesample twosample [flags] P.csv [Q.csv]        test of two samples, the kernel learned
//	bkesample independence -x a,b -y c XY.csv        test of independence, the kernels learned
//	bkesample power [flags] P.csv Q.csv              how many rows a test needs
//	bkesample causal [flags] DATA.csv                which columns may have effects on which
//	bkesample novelty TRAIN.csv NEW.csv              which new rows are unlike the known ones
//	bkesample embed FILES...                         distances between many samples, and a map
//	bkesample schema [sample|learn|...]              the JSON Schema of summary.json
//	bkesample completion bash|zsh|fish               what lets a shell complete all this
//	bkesample man                                    the man page
//
// Files are CSV, TSV or Parquet, each of them within gzip too, and - is standard input. A pattern in
// quotes, such as 'P-*.csv', is one sample: the rows of all files that match it. Without files the
// first two commands take the example of Flaxman et al. (2016, section 5.2): synthetic samples of a
// normal and a Laplace distribution. -h lists the flags of each command, with their
// defaults. Flags and files may come in any order.
//
// -label tells samples in one file apart, and chooses among them: -label species=a,b. More than
// two groups are tested all at once, and then pair by pair, corrected by Holm's method. -given age,sex
// tests given covariates: within strata, or by regression on those that are numbers. -columns says which columns are
// data, and -drop which are not. -weights names a column of weights of the rows, for the witness
// and for the test of two samples; the kernel is learned from the rows as they are. With -blocks a
// test exchanges rows only within the groups that a column names. Neither column is data.
//
// -kernel names the radial kernel. The draws of the first command are of the posterior given the
// pseudo-inputs. It is too sure of the lengthscale: a pseudolikelihood overstates the information
// in each row. The interval of theta (theta_interval in summary.json) allows for that.
//
// Results go to standard output and, as files, into the folder -out, by default bkesample-out, or
// bkesample-out/learn and so on. A folder holds the results of one command, and one run at a time
// writes there. Where there are results, or another run is under way, the next go to
// bkesample-out-2, and so on; a folder named by -out is then refused without -force. The file
// .bkesample marks a folder as the program's own and lists its files. Only those are ever replaced: a
// folder without the mark is used if it is empty, and refused otherwise, with -force too. Progress and
// errors go to standard error. Files appear whole or end in .part. The same seed and numerical path
// (-path) give the same bytes.
//
// An interrupt ends the sampling, writes what there is and leaves a checkpoint; before there are
// draws it leaves earlier files as they are. A second one ends the program. A run that was
// interrupted or killed goes on with -resume and its folder, and ends with the bytes that it would
// have had. The same command typed again offers that. A run that fails leaves nothing.
//
// Exit codes: 0 done, 1 failed, 2 wrong use, 3 done but the diagnostics of the draws are bad (with
// -strict), 4 done and the null hypothesis rejected (with -exit-code), 130 interrupted.
//
// Each command is a folder below internal, and a line in main: it turns flags into a computation, and
// that into one report.Document, from which text, JSON, page and pictures are made. Two rooms serve
// several commands: study (a data set with its model) and tests. What another program would need too
// stands in cmd/internal: cli (flags, console), input (files to data), report and folder.
package main
