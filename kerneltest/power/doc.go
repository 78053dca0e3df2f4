// Package power measures how often tests reject: their power where the null hypothesis is false,
// their level where it is true.
//
// # A study
//
// A Problem quantiles data sets, of two samples or of two variables. A Method looks at a data set
// and says reject or not, with a p-value and a few numbers such as the lengthscale of its kernel.
// Run applies methods to replicates of problems, on all processors; RunFile also keeps the results
// in a file, one JSON object per line, and continues from there when it is run again, after a stop
// or with more replicates, problems or methods:
//
//	problems, err := power.ParseProblems("grid:eps=1/2/4")
//	methods, err := power.ParseMethods("median learned fuse mmdagg", kerneltest.Options{})
//	records, err := power.RunFile(ctx, "grid.jsonl", problems, methods,
//		power.Options{Seed: 1, Replicates: 100})
//
// What is in a record depends on the seed and the number of the replicate alone. A study can be
// spread over machines by ranges of replicates (Options.First), or by methods or problems: the files
// are put together by concatenation, whatever the order, and Read reads them.
//
// # Powers and their differences
//
// Rates counts rejections; Rate.Interval is the interval of Wilson (1927), which is good also at
// powers of 0 and 1. Methods see the same data sets, and so are best compared by those where they
// disagree. With b of n data sets rejected by A alone and c by B alone, the difference of the
// powers and its standard error are
//
//	(b-c)/n,   sqrt(b + c - (b-c)²/n) / n
//
// and McNemar's test (1947) compares b with tosses of b+c fair coins: see Compare. WriteRates and
// WriteComparisons make tables of them.
//
// # Problems
//
// ParseProblems knows these, in the form name:parameter=default. Two samples x and y of n rows
// each:
//
//	normal:shift=0,sd=1,n=100,dim=1           normal; y with another sd, and its first column moved
//	normal-laplace:n=100                      N(0, 1) against the Laplace law of the same variance
//	grid:eps=1,per=100,spacing=10,random=0    3 x 3 normals, see below
//	perturbed:amplitude=0.3,n=500,dim=1,peaks=2
//	                                          x uniform with bumps, y uniform on the unit cube
//	correlation:rho=0.35,n=250,dim=5,among=2  normal; the first columns of y correlated
//	mixture:sd=1,n=500,dim=2,mean=20          normals at (±mean, ±mean), in y one of another sd
//	ties:shift=0,n=100,dim=10                 N(0, 1) and N(shift, 1), rounded to integers
//
// Two variables x and y, n pairs:
//
//	sinusoid:freq=2,n=200                     density 1 + sin(freq x) sin(freq y) on (-pi, pi)²
//	circle:noise=0.5,n=100                    points of the unit circle with normal noise
//	linear:rho=0.2,n=100,dim=1                normal, y correlated with the first column of x
//
// The grid (Gretton et al., Optimal kernel choice, 2012) has components N(c, I) in x and N(c, S) in
// y, where S has the eigenvalue eps along (1, 1) and 1 along (-1, 1). Each of the 9 has per rows of
// each sample; with random=1 the component of each row is drawn, so that under eps=1 rows are
// independent of each other, without which a test of level 0.05 rejects less often than that.
//
// The perturbed density (Li and Yuan, 2019; Schrab et al., 2023) is, on each of peaks^dim cells, 1
// plus the product over coordinates of a smooth peak and a dip of the same shape, with a random
// sign for each cell. At amplitude 1 it touches 0. The mixture is that of Biggs, Schrab and
// Gretton (2023), the sinusoid that of Sejdinovic et al. (2013).
//
// # Methods
//
// ParseMethods knows the rules of kerneltest (median/sqrt2, median, sqrt2*median, learned, ladder,
// modes, posterior-mean, bayes, default), fixed (with theta=), fuse, and mmdagg with its sibling
// hsicagg. Parameters are m and z (number and kind of pseudo-inputs), weight, tau2, quantiles (of
// posterior-mean), rungs (of ladder), low, high, amplitude, bandwidths, theta, thetay, combine,
// sharpness, null, unbiased=1, and standardize=1 or 0: "learned:m=90,weight=1,tau2=1,z=heldout".
//
// fuse and mmdagg have ten Gaussian kernels; with families=2 ten Laplace kernels too, as the published programs.
//
// A ladder without rungs has the rungs 0 and 2, that is kernels with 1 and 4 times the learned
// lengthscale, and 4 too in a test of independence. With rungs=r, up to 20, they are -r, -r+1, ...
// r: ladder:rungs=1 has a half, 1 and 2 times the learned lengthscale. With low and high they are
// low, low+1, ... high, for bayes too, and amplitude is the only one of bayes:
// bayes:low=1.5,high=3.5,amplitude=2.
package power
