package draws

import "testing"

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0%", 1: "100%", 0.997: "100%", 0.994: "99%", 0.1234: "12%", 0.099: "9.9%",
		0.005: "0.5%", 1.0 / 3000: "0.033%", 1e-6: "0.0001%", 1.23e-7: "0.000012%",
	} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) is %s, want %s", share, got, want)
		}
	}
}
