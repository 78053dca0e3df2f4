package input

import "testing"

// Samples are called what their files are, without what says of which kind they are.
func TestSampleName(t *testing.T) {
	for file, want := range map[string]string{"-": "standard input", "P.csv": "P", "a/b/P.tsv.gz": "P",
		"P.parquet": "P", "P-*.csv": "P-*", "old/*.csv": "old", "*.txt": "*", "data/p": "p"} {
		if got := sampleName(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}
