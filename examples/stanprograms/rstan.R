args <- commandArgs(TRUE)
suppressMessages(library(rstan))
data <- new.env()
sys.source(file.path(args[2], "data.R"), data)
# A compiled model is kept with its shared library, and read by later runs.
if (file.exists(args[3])) {
  model <- readRDS(args[3])
} else {
  # Debian has the headers of Boost outside of R.
  boost <- if (nzchar(system.file("include", package = "BH"))) NULL else "/usr/include"
  model <- stan_model(args[1], boost_lib = boost, save_dso = TRUE)
  saveRDS(model, args[3])
}
seed <- as.integer(args[4])
fit <- sampling(model, data = as.list(data), chains = 4, cores = 1, iter = 2000, seed = seed, refresh = 0)
times <- colSums(get_elapsed_time(fit))
draws <- as.array(fit)
draws <- draws[, , dimnames(draws)[[3]] != "lp__", drop = FALSE]
out <- file(file.path(args[2], "run.bin"), "wb")
writeBin(as.numeric(times[c("warmup", "sample")]), out, endian = "little")
writeBin(as.integer(dim(draws)), out, endian = "little")
writeBin(as.vector(draws), out, endian = "little")
close(out)
writeLines(dimnames(draws)[[3]], file.path(args[2], "names.txt"))
