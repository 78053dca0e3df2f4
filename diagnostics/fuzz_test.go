package diagnostics

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// chainsFrom makes chains of any bytes: the first one says how many, whether the last is cut short,
// and whether a draw is one byte (many ties) or the eight of a float64.
func chainsFrom(data []byte) [][]float64 {
	if len(data) == 0 {
		return nil
	}
	head := data[0]
	data = data[1:]
	var values []float64
	if head&0x80 == 0 {
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
	} else {
		for _, b := range data {
			values = append(values, float64(int8(b))/16)
		}
	}
	chains := make([][]float64, head&7)
	for j := range chains {
		n := len(values) / len(chains)
		chains[j] = values[j*n : (j+1)*n]
	}
	if n := len(chains); n > 0 && head&0x40 != 0 && len(chains[n-1]) > 0 {
		chains[n-1] = chains[n-1][1:]
	}
	return chains
}

// For any input no function panics; results are numbers within their bounds, or NaN. The
// infinities are those documented: R-hat of chains that stand still, and errors of draws near the
// largest number.
func FuzzDiagnostics(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{4})
	f.Add([]byte("\x82abcdefghijklmnopqrstuvwxyz"))
	f.Add([]byte("\x84aaaaaaabaaaaaaaaaaaabaaaaaaaaaaaabaaaaa"))
	f.Add([]byte("\x82aaaaaaaaaaaabbbbbbbbbbbb"))
	f.Add([]byte("\xc3abacabadabacabaeabacabadabacabafabacab"))
	f.Add([]byte("\x811-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-"))
	extremes := []byte{2}
	for i := range 24 {
		v := []float64{math.MaxFloat64, -math.MaxFloat64, 5e-324, 0, 1, -1e-300}[i*i%6]
		extremes = binary.LittleEndian.AppendUint64(extremes, math.Float64bits(v))
	}
	f.Add(extremes)
	f.Add(append([]byte{1}, make([]byte, 800)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkAny(t, chainsFrom(data))
	})
}

func checkAny(t *testing.T, chains [][]float64) {
	t.Helper()
	err := Check(chains)
	largest, draws := 0.0, 0
	for _, c := range chains {
		draws = len(c)
		for _, v := range c {
			largest = max(largest, math.Abs(v))
		}
	}
	limit := ESSCap(len(chains), draws)
	for name, g := range every {
		v := g(chains)
		switch {
		case math.IsNaN(v):
			always := name == "RHat" || name == "ESSBulk" || name == "ESSMean" || name == "MCSEMean"
			if err == nil && always && draws%2 == 0 {
				t.Errorf("%s is NaN where Check finds nothing", name)
			}
		case name == "ParetoK":
			if math.IsInf(v, 0) {
				t.Errorf("%s is %v", name, v)
			}
		case math.IsInf(v, 1):
			stuck := strings.Contains(name, "RHat")
			huge := strings.HasPrefix(name, "MCSE") && largest > math.MaxFloat64/4
			if !stuck && !huge {
				t.Errorf("%s is %v", name, v)
			}
		case v < 0:
			t.Errorf("%s is %v", name, v)
		case strings.Contains(name, "ESS") && !(v > 0 && v <= limit) && name[0] != 'M':
			t.Errorf("%s is %v, want at most %v", name, v, limit)
		}
		if err != nil && strings.HasPrefix(name, "ESS") && !math.IsNaN(v) {
			t.Errorf("%s is %v although %v", name, v, err)
		}
	}
}
