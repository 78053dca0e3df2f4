# Reads the golden CSV files with rstan and compares every value with expected.json: those written by
# default, or with words for booleans where rstan is 2.33 or newer.
suppressMessages(library(rstan))
golden <- commandArgs(trailingOnly = TRUE)[1]

# JSON without brackets or colons inside strings, such as expected.json, is nearly R.
read_json <- function(path) {
  text <- paste(readLines(path), collapse = "")
  text <- gsub("\"([^\"]*)\":", "`\\1`=", text)
  text <- gsub("[{[]", "list(", text)
  text <- gsub("[]}]", ")", text)
  text <- gsub("true", "TRUE", gsub("false", "FALSE", gsub("null", "list()", text)))
  eval(parse(text = text, keep.source = FALSE))
}

# R's own reading of decimal numbers may be off by a few units in the last place.
same <- function(got, want, what) {
  if (length(got) != length(want)) stop(what, ": ", length(got), " values, want ", length(want))
  bad <- which(!(got == want | abs(got - want) <= 1e-15 * abs(want) + 1e-307))
  if (length(bad)) {
    stop(what, ": ", format(got[bad[1]], digits = 17), ", want ", format(want[bad[1]], digits = 17))
  }
  length(got)
}

check <- function(run, spelling) {
  expected <- read_json(file.path(golden, run, "expected.json"))
  chains <- length(expected$step_size)
  files <- file.path(golden, run, sprintf("%s_%d.csv", spelling, seq_len(chains)))
  fit <- read_stan_csv(files)
  count <- 0
  kept <- extract(fit, permuted = FALSE, inc_warmup = FALSE)
  all <- extract(fit, permuted = FALSE, inc_warmup = TRUE)
  warm <- dim(all)[1] - dim(kept)[1]
  for (v in expected$variables) {
    dims <- as.integer(unlist(v$dims))
    if (!identical(as.integer(fit@par_dims[[v$csv_name]]), dims)) stop("dimensions of ", v$csv_name)
    elements <- if (length(dims)) as.matrix(expand.grid(lapply(dims, seq_len))) else matrix(0, 1, 0)
    for (e in seq_len(nrow(elements))) {
      index <- elements[e, ]
      name <- v$csv_name
      at <- 1
      if (length(dims)) {
        name <- sprintf("%s[%s]", name, paste(index, collapse = ","))
        for (k in seq_along(dims)) at <- (at - 1) * dims[k] + index[k]
      }
      for (chain in seq_len(chains)) {
        pick <- function(rows) vapply(rows, function(row) as.numeric(row[[at]]), 0)
        what <- paste(name, "in chain", chain)
        count <- count + same(kept[, chain, name], pick(v$draws[[chain]]), what)
        if (warm > 0) {
          count <- count + same(all[seq_len(warm), chain, name], pick(v$warmup[[chain]]), what)
        }
      }
    }
  }
  params <- get_sampler_params(fit, inc_warmup = FALSE)
  for (chain in seq_len(chains)) {
    count <- count + same(kept[, chain, "lp__"], unlist(expected$stats$lp__[[chain]]), "lp__")
    for (s in setdiff(names(expected$stats), "lp__")) {
      count <- count + same(params[[chain]][, s], unlist(expected$stats[[s]][[chain]]), s)
    }
    if (fit@stan_args[[chain]]$chain_id != chain) stop("chain_id")
  }
  if (fit@sim$thin != expected$thin) stop("thin")
  if (fit@sim$warmup != expected$num_warmup) stop("warmup")
  if (fit@sim$iter != expected$num_warmup + expected$num_samples) stop("iter")
  if (warm != if (expected$save_warmup) ceiling(expected$num_warmup / expected$thin) else 0) stop("rows")
  count
}

good <- TRUE
spelling <- if (packageVersion("rstan") < "2.33") "default" else "word"
for (run in c("diag", "dense", "unit")) {
  what <- sprintf("rstan: %s/%s_*.csv:", run, spelling)
  verdict <- withCallingHandlers(
    tryCatch(sprintf("ok    %s %d values, rstan %s", what, check(run, spelling),
                     packageVersion("rstan")),
             error = function(e) sprintf("FAIL  %s %s", what, conditionMessage(e))),
    warning = function(w) stop("warning: ", conditionMessage(w)))
  good <- good && startsWith(verdict, "ok")
  cat(verdict, "\n", sep = "")
}
quit(status = if (good) 0 else 1)
