package report

import "testing"

func TestCSV(t *testing.T) {
	for in, want := range map[string]string{"x": "x", "a,b": `"a,b"`, `say "x"`: `"say ""x"""`, "": "",
		"=1+1": `"'=1+1"`, "+x": `"'+x"`, "-x": `"'-x"`, "@SUM(A1)": `"'@SUM(A1)"`, "a=b": "a=b",
		`=HYPERLINK("u")`: `"'=HYPERLINK(""u"")"`} {
		if got := CSV(in); got != want {
			t.Errorf("CSV(%q) = %s, want %s", in, got, want)
		}
	}
}
