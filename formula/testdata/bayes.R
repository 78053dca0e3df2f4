# Writes bayes.csv (drawn, synthetic) and posterior means with their Monte Carlo standard errors: bayes_rstanarm.txt and bayes_brms.txt. Priors
# are written out, the same for R and for us. Run in this folder by Rscript bayes.R rstanarm, and Rscript bayes.R brms,
# which compiles.
which <- commandArgs(TRUE)[1]
set.seed(11)
n <- 200
d <- data.frame(x = round(rnorm(n), 2), z = round(runif(n, 1, 9), 2), h = sample(c("low", "mid", "top"), n, TRUE),
  b = sample(0:1, n, TRUE), g = sprintf("g%02d", rep(1:20, each = 10)), k = sample(letters[1:8], n, TRUE), w = sample(1:3, n, TRUE))
u <- rnorm(20, 0, .7)[rep(1:20, each = 10)]; v <- rnorm(20, 0, .4)[rep(1:20, each = 10)]
eta <- .3 + .5 * d$x + .4 * (d$h == "mid") - .3 * (d$h == "top") + u
d$y <- round(3 + 2 * eta + v * d$x + rnorm(n, 0, 1.2), 2); d$bin <- rbinom(n, 1, plogis(eta)); d$trials <- sample(3:9, n, TRUE)
d$hits <- rbinom(n, d$trials, plogis(eta - .4)); d$count <- rpois(n, exp(eta)); d$expo <- round(runif(n, .5, 2), 2)
d$pos <- round(rgamma(n, 3, 3 / exp(eta)), 3) + .001
d$ord <- cut(eta + rlogis(n), c(-Inf, -1, .5, 1.5, Inf), labels = FALSE)
time <- round(rweibull(n, 1.5, exp(eta)), 3) + .001; d$seen <- pmin(time, 2); d$late <- as.integer(time >= 2)
d$zeros <- ifelse(runif(n) < .3, 0, rpois(n, exp(.5 + .4 * d$x))); d$prop <- round(rbeta(n, 5 * plogis(eta), 5 * plogis(-eta)), 3)
d$prop <- pmin(pmax(d$prop, .001), .999)
d$wave <- round(sin(1.2 * d$z) + .1 * d$x + rnorm(n, 0, .3), 3)
d$kind <- c("p", "q", "r")[1 + rbinom(n, 2, plogis(.8 * d$x))]
if (which == "rstanarm") write.csv(d, "bayes.csv", row.names = FALSE, quote = FALSE)
out <- file(paste0("bayes_", which, ".txt"), "w")
options(mc.cores = 1)
put <- function(text, family, prior, a, names) { # a: array of draws, iterations by chains by parameters
  writeLines(paste(text, family, prior, sep = " @ "), out)
  for (k in seq_along(names)) writeLines(sprintf("%s %.8g %.3g", names[k], mean(a[, , k]), posterior::mcse_mean(a[, , k])), out)
  writeLines("", out); flush(out)
}
if (which == "rstanarm") {
  suppressMessages(library(rstanarm))
  pri <- "b ~ normal(0, 2); Intercept ~ normal(0, 5)"
  run <- function(text, family, f, fam, aux = NULL, ...) {
    mixed <- any(grepl("|", deparse(f), fixed = TRUE))
    args <- list(f, family = fam, data = d, prior = normal(0, 2), prior_intercept = normal(0, 5),
      prior_aux = exponential(1), chains = 4, iter = 3000, refresh = 0, seed = 3, ...)
    s <- suppressWarnings(do.call(if (mixed) stan_glmer else stan_glm, args))
    a <- as.array(s); nm <- dimnames(a)[[3]]; keep <- !grepl("^b\\[", nm); a <- a[, , keep, drop = FALSE]; nm <- nm[keep]
    sig <- grepl("^Sigma", nm); a[, , sig] <- sqrt(a[, , sig])
    nm <- sub("^Sigma\\[(.*):\\(Intercept\\),\\(Intercept\\)\\]", "sd_\\1__Intercept", nm)
    nm <- sub("reciprocal_dispersion", "shape", nm)
    put(text, family, paste(c(pri, if (!is.null(aux)) paste(aux, "~ exponential(1)"), if (mixed) "sd ~ exponential(1)"), collapse = "; "), a, nm)
  }
  run("y ~ x + h", "gaussian", y ~ x + h, gaussian(), "sigma")
  run("y ~ x * h", "gaussian", y ~ x * h, gaussian(), "sigma")
  run("y ~ x + I(x^2) + log(z)", "gaussian", y ~ x + I(x^2) + log(z), gaussian(), "sigma")
  run("y ~ poly(x, 2) + factor(b)", "gaussian", y ~ poly(x, 2) + factor(b), gaussian(), "sigma")
  run("bin ~ x + h", "bernoulli", bin ~ x + h, binomial())
  run("bin ~ x * b", "bernoulli", bin ~ x * b, binomial())
  run("bin | weights(w) ~ x + h", "bernoulli", bin ~ x + h, binomial(), weights = d$w)
  run("hits | trials(trials) ~ x + h", "binomial", cbind(hits, trials - hits) ~ x + h, binomial())
  run("count ~ x + h", "poisson", count ~ x + h, poisson())
  run("count ~ x + offset(log(expo))", "poisson", count ~ x + offset(log(expo)), poisson())
  run("count ~ x", "negbinomial", count ~ x, neg_binomial_2(), "shape")
  run("pos ~ x + h", "gamma", pos ~ x + h, Gamma("log"), "shape")
  run("bin ~ x + (1 | g)", "bernoulli", bin ~ x + (1 | g), binomial())
  run("count ~ x + (1 | g)", "poisson", count ~ x + (1 | g), poisson())
  run("hits | trials(trials) ~ x + (1 | g) + (1 | k)", "binomial", cbind(hits, trials - hits) ~ x + (1 | g) + (1 | k), binomial())
  run("count ~ h + (1 | g:k)", "poisson", count ~ h + (1 | g:k), poisson())
} else {
  suppressMessages(library(brms))
  run <- function(text, family, f, fam, prior) {
    ps <- Reduce(c, lapply(prior, function(p) do.call(set_prior, as.list(p))))
    s <- suppressMessages(suppressWarnings(brm(f, d, fam, ps, chains = 4, iter = 3000, refresh = 0, seed = 3)))
    a <- as.array(s); nm <- dimnames(a)[[3]]
    keep <- grepl("^(b_|bs_|sd_|sds_|cor_|sigma|shape|phi|zi|nu)", nm); a <- a[, , keep, drop = FALSE]; nm <- nm[keep]
    txt <- sapply(prior, function(p) paste(if (p[2] == "sds" || p[2] != "b") p[2] else "b", "~", p[1]))
    put(text, family, paste(txt, collapse = "; "), a, nm)
    if (grepl("s\\(z", text)) { # the curve at ten places
      at <- data.frame(z = seq(1.5, 8.5, length.out = 10), x = 0)
      p <- posterior_epred(s, at); dim(p) <- c(nrow(p) / 4, 4, 10)
      put(paste(text, "curve"), family, "", p, sprintf("%.6g", at$z))
    }
  }
  N <- c("normal(0, 2)", "b"); I <- c("normal(0, 5)", "Intercept"); S <- c("exponential(1)", "sd")
  run("wave ~ s(z) + x", "gaussian", wave ~ s(z) + x, gaussian(), list(I, c("exponential(1)", "sds"), c("exponential(1)", "sigma")))
  run("y ~ x + (1 + x | g)", "gaussian", y ~ x + (1 + x | g), gaussian(), list(N, I, S, c("exponential(1)", "sigma"), c("lkj(2)", "cor")))
  run("zeros ~ x", "zero_inflated_poisson", zeros ~ x, zero_inflated_poisson(), list(N, I, c("beta(1, 1)", "zi")))
  run("seen | cens(late) ~ x + (1 | g)", "weibull", seen | cens(late) ~ x + (1 | g), weibull(), list(N, I, S, c("exponential(1)", "shape")))
  run("ord ~ x + h", "cumulative", ord ~ x + h, cumulative(), list(N, I))
}
close(out)
