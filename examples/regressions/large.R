# Writes large.csv (synthetic: 50,000 rows in 500 groups, logistic) into the folder of its first argument. With a second, a number
# of transitions, rstanarm samples a chain of so many, half of them warm-up, and the CPU time, gradients and bulk ESS are printed.
args <- commandArgs(TRUE)
set.seed(1); n <- 50000; G <- 500
d <- data.frame(x = round(rnorm(n), 3), z = round(rnorm(n), 3), g = sprintf("g%03d", sample(G, n, TRUE)))
u <- rnorm(G, 0, .8); d$y <- rbinom(n, 1, plogis(-.5 + .7 * d$x - .3 * d$z + u[as.integer(factor(d$g))]))
write.csv(d, file.path(args[1], "large.csv"), row.names = FALSE, quote = FALSE)
if (length(args) > 1) {
  suppressMessages(library(rstanarm))
  iter <- as.integer(args[2])
  t0 <- proc.time()
  s <- suppressWarnings(stan_glmer(y ~ x + z + (1 | g), data = d, family = binomial(), chains = 1, iter = iter, cores = 1, seed = 1, refresh = 0))
  cpu <- sum((proc.time() - t0)[c(1, 2)])
  steps <- rstan::get_sampler_params(s$stanfit, inc_warmup = TRUE)[[1]][, "n_leapfrog__"]
  a <- as.array(s); ess <- apply(a, 3, function(m) posterior::ess_bulk(m)); k <- which.min(ess)
  cat(sprintf("CPU %.1f s, gradients: warm-up %d, sampling %d, draws %d, least bulk ESS %.0f (%s)\n", cpu, sum(steps[1:(iter / 2)]),
    sum(steps[-(1:(iter / 2))]), iter / 2, ess[k], dimnames(a)[[3]][k]))
  print(round(ess[c("(Intercept)", "x", "z", "Sigma[g:(Intercept),(Intercept)]")]))
}
