# Writes classical.csv (drawn, synthetic) and classical.txt: estimates and standard errors of lm, glm and MASS::polr. Run by
# Rscript classical.R in this folder.
library(MASS)
set.seed(5)
n <- 1500
d <- data.frame(x = round(rnorm(n), 2), h = sample(c("low", "mid", "top"), n, TRUE), b = sample(c(TRUE, FALSE), n, TRUE))
eta <- .3 + .5 * d$x + .4 * (d$h == "mid") - .3 * (d$h == "top") + .2 * d$b
d$y <- round(3 + 2 * eta + rnorm(n, 0, 1.2), 2); d$bin <- rbinom(n, 1, plogis(eta)); d$trials <- sample(3:9, n, TRUE)
d$hits <- rbinom(n, d$trials, plogis(eta - .4)); d$count <- rpois(n, exp(eta))
d$ord <- cut(eta + rlogis(n), c(-Inf, -1, .5, 1.5, Inf), labels = FALSE)
d$time <- round(rweibull(n, 1.5, exp(eta)), 4) + .001; d$seen <- pmin(d$time, 2); d$late <- as.integer(d$time >= 2)
write.csv(d[names(d) != "time"], "classical.csv", row.names = FALSE, quote = FALSE)
out <- file("classical.txt", "w")
put <- function(text, family, est, se) {
  writeLines(paste(text, family, sep = ";"), out)
  for (k in names(est)) writeLines(sprintf("%s %.8g %.8g", k, est[k], se[k]), out)
  writeLines("", out)
}
both <- function(text, family, f) { s <- coef(summary(f)); put(text, family, s[, 1], s[, 2]) }
both("y ~ x + h + b", "gaussian", lm(y ~ x + h + b, d))
both("y ~ poly(x, 2) * h", "gaussian", lm(y ~ poly(x, 2) * h, d))
both("bin ~ x * h", "bernoulli", glm(bin ~ x * h, binomial, d))
both("hits | trials(trials) ~ x + h", "binomial", glm(cbind(hits, trials - hits) ~ x + h, binomial, d))
both("count ~ x + h + b", "poisson", glm(count ~ x + h + b, poisson, d))
p <- polr(factor(ord) ~ x + h, d, Hess = TRUE); s <- coef(summary(p))
put("ord ~ x + h", "cumulative", s[, 1], s[, 2])
library(survival)
for (dist in c("weibull", "exponential")) {
  f <- survreg(Surv(pmin(time, 2), time < 2) ~ x + h, d, dist = dist); s <- summary(f)$table
  put("seen | cens(late) ~ x + h", dist, s[c("x", "hmid", "htop"), 1], s[c("x", "hmid", "htop"), 2])
}
close(out)
