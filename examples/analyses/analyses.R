# Writes the data of each analysis into a folder, and a line for each with R's own p-values.
folder <- commandArgs(TRUE)[1]
suppressMessages({library(energy); library(MASS)})
set.seed(1)
count <- 0
R <- 4999

put <- function(name, kind, data, p) {
  count <<- count + 1
  write.table(data, file.path(folder, paste0(count, ".csv")), sep = ",", row.names = FALSE, col.names = FALSE)
  cat(name, kind, paste0(names(p), "=", format(p, digits = 6, trim = TRUE), collapse = ";"), sep = "|")
  cat("\n")
}

# Groups g of rows x: energy, and for one column rank and mean tests, for several Pillai's.
groups <- function(name, x, g) {
  x <- as.data.frame(x); g <- factor(g)
  keep <- complete.cases(x) & !is.na(g); x <- x[keep, , drop = FALSE]; g <- factor(g[keep])
  o <- order(g); x <- as.matrix(x[o, , drop = FALSE]); g <- g[o]
  z <- if (ncol(x) > 1) scale(x) else x
  p <- c(energy = eqdist.etest(z, as.vector(table(g)), R = R)$p.value)
  if (ncol(x) == 1 && nlevels(g) == 2) {
    p["wilcoxon"] <- suppressWarnings(wilcox.test(x[, 1] ~ g)$p.value)
    p["t"] <- t.test(x[, 1] ~ g)$p.value
  } else if (ncol(x) == 1) {
    p["kruskal"] <- kruskal.test(x[, 1], g)$p.value
    p["anova"] <- oneway.test(x[, 1] ~ g)$p.value
  } else p["pillai"] <- summary(manova(x ~ g))$stats[1, 6]
  put(name, "groups", cbind(as.integer(g), x), p)
}

# Two variables: distance correlation, and for one column each Pearson's and Spearman's.
variables <- function(name, x, y) {
  x <- as.data.frame(x); y <- as.data.frame(y)
  keep <- complete.cases(x) & complete.cases(y)
  x <- as.matrix(x[keep, , drop = FALSE]); y <- as.matrix(y[keep, , drop = FALSE])
  p <- c(dcor = dcor.test(scale(x), scale(y), R = R)$p.value)
  if (ncol(x) == 1 && ncol(y) == 1) {
    p["pearson"] <- cor.test(x[, 1], y[, 1])$p.value
    p["spearman"] <- suppressWarnings(cor.test(x[, 1], y[, 1], method = "spearman")$p.value)
  }
  put(name, paste0("variables", ncol(x)), cbind(x, y), p)
}

# Two factors, as indicators.
factors <- function(name, table) {
  d <- as.data.frame(table); d <- d[rep(seq_len(nrow(d)), d$Freq), ]
  x <- model.matrix(~ d[[1]] - 1); y <- model.matrix(~ d[[2]] - 1)
  put(name, paste0("factors", ncol(x)), cbind(x, y),
    c(chisq = chisq.test(table, correct = FALSE)$p.value,
      exact = fisher.test(table, simulate.p.value = TRUE, B = 1e4)$p.value))
}

paired <- function(name, x, y) put(name, "paired", cbind(x, y),
  c(t = t.test(x, y, paired = TRUE)$p.value, wilcoxon = suppressWarnings(wilcox.test(x, y, paired = TRUE)$p.value)))

# Groups of one column given covariates: the F test of g beside them, of the values and of their ranks.
given <- function(name, x, g, z) {
  g <- factor(g); z <- as.data.frame(z); o <- order(g)
  of <- function(y) anova(lm(y ~ ., z), lm(y ~ g + ., z))[2, 6]
  number <- as.data.frame(lapply(z, function(v) if (is.numeric(v)) v else as.integer(factor(v))))
  category <- sapply(z, function(v) !is.numeric(v))
  put(name, paste0("given", paste0(as.integer(category), collapse = "")), cbind(as.integer(g), x, number)[o, ],
    c(F = of(x), ranks = of(rank(x))))
}

two <- function(d, column, a, b) { d <- d[d[[column]] %in% c(a, b), ]; d[[column]] <- factor(d[[column]]); d }

groups("iris: Sepal.Width by Species", iris$Sepal.Width, iris$Species)
groups("iris: all columns by Species", iris[, 1:4], iris$Species)
d <- two(iris, "Species", "versicolor", "virginica")
groups("iris: Sepal.Width, versicolor and virginica", d$Sepal.Width, d$Species)
groups("iris: Sepal.Length, versicolor and virginica", d$Sepal.Length, d$Species)
groups("chickwts: weight by feed", chickwts$weight, chickwts$feed)
d <- two(chickwts, "feed", "casein", "sunflower"); groups("chickwts: casein and sunflower", d$weight, d$feed)
d <- two(chickwts, "feed", "linseed", "soybean"); groups("chickwts: linseed and soybean", d$weight, d$feed)
d <- two(chickwts, "feed", "horsebean", "meatmeal"); groups("chickwts: horsebean and meatmeal", d$weight, d$feed)
groups("sleep: extra by group", sleep$extra, sleep$group)
paired("sleep: extra by group, paired", sleep$extra[1:10], sleep$extra[11:20])
groups("ToothGrowth: len by supp", ToothGrowth$len, ToothGrowth$supp)
groups("ToothGrowth: len by dose", ToothGrowth$len, ToothGrowth$dose)
given("ToothGrowth: len by supp given dose", ToothGrowth$len, ToothGrowth$supp, data.frame(dose = factor(ToothGrowth$dose)))
groups("airquality: Ozone by Month", airquality$Ozone, airquality$Month)
d <- two(airquality, "Month", 5, 8); groups("airquality: Ozone, May and August", d$Ozone, d$Month)
d <- two(airquality, "Month", 7, 8); groups("airquality: Ozone, July and August", d$Ozone, d$Month)
groups("airquality: Wind by Month", airquality$Wind, airquality$Month)
variables("airquality: Ozone and Temp", airquality$Ozone, airquality$Temp)
variables("airquality: Ozone and Solar.R", airquality$Ozone, airquality$Solar.R)
variables("airquality: Solar.R and Wind", airquality$Solar.R, airquality$Wind)
groups("birthwt: bwt by smoke", birthwt$bwt, birthwt$smoke)
groups("birthwt: bwt by race", birthwt$bwt, birthwt$race)
groups("birthwt: bwt by ht", birthwt$bwt, birthwt$ht)
groups("birthwt: bwt by ui", birthwt$bwt, birthwt$ui)
groups("birthwt: age by low", birthwt$age, birthwt$low)
groups("birthwt: lwt by low", birthwt$lwt, birthwt$low)
groups("birthwt: age, lwt and bwt by smoke", birthwt[, c("age", "lwt", "bwt")], birthwt$smoke)
variables("birthwt: age and bwt", birthwt$age, birthwt$bwt)
variables("birthwt: lwt and bwt", birthwt$lwt, birthwt$bwt)
given("birthwt: bwt by smoke given race", birthwt$bwt, birthwt$smoke, data.frame(race = factor(birthwt$race)))
given("birthwt: bwt by smoke given age and lwt", birthwt$bwt, birthwt$smoke, birthwt[, c("age", "lwt")])
groups("mtcars: mpg by am", mtcars$mpg, mtcars$am)
groups("mtcars: qsec by am", mtcars$qsec, mtcars$am)
groups("mtcars: hp by cyl", mtcars$hp, mtcars$cyl)
groups("mtcars: carb by am", mtcars$carb, mtcars$am)
variables("mtcars: mpg and qsec", mtcars$mpg, mtcars$qsec)
variables("mtcars: mpg and wt", mtcars$mpg, mtcars$wt)
variables("mtcars: drat and qsec", mtcars$drat, mtcars$qsec)
given("mtcars: mpg by am given wt", mtcars$mpg, mtcars$am, mtcars["wt"])
variables("faithful: eruptions and waiting", faithful$eruptions, faithful$waiting)
variables("quakes: depth and mag", quakes$depth[1:400], quakes$mag[1:400])
variables("quakes: position and depth", quakes[1:400, c("lat", "long")], quakes$depth[1:400])
groups("Pima.tr: glu by type", Pima.tr$glu, Pima.tr$type)
groups("Pima.tr: bp by type", Pima.tr$bp, Pima.tr$type)
groups("Pima.tr: ped by type", Pima.tr$ped, Pima.tr$type)
groups("Pima.tr: all columns by type", Pima.tr[, 1:7], Pima.tr$type)
variables("Pima.tr: skin and bmi", Pima.tr$skin, Pima.tr$bmi)
variables("Pima.tr: ped and age", Pima.tr$ped, Pima.tr$age)
given("Pima.tr: bmi by type given age", Pima.tr$bmi, Pima.tr$type, Pima.tr["age"])
groups("warpbreaks: breaks by wool", warpbreaks$breaks, warpbreaks$wool)
groups("warpbreaks: breaks by tension", warpbreaks$breaks, warpbreaks$tension)
given("warpbreaks: breaks by tension given wool", warpbreaks$breaks, warpbreaks$tension, warpbreaks["wool"])
groups("PlantGrowth: weight by group", PlantGrowth$weight, PlantGrowth$group)
d <- two(PlantGrowth, "group", "ctrl", "trt1"); groups("PlantGrowth: ctrl and trt1", d$weight, d$group)
groups("InsectSprays: count by spray", InsectSprays$count, InsectSprays$spray)
d <- two(InsectSprays, "spray", "A", "B"); groups("InsectSprays: A and B", d$count, d$spray)
d <- two(InsectSprays, "spray", "C", "D"); groups("InsectSprays: C and D", d$count, d$spray)
groups("npk: yield by N", npk$yield, npk$N)
given("npk: yield by N given block", npk$yield, npk$N, npk["block"])
given("npk: yield by P given block", npk$yield, npk$P, npk["block"])
groups("infert: age by case", infert$age, infert$case)
groups("infert: spontaneous by case", infert$spontaneous, infert$case)
groups("infert: age by education", infert$age, infert$education)
groups("morley: Speed by Expt", morley$Speed, morley$Expt)
variables("cars: speed and dist", cars$speed, cars$dist)
variables("swiss: Fertility and Education", swiss$Fertility, swiss$Education)
variables("swiss: Fertility and Agriculture", swiss$Fertility, swiss$Agriculture)
variables("attitude: rating and complaints", attitude$rating, attitude$complaints)
variables("attitude: rating and critical", attitude$rating, attitude$critical)
variables("USArrests: Murder and UrbanPop", USArrests$Murder, USArrests$UrbanPop)
variables("USArrests: Murder and Assault", USArrests$Murder, USArrests$Assault)
variables("trees: Girth and Height", trees$Girth, trees$Height)
variables("LifeCycleSavings: sr and pop15", LifeCycleSavings$sr, LifeCycleSavings$pop15)
variables("LifeCycleSavings: sr and dpi", LifeCycleSavings$sr, LifeCycleSavings$dpi)
variables("rock: perm and peri", rock$perm, rock$peri)
factors("HairEyeColor: Hair and Eye", margin.table(HairEyeColor, c(1, 2)))
factors("HairEyeColor: Hair and Sex", margin.table(HairEyeColor, c(1, 3)))
factors("HairEyeColor: Eye and Sex", margin.table(HairEyeColor, c(2, 3)))
factors("UCBAdmissions: Admit and Gender", margin.table(UCBAdmissions, c(1, 2)))
