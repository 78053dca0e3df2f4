# Rscript race.R NUTS CORPUS OUT PROGRAM... : processor time to a bulk and tail ESS of 400 in every parameter, of rstan
# and of nuts, four chains of 1000 + 1000 each on one core, for seeds 1 to 3. rstan's compiler is not counted; that
# nuts reads the program, writes its files and the page is. CORPUS has programs/, expected/, data/ and tools/conv.py.
suppressMessages({library(rstan); library(posterior); library(jsonlite)})
args <- commandArgs(TRUE); nuts <- args[1]; corpus <- args[2]; out <- args[3]
dir.create(out, showWarnings = FALSE)
least <- function(s) { s <- s[is.finite(s$ess_bulk) & is.finite(s$ess_tail) & s$sd > 0 & s$variable != "lp__", ]
  c(min(s$ess_bulk, s$ess_tail), max(s$rhat)) }
for (p in args[-(1:3)]) {
  program <- file.path(corpus, "programs", paste0(p, ".stan"))
  e <- fromJSON(file.path(corpus, "expected", paste0(p, ".json")))
  data <- file.path(corpus, e$data_file)
  if (!file.exists(data)) data <- paste0(data, ".gz")
  old <- file.path(out, paste0(p, ".stan"))
  system2("python3", c(file.path(corpus, "tools", "conv.py"), program, old))
  m <- suppressWarnings(stan_model(old))
  d <- fromJSON(gzfile(data))
  for (seed in 1:3) {
    t <- system.time(f <- suppressWarnings(sampling(m, d, chains = 4, cores = 1, iter = 2000, seed = seed, refresh = 0)))
    a <- least(summarise_draws(as_draws_array(f), "sd", "ess_bulk", "ess_tail", "rhat"))
    to <- file.path(out, paste0(p, "-", seed))
    u <- system.time(system2(nuts, c("-quiet", "-force", "-seed", seed, "-out", to, program, data), env = "GOMAXPROCS=1"))
    s <- fromJSON(file.path(to, "summary.json"))$parameters
    s <- s[is.finite(as.numeric(s$ess_bulk)) & s$sd > 0, ]
    b <- c(min(as.numeric(s$ess_bulk), as.numeric(s$ess_tail)), max(as.numeric(s$rhat)))
    x <- sum(t[c(1, 2)]); y <- sum(u[c(4, 5)])
    cat(sprintf("%s seed %d: rstan %.2f s, ESS %.0f, R-hat %.3f; nuts %.2f s, ESS %.0f, R-hat %.3f; time to ESS 400: %.2f and %.2f s, %.1f times\n",
      p, seed, x, a[1], a[2], y, b[1], b[2], 400 * x / a[1], 400 * y / b[1], (x / a[1]) / (y / b[1])))
  }
}
