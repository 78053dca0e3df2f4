# Writes ten tables of R's packages datasets and MASS into a folder, and the usual checks of an obvious and of an adequate
# model of each: Shapiro and Wilk's test of the residuals; the F test of squares of the fitted values (RESET), and Breusch and
# Pagan's test that the variance follows the fitted values (Koenker's form), where fitted values differ. Residuals of models
# that are not normal are normal quantiles of their probabilities, fitted by maximum likelihood.
folder <- commandArgs(TRUE)[1]
suppressMessages({library(MASS); library(survival)})
checks <- function(name, e, f = NULL) {
  p <- c(SW = shapiro.test(e)$p.value, RESET = NA, BP = NA)
  if (!is.null(f) && length(unique(round(f, 9))) > 2) {
    p["RESET"] <- summary(lm(e ~ f + I(f^2)))$coefficients[3, 4]
    r <- summary(lm(e^2 ~ f))$r.squared
    p["BP"] <- pchisq(length(e) * r, 1, lower.tail = FALSE)
  }
  cat(name, paste(signif(p, 2), collapse = " "), sep = "|"); cat("\n")
}
linear <- function(name, m) checks(name, resid(m), fitted(m))
put <- function(name, d) write.csv(d, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)

x <- galaxies / 1000; put("galaxies", data.frame(speed = x))
checks("galaxies obvious", x)
parts <- function(a) { w <- exp(c(a[1], 0, a[2])); list(w = w / sum(w), m = a[3:5], s = exp(a[6:8])) }
mix <- function(f, a) { p <- parts(a); p$w[1] * f(x, p$m[1], p$s[1]) + p$w[2] * f(x, p$m[2], p$s[2]) + p$w[3] * f(x, p$m[3], p$s[3]) }
a <- optim(c(-2, -3, 9.7, 21, 33, -1, .8, -1), function(a) -sum(log(mix(dnorm, a))), control = list(maxit = 9000))$par
checks("galaxies adequate", qnorm(mix(pnorm, a)))

d <- na.omit(airquality[, c("Ozone", "Solar.R", "Wind", "Temp")]); names(d)[2] <- "Solar"; put("ozone", d)
linear("ozone obvious", lm(Ozone ~ Solar + Wind + Temp, d))
linear("ozone adequate", lm(Ozone^(1/3) ~ Solar + poly(Wind, 2) + poly(Temp, 2), d))

student <- function(x) {
  m <- suppressWarnings(fitdistr(x, "t", start = list(m = median(x), s = mad(x), df = 2), lower = c(-Inf, 1e-3, .5)))$estimate
  qnorm(pt((x - m[1]) / m[2], m[3]))
}
put("copper", data.frame(copper = chem)); checks("copper obvious", chem); checks("copper adequate", student(chem))
put("light", data.frame(time = newcomb)); checks("light obvious", newcomb); checks("light adequate", student(newcomb))

put("mammals", mammals)
linear("mammals obvious", lm(brain ~ body, mammals)); linear("mammals adequate", lm(log(brain) ~ log(body), mammals))
put("trees", trees)
linear("trees obvious", lm(Volume ~ Girth + Height, trees))
linear("trees adequate", lm(log(Volume) ~ log(Girth) + log(Height), trees))

put("leukaemia", data.frame(time = leuk$time, wbc = leuk$wbc, ag = leuk$ag))
linear("leukaemia obvious", lm(time ~ log(wbc) + ag, leuk))
s <- survreg(Surv(time) ~ log(wbc) + ag, leuk)
checks("leukaemia adequate", qnorm(pweibull(leuk$time, 1 / s$scale, exp(s$linear.predictors))), s$linear.predictors)

nile <- data.frame(flow = as.numeric(Nile), dam = ifelse(time(Nile) > 1898, "after", "before")); put("nile", nile)
checks("nile obvious", nile$flow); linear("nile adequate", lm(flow ~ dam, nile))
put("women", women)
linear("women obvious", lm(weight ~ height, women)); linear("women adequate", lm(weight ~ height + I(height^2), women))
put("cars", cars)
linear("cars obvious", lm(dist ~ speed, cars)); linear("cars adequate", lm(sqrt(dist) ~ speed, cars))
