# Measures Stan on the targets of this program, with the same warm-up, draws and figures, for the
# table of the README. It needs R with rstan, posterior and jsonlite:
#
#	Rscript stan.R ../models/data [seeds [name]]
#
# On Debian, whose rstan does not find Boost by itself: BOOST=/usr/include Rscript stan.R …
suppressMessages(library(rstan))
if (nzchar(Sys.getenv("BOOST"))) rstan_options(boost_lib = Sys.getenv("BOOST"))
args <- commandArgs(TRUE)
data_of <- function(name) jsonlite::fromJSON(file.path(args[1], paste0(name, ".json")))
seeds <- if (length(args) > 1) as.integer(args[2]) else 10
only <- if (length(args) > 2) args[3] else ""

cases <- list(
  normal100 = list(list(d = 100), "data{int d;} parameters{vector[d] x;} model{x ~ normal(0,1);}"),
  correlated = list(list(r = 0.95), "data{real r;} parameters{vector[2] x;}
    model{x ~ multi_normal(rep_vector(0,2), [[1,r],[r,1]]);}"),
  scales = list(list(s = c(0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)),
    "data{vector[10] s;} parameters{vector[10] x;} model{x ~ normal(0,s);}"),
  eight_schools_noncentered = list("eight_schools",
    "data{int J; real y[J]; real<lower=0> sigma[J];}
    parameters{vector[J] theta_trans; real mu; real<lower=0> tau;}
    transformed parameters{vector[J] theta = theta_trans*tau + mu;}
    model{theta_trans ~ normal(0,1); y ~ normal(theta, sigma); mu ~ normal(0,5); tau ~ cauchy(0,5);}"),
  arK = list("ark", "data{int K; int T; real y[T];}
    parameters{real alpha; real beta[K]; real<lower=0> sigma;}
    model{alpha ~ normal(0,10); beta ~ normal(0,10); sigma ~ cauchy(0,2.5);
      for (t in (K+1):T) {real m = alpha; for (k in 1:K) m += beta[k]*y[t-k]; y[t] ~ normal(m,sigma);}}"),
  garch11 = list("garch", "data{int T; real y[T]; real<lower=0> sigma1;}
    parameters{real mu; real<lower=0> alpha0; real<lower=0,upper=1> alpha1;
      real<lower=0,upper=(1-alpha1)> beta1;}
    model{real s[T]; s[1] = sigma1;
      for (t in 2:T) s[t] = sqrt(alpha0 + alpha1*square(y[t-1]-mu) + beta1*square(s[t-1]));
      y ~ normal(mu, s);}"),
  low_dim_gauss_mix = list("gauss_mix", "data{int N; vector[N] y;}
    parameters{ordered[2] mu; real<lower=0> sigma[2]; real<lower=0,upper=1> theta;}
    model{sigma ~ normal(0,2); mu ~ normal(0,2); theta ~ beta(5,5);
      for (n in 1:N) target += log_mix(theta, normal_lpdf(y[n]|mu[1],sigma[1]),
        normal_lpdf(y[n]|mu[2],sigma[2]));}"),
  kidscore_interaction = list("kidscore",
    "data{int N; vector[N] kid_score; vector[N] mom_hs; vector[N] mom_iq;}
    transformed data{vector[N] inter = mom_hs .* mom_iq;}
    parameters{vector[4] beta; real<lower=0> sigma;}
    model{sigma ~ cauchy(0,2.5);
      kid_score ~ normal(beta[1] + beta[2]*mom_hs + beta[3]*mom_iq + beta[4]*inter, sigma);}"))

cat("| target | ESS/1000 gradients | range | of the squares | gradients |\n|---|---|---|---|---|\n")
for (name in names(cases)) if (only == "" || only == name) {
  case <- cases[[name]]
  data <- if (is.character(case[[1]])) data_of(case[[1]]) else case[[1]]
  model <- suppressMessages(suppressWarnings(stan_model(model_code = case[[2]])))
  one <- function(seed) {
    fit <- suppressWarnings(sampling(model, data = data, chains = 4, iter = 2000, seed = seed,
                                     refresh = 0, cores = 1))
    grads <- sum(sapply(get_sampler_params(fit, inc_warmup = FALSE),
                        function(p) sum(p[, "n_leapfrog__"])))
    x <- as.array(fit)
    keep <- setdiff(dimnames(x)[[3]], c("lp__", grep("trans", dimnames(x)[[3]], value = TRUE)))
    x <- x[, , keep]
    ess <- function(a) 1000 * min(apply(a, 3, posterior::ess_bulk)) / grads
    c(ess(x), ess(x^2), grads)
  }
  m <- sapply(seq_len(seeds), one)
  cat(sprintf("| %s | %.3g | %.3g to %.3g | %.3g | %.0f |\n", name, median(m[1, ]), min(m[1, ]),
              max(m[1, ]), median(m[2, ]), median(m[3, ])))
}
