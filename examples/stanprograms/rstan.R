args <- commandArgs(TRUE)
suppressMessages(library(rstan))
data <- new.env()
sys.source(file.path(args[2], "data.R"), data)
# Debian has the headers of Boost outside of R.
boost <- if (nzchar(system.file("include", package = "BH"))) NULL else "/usr/include"
model <- stan_model(args[1], boost_lib = boost)
for (seed in seq_len(as.integer(args[3]))) {
  fit <- sampling(model, data = as.list(data), chains = 4, cores = 1, iter = 2000, seed = seed, refresh = 0)
  times <- colSums(get_elapsed_time(fit))
  draws <- as.array(fit)
  draws <- draws[, , dimnames(draws)[[3]] != "lp__", drop = FALSE]
  out <- file(file.path(args[2], sprintf("run%d.bin", seed)), "wb")
  writeBin(as.numeric(times[c("warmup", "sample")]), out, endian = "little")
  writeBin(as.integer(dim(draws)), out, endian = "little")
  writeBin(as.vector(draws), out, endian = "little")
  close(out)
}
