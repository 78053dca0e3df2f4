# Reads files that an executable of nuts exe wrote as CmdStan does: rstan takes them, posterior summarises the
# draws, and the means are those that the files' own rows have.
suppressMessages(library(rstan))
dir <- commandArgs(trailingOnly = TRUE)[1]
good <- TRUE
tell <- function(what, verdict) {
  verdict <- withCallingHandlers(tryCatch(paste("ok   ", what, verdict()), error = function(e) paste("FAIL ", what, conditionMessage(e))),
                                 warning = function(w) stop("warning: ", conditionMessage(w)))
  good <<- good && startsWith(verdict, "ok")
  cat(verdict, "\n", sep = "")
}

tell("rstan: o_1.csv to o_4.csv:", function() {
  fit <- read_stan_csv(file.path(dir, sprintf("o_%d.csv", 1:4)))
  stopifnot(fit@sim$chains == 4, fit@sim$thin == 2, fit@sim$warmup == 200, fit@sim$iter == 500)
  stopifnot(identical(as.integer(fit@par_dims$A), c(2L, 2L)), identical(as.integer(fit@par_dims$log_lik), 4L))
  kept <- extract(fit, permuted = FALSE, inc_warmup = FALSE)
  stopifnot(identical(dim(kept)[1:2], c(150L, 4L)))
  means <- read.table(file.path(dir, "means.txt"), sep = ",", col.names = c("chain", "name", "mean"))
  count <- 0
  for (i in seq_len(nrow(means))) {
    name <- sub("^([^.]+)[.](.*)$", "\\1[\\2]", means$name[i])
    name <- gsub(".", ",", name, fixed = TRUE)
    if (name %in% dimnames(kept)[[3]]) {
      got <- mean(kept[, means$chain[i], name])
      if (!(abs(got - means$mean[i]) <= 1e-12 * (1 + abs(got)))) stop(name, ": ", got, ", want ", means$mean[i])
      count <- count + 1
    }
  }
  stopifnot(count == 4 * 13)
  invisible(get_num_divergent(fit))
  stopifnot(all(is.finite(get_bfmi(fit))))
  sprintf("%d means, rstan %s", count, packageVersion("rstan"))
})

tell("rstan: dense.csv:", function() {
  fit <- read_stan_csv(file.path(dir, "dense.csv"))
  stopifnot(fit@sim$iter == 200, length(extract(fit, "sigma")$sigma) == 100)
  "read"
})

if (requireNamespace("posterior", quietly = TRUE)) {
  tell("posterior: o_1.csv to o_4.csv:", function() {
    fit <- read_stan_csv(file.path(dir, sprintf("o_%d.csv", 1:4)))
    s <- posterior::summarise_draws(posterior::as_draws_array(extract(fit, permuted = FALSE, inc_warmup = FALSE)))
    mu <- s[s$variable == "mu", ]
    # Four chains of 150 draws: R-hat is below 1.05 and the mean of mu lies within the data.
    stopifnot(nrow(s) == 13, all(s$rhat[is.finite(s$rhat)] < 1.05), mu$mean > 1, mu$mean < 7, mu$ess_bulk > 100)
    sprintf("%d variables, R-hat at most %.3f, posterior %s", nrow(s), max(s$rhat, na.rm = TRUE), packageVersion("posterior"))
  })
}

tell("R: fixed.csv:", function() {
  d <- read.csv(file.path(dir, "fixed.csv"), comment.char = "#")
  stopifnot(nrow(d) == 50, length(unique(d$mu)) == 1, length(unique(d$again)) == 50)
  "read"
})
quit(status = if (good) 0 else 1)
