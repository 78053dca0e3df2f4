# Writes tables that come with R into the folder of its argument, and tables.txt here: what lme4, survival, MASS, mgcv and stats
# answer for them. Run in this folder by Rscript tables.R FOLDER.
suppressMessages({library(lme4); library(MASS); library(survival); library(mgcv)})
dir <- commandArgs(TRUE)[1]
out <- file("tables.txt", "w")
put <- function(d, table, family, text, by, est = numeric(), se = NA * est, options = "") {
  write.csv(d, file.path(dir, paste0(table, ".csv")), row.names = FALSE, quote = FALSE)
  writeLines(paste(table, family, text, by, options, sep = " ; "), out)
  names(est) <- gsub("as\\.integer\\((\\w+)\\)", "\\1", names(est))
  for (k in seq_along(est)) writeLines(sprintf("%s %.5g %.4g", names(est)[k], est[k], se[k]), out)
  writeLines("", out)
}
fixed <- function(f) { s <- coef(summary(f)); list(s[, 1], s[, 2]) }
go <- function(d, table, family, text, by, f, options = "") { r <- fixed(f); put(d, table, family, text, by, r[[1]], r[[2]], options) }
go(sleepstudy, "sleepstudy", "gaussian", "Reaction ~ Days + (1 + Days | Subject)", "lme4::lmer", lmer(Reaction ~ Days + (1 + Days | Subject), sleepstudy))
go(epil, "epil", "poisson", "y ~ log(base) * trt + log(age) + V4 + (1 | subject)", "lme4::glmer",
  glmer(y ~ log(base) * trt + log(age) + V4 + (1 | subject), transform(epil, trt = factor(trt, c("placebo", "progabide"))), poisson))
k <- transform(kidney, sex = c("male", "female")[sex], censored = 1 - status)[c("id", "time", "censored", "age", "sex")]
f <- survreg(Surv(time, 1 - censored) ~ age + factor(sex), k); s <- summary(f)$table[2:3, ]; rownames(s)[2] <- "sexmale"
put(k, "kidney", "weibull", "time | cens(censored) ~ age + sex", "survival::survreg", s[, 1], s[, 2])
h <- housing[rep(seq_len(nrow(housing)), housing$Freq), 1:4]
go(h, "housing", "cumulative", "Sat ~ Infl + Type + Cont", "MASS::polr", polr(Sat ~ Infl + Type + Cont, h, Hess = TRUE),
  "Sat=Low,Medium,High; Infl=Low,Medium,High; Type=Tower,Apartment,Atrium,Terrace; Cont=Low,High")
go(cbpp, "cbpp", "binomial", "incidence | trials(size) ~ factor(period) + (1 | herd)", "lme4::glmer",
  glmer(cbind(incidence, size - incidence) ~ factor(as.integer(period)) + (1 | herd), cbpp, binomial))
aq <- airquality
f <- gam(log(Ozone) ~ Wind + s(Temp), data = aq, method = "REML"); s <- summary(f)$p.table
put(aq, "airquality", "lognormal", "Ozone ~ Wind + s(Temp)", "mgcv::gam", c(Wind = s["Wind", 1]), s["Wind", 2])
go(warpbreaks, "warpbreaks", "negbinomial", "breaks ~ wool * tension", "MASS::glm.nb", glm.nb(breaks ~ wool * tension, warpbreaks), "tension=L,M,H")
go(mtcars, "mtcars", "gaussian", "mpg ~ wt + hp + factor(cyl)", "lm", lm(mpg ~ wt + hp + factor(cyl), mtcars))
go(as.data.frame(ChickWeight), "ChickWeight", "gaussian", "weight ~ Time * factor(Diet) + (1 + Time | Chick)", "lme4::lmer",
  suppressWarnings(lmer(weight ~ Time * factor(as.integer(Diet)) + (1 + Time | Chick), ChickWeight)))
go(infert, "infert", "bernoulli", "case ~ age + parity + education + spontaneous + induced", "glm",
  glm(case ~ age + parity + education + spontaneous + induced, binomial, infert), "education=0-5yrs,6-11yrs,12+ yrs")
put(iris, "iris", "categorical", "Species ~ Sepal.Length + Sepal.Width", "")
put(quine, "quine", "zero_inflated_negbinomial", "Days ~ Sex + Age + Eth + Lrn", "")
close(out)
