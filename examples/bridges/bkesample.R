# bkesample from R: the main table of a command as a data frame; everything else is its attribute "all".
# Needs the program bkesample on the path, and the package jsonlite.
#
#   source("bkesample.R")
#   bkesample("twosample", iris, "-label", "Species=setosa,virginica")
#   bkesample("independence", mtcars, "-x", "mpg", "-y", "wt", "-permutations", 199)
#   bkesample("sample", list(women[1:7, ], women[8:15, ]), "-iter", 200)
#   d <- bkesample("learn", faithful); attr(d, "all")$pictures[[1]]$draws$theta

bkesample <- function(command, data, ..., program = "bkesample") {
  if (is.data.frame(data)) data <- list(data = data)
  if (is.null(names(data))) names(data) <- LETTERS[15 + seq_along(data)]  # P, Q, ...
  folder <- tempfile("bkesample")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  files <- file.path(folder, paste0(names(data), ".csv"))
  Map(function(d, f) write.csv(d, f, row.names = FALSE, fileEncoding = "UTF-8"), data, files)
  words <- c(command, "-out", file.path(folder, "out"), "-format", "json", ..., files)
  said <- file.path(folder, "said.txt")
  out <- suppressWarnings(system2(program, shQuote(words), stdout = TRUE, stderr = said))
  code <- attr(out, "status")
  if (!is.null(code) && !code %in% c(3, 4)) stop(paste(readLines(said), collapse = "\n"))
  all <- jsonlite::fromJSON(paste(out, collapse = "\n"), simplifyDataFrame = FALSE)
  main <- c(sample = "parameters", twosample = "by_column", learn = "modes", power = "sizes",
            novelty = "most_novel", causal = "edges", embed = "distances")
  rows <- if (command %in% names(main)) all[[main[[command]]]]
  if (is.matrix(rows)) {
    table <- as.data.frame(rows, row.names = sapply(all$samples, `[[`, "name"))
    names(table) <- row.names(table)
  } else {
    if (length(rows) == 0) rows <- list(all[c("p", "statistic", "alpha", "reject", "null")])
    one <- function(r) as.data.frame(lapply(r, function(v) if (length(v) == 1) v else paste(v, collapse = " ")))
    table <- do.call(rbind, lapply(rows, one))
  }
  structure(table, all = all)
}
