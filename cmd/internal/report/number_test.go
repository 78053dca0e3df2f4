package report

import "testing"

func TestRoundly(t *testing.T) {
	for v, want := range map[float64]string{5.27: "5.3", 25.2: "25", 99.4: "99", 99.6: "100", 187: "190",
		551.3: "550", 999: "1000", 12345: "12000"} {
		if got := Roundly(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}
