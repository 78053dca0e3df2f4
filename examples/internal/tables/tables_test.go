package tables

import "testing"

func TestRead(t *testing.T) {
	for name, want := range map[string][2]int{"ionosphere": {351, 32}, "sonar": {208, 60},
		"wdbc": {569, 30}, "wine": {178, 13}, "vehicle": {846, 18}, "vowel": {990, 9},
		"housing": {506, 13}, "glass": {214, 9}, "digits": {1797, 64}} {
		x, class, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		n, d := x.Dims()
		if n != want[0] || d != want[1] || (class == nil) != (name == "housing") {
			t.Errorf("%s is %d x %d, want %v", name, n, d, want)
		}
	}
	if _, _, err := Read("none"); err == nil {
		t.Error("a table that is not there is read")
	}
}
