# Writes data.csv (drawn, synthetic) and matrices.txt, what R's model.matrix makes of the formulas: run by
# Rscript matrices.R in this folder.
set.seed(7)
n <- 14
d <- data.frame(y = round(rnorm(n), 3), x = round(rnorm(n, 2), 3), z = round(rexp(n), 3) + .01, k = rpois(n, 4) + 1L,
  g = sample(rep(c("b", "a", "c"), length.out = n)), h = sample(rep(c("v", "u"), length.out = n)),
  q = sample(rep(c("p1", "p2", "p3", "p4"), length.out = n)), b = sample(rep(c(TRUE, FALSE, FALSE), length.out = n)),
  y2 = round(runif(n), 3))
d$`body mass` <- round(rnorm(n, 70, 5), 1)
write.csv(d, "data.csv", row.names = FALSE, quote = FALSE)
d <- read.csv("data.csv", stringsAsFactors = TRUE, check.names = FALSE)
f <- c("y ~ x", "y ~ x + z", "y ~ 0 + x", "y ~ x - 1", "y ~ 1", "y ~ g", "y ~ 0 + g", "y ~ g - 1", "y ~ g + h", "y ~ 0 + g + h",
 "y ~ g * h", "y ~ 0 + g * h", "y ~ g : h", "y ~ g:h - 1", "y ~ x * g", "y ~ x:g", "y ~ 0 + x:g", "y ~ g + x:g", "y ~ g / x", "y ~ x / g",
 "y ~ g / h", "y ~ h / g / x", "y ~ (x + z + k)^2", "y ~ (x + g + h)^2", "y ~ (g + h + q)^3", "y ~ (x + g + h)^3 - x:g:h", "y ~ g * h - h", "y ~ g * h - g", "y ~ h + g:h",
 "y ~ b", "y ~ 0 + b", "y ~ b * x", "y ~ b:g", "y ~ log(z)", "y ~ log(z, 2) + exp(x)", "y ~ sqrt(z) + abs(x)", "y ~ I(x^2)", "y ~ x + I(x^2) + I(x^3)",
 "y ~ I(x + z)", "y ~ I(x * z) + I(x/z)", "y ~ I(-x)", "y ~ poly(x, 2)", "y ~ poly(x, 3) + g", "y ~ poly(x, 2, raw = TRUE)", "y ~ poly(z, degree = 2) * h",
 "y ~ poly(x, 1)", "y ~ factor(k)", "y ~ factor(k) * x", "y ~ 0 + factor(k)", "y ~ scale(x)", "y ~ scale(x, scale = FALSE) + scale(z, center = FALSE)", "y ~ x %in% g", "y ~ g + x %in% g",
 "y ~ offset(z) + x", "log(z) ~ x + offset(log(z))", "y ~ . - y2", "z ~ x + g + x + g", "y ~ g:h:q", "y ~ x:z:g", "y ~ x + (g + h) * q - q", "y ~ x > 2", "y ~ I(x > 2)", "y ~ (x > 2) * g",
 "y ~ `body mass` + log(`body mass`)", "y ~ h + q + h:q:x", "y ~ x*z*g", "y ~ x^2", "~ g + x", "y ~ (x + 0) + g", "y ~ g + 0 + h:x", "y ~ x + g:h + h", "y ~ I(g == \"a\")", "y ~ log1p(z) + I(pmin(x, z))",
 "y ~ g %in% h", "y ~ 1 + x:h + g", "y ~ x - x", "y ~ factor(k > 4) + b:x", "y ~ round(x) + floor(z)", "y ~ I(2^k) + I(k%%2 == 0)")
out <- file("matrices.txt", "w")
for (s in f) {
  m <- try(model.matrix(as.formula(s), d), silent = TRUE)
  if (inherits(m, "try-error")) { cat(s, m); next }
  cat(s, "\n", paste(colnames(m), collapse = "\t"), "\n", sep = "", file = out)
  for (j in seq_len(ncol(m))) cat(paste(sprintf("%.13g", m[, j]), collapse = " "), "\n", sep = "", file = out)
  cat("\n", file = out)
}
close(out)
