# Writes regression.csv (drawn, synthetic) and posteriors.csv: posterior means of brms 2.18 with its default priors, with
# standard deviations and Monte Carlo standard errors. Run by Rscript posteriors.R in this folder; takes half an hour.
suppressMessages({library(brms); library(posterior)})
set.seed(11)
n <- 240
d <- data.frame(x = round(rnorm(n), 3), z = round(runif(n, 1, 5), 3), h = sample(c("low", "mid", "top"), n, TRUE), g = sprintf("g%02d", sample(1:16, n, TRUE)),
  k = sample(c("u", "v"), n, TRUE))
a <- rnorm(16, 0, .6); s <- rnorm(16, 0, .3); names(a) <- names(s) <- sprintf("g%02d", 1:16)
eta <- .3 + .5 * d$x + .4 * (d$h == "mid") - .3 * (d$h == "top") + a[d$g] + s[d$g] * d$x
d$y <- round(3 + 2 * eta + rnorm(n, 0, 1.2), 3)
d$t <- round(3 + 2 * eta + rt(n, 4), 3)
d$bin <- rbinom(n, 1, plogis(eta)); d$trials <- sample(3:12, n, TRUE); d$hits <- rbinom(n, d$trials, plogis(eta - .4))
d$count <- rpois(n, exp(eta)); d$over <- rnbinom(n, mu = exp(eta), size = 2)
d$pos <- round(rgamma(n, 3, 3 / exp(eta)), 4) + .001; d$prop <- round(rbeta(n, 5 * plogis(eta), 5 * plogis(-eta)), 4); d$prop <- pmin(pmax(d$prop, .0005), .9995)
d$ord <- cut(eta + rlogis(n), c(-Inf, -1, .5, 1.5, Inf), labels = FALSE)
write.csv(d, "regression.csv", row.names = FALSE, quote = FALSE)
cases <- list(
  list("y ~ x + z + h", gaussian(), "gaussian"), list("y ~ 0 + h + x", gaussian(), "gaussian"), list("y ~ x * h", gaussian(), "gaussian"),
  list("y ~ x + (1 | g)", gaussian(), "gaussian"), list("y ~ x + (1 + x | g)", gaussian(), "gaussian"), list("y ~ x + (1 + x || g)", gaussian(), "gaussian"),
  list("t ~ x + h", student(), "student"), list("bin ~ x + h", bernoulli(), "bernoulli"), list("bin ~ x + (1 | g)", bernoulli(), "bernoulli"),
  list("hits | trials(trials) ~ x + h", binomial(), "binomial"), list("count ~ x + h + offset(log(z))", poisson(), "poisson"), list("count ~ x + (1 | g)", poisson(), "poisson"),
  list("over ~ x + h", negbinomial(), "negbinomial"), list("pos ~ x + h", Gamma("log"), "gamma"), list("pos ~ poly(x, 2) + k", lognormal(), "lognormal"),
  list("prop ~ x + h", Beta(), "beta"), list("ord ~ x + h", cumulative(), "cumulative"), list("y ~ x + (1 | h/k)", gaussian(), "gaussian"))
out <- file("posteriors.csv", "w")
writeLines("formula;family;parameter;mean;sd;mcse", out)
for (c in cases) {
  f <- brm(as.formula(c[[1]]), d, family = c[[2]], chains = 4, iter = 3000, warmup = 1000, cores = 1, seed = 3, refresh = 0, silent = 2, control = list(adapt_delta = .95))
  s <- as.data.frame(summarise_draws(as_draws(f), "mean", "sd", "mcse_mean"))
  s <- s[!grepl("^(lp__|lprior|r_|z_|disc)", s$variable), ]
  writeLines(sprintf("%s;%s;%s;%.6g;%.5g;%.3g", c[[1]], c[[3]], s$variable, s$mean, s$sd, s$mcse_mean), out)
  flush(out)
}
close(out)
