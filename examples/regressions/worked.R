# Writes five synthetic tables of kinds that statisticians know, and worked.txt: what lme4, survival, MASS and mgcv answer. Run in
# this folder by Rscript worked.R.
suppressMessages({library(lme4); library(MASS); library(survival); library(mgcv)})
set.seed(20)
save <- function(d, name) write.csv(d, file.path("data", paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
out <- file("worked.txt", "w")
put <- function(table, family, text, by, est, se = NA * est, options = "") {
  writeLines(paste(table, family, text, by, options, sep = " ; "), out)
  for (k in names(est)) writeLines(sprintf("%s %.5g %.4g", k, est[k], se[k]), out)
  writeLines("", out)
}
fixed <- function(f) { s <- coef(summary(f)); list(s[, 1], s[, 2]) }
mixed <- function(f) { s <- fixed(f); v <- as.data.frame(VarCorr(f)); v <- v[is.na(v$var2), ]
  sd <- setNames(v$sdcor, ifelse(v$grp == "Residual", "sigma", paste0("sd_", v$grp, "__", ifelse(v$var1 == "(Intercept)", "Intercept", v$var1))))
  list(c(s[[1]], sd), c(s[[2]], sd * NA)) }
# Radon: log activity of houses in counties, measured in the basement or on the first floor.
dir.create("data", FALSE)
J <- 60; county <- sprintf("county%02d", 1:J); size <- pmax(1, rgeom(J, 1 / 13)); j <- rep(1:J, size); u <- round(rnorm(J, 0, .4), 2)
a <- 1.4 + .7 * u + rnorm(J, 0, .2); floor <- rbinom(length(j), 1, .2)
d <- data.frame(county = county[j], floor = c("basement", "first")[1 + floor], uranium = u[j],
  logradon = round(a[j] - .65 * floor + rnorm(length(j), 0, .75), 2)); save(d, "radon")
r <- mixed(lmer(logradon ~ floor + uranium + (1 | county), d)); put("radon", "gaussian", "logradon ~ floor + uranium + (1 | county)", "lme4::lmer (REML)", r[[1]], r[[2]])
# Sleep: reaction times of persons over days without sleep.
i <- rep(1:18, each = 10); day <- rep(0:9, 18); b <- mvrnorm(18, c(250, 10), matrix(c(600, 10, 10, 35), 2))
d <- data.frame(subject = sprintf("s%02d", i), day = day, reaction = round(b[i, 1] + b[i, 2] * day + rnorm(180, 0, 25), 1)); save(d, "sleep")
r <- mixed(lmer(reaction ~ day + (1 + day | subject), d)); put("sleep", "gaussian", "reaction ~ day + (1 + day | subject)", "lme4::lmer (REML)", r[[1]], r[[2]])
# Epilepsy: counts of seizures in four periods, of patients given a drug or nothing.
i <- rep(1:60, each = 4); base <- round(rgamma(60, 2, .1)) + 5; drug <- rep(0:1, 30); u <- rnorm(60, 0, .5)
d <- data.frame(patient = sprintf("p%02d", i), treatment = c("placebo", "drug")[1 + drug[i]], base = base[i], period = rep(1:4, 60))
d$seizures <- rpois(240, exp(-1.3 + log(base[i]) - .3 * drug[i] + u[i])); save(d, "epilepsy")
d$treatment <- factor(d$treatment, c("placebo", "drug"))
f <- glmer(seizures ~ log(base) + treatment + period + (1 | patient), d, poisson); r <- mixed(f)
put("epilepsy", "poisson", "seizures ~ log(base) + treatment + period + (1 | patient)", "lme4::glmer (Laplace)", r[[1]], r[[2]], "treatment=placebo,drug")
# Kidney: times to infection at the catheter, two of a patient, some censored.
n <- 120; d <- data.frame(age = round(runif(n, 20, 70)), sex = sample(c("female", "male"), n, TRUE))
t <- rweibull(n, 1.2, exp(4 + .01 * (d$age - 45) - .9 * (d$sex == "male"))); end <- runif(n, 30, 200)
d$time <- round(pmin(t, end), 1) + .1; d$censored <- as.integer(t > end); save(d, "kidney")
f <- survreg(Surv(time, 1 - censored) ~ age + sex, d); s <- summary(f)$table
put("kidney", "weibull", "time | cens(censored) ~ age + sex", "survival::survreg", s[2:3, 1], s[2:3, 2])
# Satisfaction: an ordered answer.
n <- 500; d <- data.frame(rent = round(runif(n, 3, 15), 1), influence = sample(c("low", "medium", "high"), n, TRUE), contact = sample(0:1, n, TRUE))
eta <- -.1 * d$rent + .5 * (d$influence == "medium") + 1.1 * (d$influence == "high") + .3 * d$contact
d$satisfied <- c("no", "partly", "yes")[cut(eta + rlogis(n), c(-Inf, -1, .2, Inf), labels = FALSE)]; save(d, "satisfaction")
d$influence <- factor(d$influence, c("low", "medium", "high"))
f <- polr(factor(satisfied) ~ rent + influence + contact, d, Hess = TRUE); r <- fixed(f)
put("satisfaction", "cumulative", "satisfied ~ rent + influence + contact", "MASS::polr", r[[1]], r[[2]], "influence=low,medium,high")
close(out)
