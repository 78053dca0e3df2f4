package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// newcomersFiles are tables as they lie on a statistician's disk: from R, from Excel, with ids.
func newcomersFiles() map[string]string {
	files := mistaken()
	var study, wide strings.Builder
	study.WriteString("id,arm,age,score,site,w\n")
	wide.WriteString("before,after,age\n")
	for i := range 36 {
		fmt.Fprintf(&study, "%d,%s,%d,%g,%s,%d\n", 1000+i, []string{"placebo", "drug"}[i%2], 30+(i*17)%29,
			float64((i*37)%41)/4, []string{"north", "south", "west"}[i%3], 1+i%4)
		fmt.Fprintf(&wide, "%g,%g,%d\n", float64((i*37)%41)/4, float64((i*53)%43)/4, 30+(i*17)%29)
	}
	files["study.csv"], files["wide.csv"] = study.String(), wide.String()
	files["book.xlsx"] = "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00book"
	files["saved.rds"] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03saved"
	files["page.html"] = "<!DOCTYPE html>\n<html><body>404</body></html>\n"
	files["data.json"] = `{"x": [1, 2, 3]}` + "\n"
	files["quote.csv"] = "x,y\n1,\"2\n3,4\n5,6\n"
	files["other.csv"] = "age,height\n" + strings.Repeat("31,170\n45,181\n28,166\n", 6)
	return files
}

// newcomersErrors are calls that go wrong, a line each: the exit code, and the arguments.
const newcomersErrors = `
2 study.csv other.csv wide.csv
1 -columns age study.csv two.csv
1 -columns age study.csv p.csv
1 -columns Age study.csv
1 -columns age,weight study.csv
1 -columns age,,score study.csv other.csv
1 -columns 7 study.csv
1 -columns 0 study.csv
1 -columns 2:3 study.csv
1 -columns age;score study.csv
1 -drop ID study.csv
1 -label treatment study.csv
1 -label Arm -columns age study.csv
1 -label arm=placebo,verum -columns age study.csv
1 -label arm=placebo,Drug -columns age study.csv
2 -label arm=drug -columns age study.csv
2 -label arm==drug -columns age study.csv
1 -label id -columns age study.csv
1 -label arm -columns age,arm study.csv
2 -label arm study.csv other.csv
1 -label arm -columns age -blocks arm study.csv
1 -label arm -columns age -blocks patient study.csv
1 -label arm -columns age -blocks id study.csv
1 -label arm -columns age -weights weight study.csv
1 -label arm -columns age -weights arm study.csv
2 -label arm -columns age -weight w study.csv
2 -weights w -blocks site
2 -alpha 5 study.csv other.csv
2 -alpha 0 p.csv q.csv
2 -alpha 0,05 p.csv q.csv
2 -alpha -0.05 p.csv q.csv
2 -permutations 0 p.csv q.csv
2 -permutations 1e4 p.csv q.csv
2 -permutations 10 p.csv q.csv
2 -band 1.2 p.csv q.csv
2 -band 95% p.csv q.csv
2 -chains four p.csv
2 -chains 0 p.csv
2 -iter 1,000 p.csv
2 -iter 10 -warmup 20 p.csv
2 -iter -400 p.csv
2 -seed abc p.csv
2 -seed 1.5 p.csv
2 --chain 4 p.csv
2 -n 400 p.csv q.csv
2 -kernel gaussian p.csv
2 -kernel "se" p.csv
2 -kernel linear p.csv
2 -prior-theta gaussian(0,1) p.csv
2 -prior-theta gamma(1) p.csv
2 -prior-theta uniform(0,1) p.csv
2 -theta 0.3 p.csv q.csv
2 -test t p.csv q.csv
2 -paired p.csv q.csv
2 -format csv p.csv
2 -format p.csv
2 -quiet -verbose p.csv
2 -na omit p.csv
2 -na.rm p.csv
2 -h5 p.csv
2 -out= p.csv
1 -out p.csv q.csv
1 -resume . p.csv
1 -resume p.csv p.csv
1 -warm-from p.csv p.csv
2 -summary p.csv q.csv
1 -summary p.csv
1 -summary none.sum
1 -inputs-file none.csv p.csv
1 -inputs-file two.csv p.csv
2 -inputs 3.5 p.csv
2 -inputs many p.csv
2 -standardize yes p.csv
1 book.xlsx
1 saved.rds
1 page.html
1 data.json
1 quote.csv
1 https://example.org/p.csv
1 ~/p.csv
1 p.csv,q.csv
1 p
1 *.tsv
1 nodir/p.csv
2 twosample
2 twosample wide.csv
2 twosample -x before -y after wide.csv
2 twosample before after wide.csv
2 twosample -label arm
1 twosample p.csv none.csv
1 twosample p.csv wide.csv
2 twosample -null normal p.csv q.csv
2 twosample -statistic t p.csv q.csv
2 twosample -choose best p.csv q.csv
2 twosample -theta 0 p.csv q.csv
2 twosample -theta auto p.csv q.csv
2 twosample -stop -1 p.csv q.csv
2 twosample -iter 400 p.csv q.csv
2 twosample -null gamma -paired -bayes p.csv q.csv
1 twosample -bayes -paired p.csv other.csv
2 independence wide.csv
2 independence -x before wide.csv
2 independence -y after wide.csv
2 independence -x before -y after
2 independence -x before -y after wide.csv p.csv
2 independence -x before -y before wide.csv
2 independence -x before,age -y after,age wide.csv
1 independence -x Before -y after wide.csv
1 independence -x 1 -y 9 wide.csv
2 independence -x before -y after -label arm wide.csv
2 independence -formula before~after wide.csv
2 independence before~after wide.csv
1 independence -x x -y y none.csv
1 independence -x 1 -y 2 flat.csv
2 power
2 power p.csv
2 power -power 80 p.csv q.csv
2 power -power 0 p.csv q.csv
2 power -problem anova
2 power -from 100 -most 50 p.csv q.csv
2 power -n 100 p.csv q.csv
2 power -replicates 0 p.csv q.csv
1 power p.csv none.csv
2 power -x before wide.csv
2 learn p.csv q.csv wide.csv
1 learn none.csv
2 learn -kernel rbf p.csv
2 learn -map=maybe p.csv
2 learn -chains 4 p.csv
2 learn -tau2 0 p.csv
2 causal
2 causal p.csv q.csv
1 causal p.csv
2 causal -alpha 2 wide.csv
2 causal -test chisq wide.csv
1 causal -time day wide.csv
2 causal -forbid after:before wide.csv
1 causal -require before->nothing wide.csv
2 causal -adjust after wide.csv
1 causal -tiers none.csv wide.csv
2 causal -stability -5 wide.csv
1 causal -truth none.txt wide.csv
1 causal -drop before,after wide.csv
2 novelty p.csv
2 novelty
1 novelty p.csv none.csv
1 novelty p.csv wide.csv
2 novelty -alpha 10 p.csv q.csv
2 novelty -calibrate cross p.csv q.csv
2 novelty -label arm p.csv q.csv
2 embed
2 embed p.csv
1 embed p.csv q.csv none.csv
1 embed p.csv q.csv wide.csv
2 embed -shrink lots p.csv q.csv one.csv
1 embed -label nothing study.csv
2 schema result
2 schema sample learn
2 completion
2 completion powershell
2 man bkesample
2 independance -x a -y b wide.csv
2 two-sample p.csv q.csv
2 test p.csv q.csv
2 plan
1 plan none.csv
2 summarize p.csv
1 summarize -plan p.csv p.csv
1 summarize -plan none.plan p.csv
2 merge
1 merge p.csv q.csv
1 merge none.sum
`

// Whatever a newcomer does wrong is told in one line, which is in testdata/wrong_newcomer.txt, with the
// right code. It leaves the folder as it was.
func TestNewcomersErrors(t *testing.T) {
	inFolder(t, newcomersFiles())
	before := contents(t, ".")
	var all strings.Builder
	count := 0
	for text := range strings.SplitSeq(strings.TrimSpace(newcomersErrors), "\n") {
		words := strings.Fields(text)
		got := call(t, "", words[1:]...)
		if fmt.Sprint(got.code) != words[0] {
			t.Errorf("bkesample %s: exit %d, want %s: %s", strings.Join(words[1:], " "), got.code, words[0],
				got.stderr)
		}
		line, rest, _ := strings.Cut(got.stderr, "\n")
		if !strings.HasPrefix(line, "bkesample: ") || rest != "" || got.stdout != "" || strings.Contains(line, "%!") {
			t.Errorf("bkesample %s: standard error is %q and standard output %q, want one line and nothing",
				strings.Join(words[1:], " "), got.stderr, got.stdout)
		}
		fmt.Fprintf(&all, "bkesample %s\n  exit %d: %s\n", strings.Join(words[1:], " "), got.code,
			strings.TrimPrefix(line, "bkesample: "))
		if after := contents(t, "."); !maps.Equal(before, after) {
			t.Errorf("bkesample %s changes files", strings.Join(words[1:], " "))
			before = after
		}
		count++
	}
	if count < 150 {
		t.Errorf("only %d calls", count)
	}
	golden(t, "wrong_newcomer.txt", all.String())
}
