package tell

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"bayeskernel/cmd/bkesample/internal/cli"
	"bayeskernel/cmd/bkesample/internal/work"
	"bayeskernel/draws"
)

// EmbedReport is what is told of a map of samples.
type EmbedReport struct {
	*work.Embedded
	dir     string
	Again   string // how to make it again
	Summary *embedSummary
}

// embedSummary is summary.json of it.
type embedSummary struct {
	SchemaVersion int          `json:"schema_version"`
	Command       string       `json:"command"`
	Source        string       `json:"source"`
	Columns       []string     `json:"columns"`
	Samples       []embedded   `json:"samples"`
	Verdict       []string     `json:"verdict"`
	Distances     [][]number   `json:"distances"`
	Share         number       `json:"share_shown"`
	ShareFirst    number       `json:"share_shown_by_first"`
	Shrink        string       `json:"shrink"`
	Landmarks     int          `json:"landmarks"`
	Kernel        kernelRecord `json:"kernel"`
	Seed          uint64       `json:"seed"`
	Notes         []string     `json:"notes"`
}

// embedded is one sample.
type embedded struct {
	Name   string    `json:"name"`
	Rows   int       `json:"rows"`
	Lambda number    `json:"lambda"`
	Weight number    `json:"weight"`
	Error  number    `json:"error"`
	Map    [2]number `json:"map"`
}

// NewEmbedReport puts a map into words.
func NewEmbedReport(e *work.Embedded, dir, again string) *EmbedReport {
	r := &EmbedReport{Embedded: e, dir: dir, Again: again}
	s := &embedSummary{SchemaVersion: draws.SchemaVersion, Command: "embed", Source: e.Data.Source,
		Columns: e.Data.Columns, Share: number(digits(e.Share[1])), ShareFirst: number(digits(e.Share[0])),
		Shrink: e.Flags.Shrink, Landmarks: e.Landmarks, Kernel: recordOf(e.Kernel),
		Seed: e.Flags.Kernel.Seed(), Notes: unlike(nil, e.Kernel.Notes, e.Data.Notes, r.notes())}
	for i, name := range e.Data.Names {
		n, _ := e.Data.Of[i].Dims()
		s.Samples = append(s.Samples, embedded{name, n, number(digits(e.Lambda[i])),
			number(digits(e.Weight[i])), number(digits(math.Sqrt(e.Risk[i]))),
			[2]number{r.coordinate(i, 0), r.coordinate(i, 1)}})
		var row []number
		for j := range e.Data.Names {
			row = append(row, number(digits(e.Distance.At(i, j))))
		}
		s.Distances = append(s.Distances, row)
	}
	r.Summary = s
	s.Verdict = []string{r.Finding(), r.shown()}
	return r
}

// coordinate is one of a sample in the map, without digits that rounding left.
func (r *EmbedReport) coordinate(i, a int) number {
	if v := r.Map[i][a]; math.Abs(v) > 1e-7 {
		return number(digits(v))
	}
	return 0
}

// ends are the nearest and the farthest pair.
func (r *EmbedReport) ends() (near, far [2]int) {
	near, far = [2]int{1, 0}, [2]int{1, 0}
	for i := range r.Data.Names {
		for j := range i {
			if d := r.Distance.At(i, j); d < r.Distance.At(near[0], near[1]) {
				near = [2]int{i, j}
			} else if d > r.Distance.At(far[0], far[1]) {
				far = [2]int{i, j}
			}
		}
	}
	return near, far
}

// pair names two samples with their distance.
func (r *EmbedReport) pair(p [2]int) string {
	return fmt.Sprintf("%s and %s (%s)", r.Data.Names[p[1]], r.Data.Names[p[0]],
		short(r.Distance.At(p[0], p[1])))
}

// Finding is the first sentence.
func (r *EmbedReport) Finding() string {
	near, far := r.ends()
	k := len(r.Data.Names)
	if k == 2 {
		return fmt.Sprintf("The distance between %s and %s is %s.", r.Data.Names[near[1]],
			r.Data.Names[near[0]], short(r.Distance.At(near[0], near[1])))
	}
	return fmt.Sprintf("Of %d samples the closest pair is %s, and the farthest %s.", k, r.pair(near),
		r.pair(far))
}

// Title is the finding in few words.
func (r *EmbedReport) Title() string {
	near, far := r.ends()
	k := len(r.Data.Names)
	if k == 2 {
		return "Distance of " + r.pair(near)
	}
	return fmt.Sprintf("%d samples: %s and %s are nearest, %s and %s farthest", k, r.Data.Names[near[1]],
		r.Data.Names[near[0]], r.Data.Names[far[1]], r.Data.Names[far[0]])
}

// shown says what the map shows of the distances.
func (r *EmbedReport) shown() string {
	return fmt.Sprintf("The map shows %s of the sum of all squared distances; its first coordinate %s.",
		percent(r.Share[1]), percent(r.Share[0]))
}

// percent is a share in words that do not round to all.
func percent(v float64) string {
	if v < 1-1e-9 && v > 0.9995 {
		return "more than 99.9%"
	}
	return fmt.Sprintf("%.3g%%", 100*v)
}

// notes say what the distances do not tell.
func (r *EmbedReport) notes() []string {
	least, most := math.Inf(1), 0.0
	for i := range r.Data.Names {
		for j := range i {
			d := math.Sqrt(r.Risk[i] + r.Risk[j])
			least, most = min(least, d), max(most, d)
		}
	}
	about := "about " + short(least)
	if short(least) != short(most) {
		about = fmt.Sprintf("%s to %s", short(least), short(most))
	}
	before := ""
	if r.Flags.Shrink != "none" {
		before = ", before they are shrunk"
	}
	out := []string{fmt.Sprintf("By chance alone the embeddings of two samples of these sizes from one "+
		"distribution are %s apart%s (the root of the sum of their squared errors). Whether two samples "+
		"differ is for bkesample twosample to say.", about, before)}
	if r.Unshrunk > 0 {
		are := "are"
		if r.Unshrunk == 1 {
			are = "is"
		}
		out = append(out, fmt.Sprintf("%s of more than 1000 rows %s not shrunk: it would gain less than a "+
			"hundredth.", cli.Plural(r.Unshrunk, "sample"), are))
	}
	if r.Landmarks > 0 {
		out = append(out, fmt.Sprintf("With so many rows the kernel is replaced by its projection on %d "+
			"landmarks, rows chosen by pivoted Cholesky; what they leave of k(x, x) = 1 is at most %s.",
			r.Landmarks, short(r.Left)))
	}
	return out
}

// Basis says what the distances are.
func (r *EmbedReport) Basis() []string {
	how := map[string]string{
		"none": "The embeddings are the empirical ones.",
		"simple": "Each embedding is shrunk towards zero by one factor, the best by leave-one-out (Muandet " +
			"et al., 2014).",
		"flexible": "Each embedding is shrunk along the eigenvectors of its Gram matrix, as much as is best " +
			"by leave-one-out (Muandet et al., 2014).",
	}
	if r.Flags.Shrink != "none" {
		how[r.Flags.Shrink] += " Those of few rows are shrunk most, and so they are nearer to each other."
	}
	return []string{"The distance of two samples is the maximum mean discrepancy: that of their mean " +
		"embeddings under the kernel. " + how[r.Flags.Shrink],
		kernelSentence("", r.Kernel) + " All rows together chose it, blind to which sample they are of.",
		r.shown() + " It is by classical scaling."}
}

// mostInMatrix is the number of samples whose distances fit on a terminal.
const mostInMatrix = 8

// Matrix is the table of distances, without rows where there are too many.
func (r *EmbedReport) Matrix() Table {
	t := Table{Intro: "Distances:", Head: []string{""}}
	if len(r.Data.Names) > mostInMatrix {
		return t
	}
	for i, name := range r.Data.Names {
		t.Head = append(t.Head, cli.Shorten(name, 12))
		row := []string{name}
		for j := range r.Data.Names {
			text := "0"
			if i != j {
				text = short(r.Distance.At(i, j))
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Each is the table of samples, the first of them where there are many.
func (r *EmbedReport) Each() Table {
	t := Table{Intro: "Samples, the error of their empirical embeddings, and the nearest other one:",
		Head: []string{"", "rows", "error", "weights sum to", "nearest", "distance"}}
	const most = 40
	for i, s := range r.Summary.Samples[:min(len(r.Summary.Samples), most)] {
		near := (i + 1) % len(r.Data.Names)
		for j := range r.Data.Names {
			if j != i && r.Distance.At(i, j) < r.Distance.At(i, near) {
				near = j
			}
		}
		t.Rows = append(t.Rows, []string{s.Name, strconv.Itoa(s.Rows), short(float64(s.Error)),
			short(float64(s.Weight)), r.Data.Names[near], short(r.Distance.At(i, near))})
	}
	if more := len(r.Summary.Samples) - most; more > 0 {
		t.Intro = fmt.Sprintf("The first %d of %d samples, the error of their empirical embeddings, and the "+
			"nearest other one:", most, most+more)
	}
	return t
}

// Text prints the distances.
func (r *EmbedReport) Text(out io.Writer) error {
	var b strings.Builder
	paragraph(&b, r.Finding())
	n, _ := r.Data.P.Dims()
	fmt.Fprintf(&b, "\n%s: %d samples, %d rows\n\n", r.Data.Source, len(r.Data.Names), n)
	if err := r.Each().write(&b); err != nil {
		return err
	}
	fmt.Fprintln(&b)
	if t := r.Matrix(); len(t.Rows) > 0 {
		if err := t.write(&b); err != nil {
			return err
		}
		fmt.Fprintln(&b)
	}
	for _, text := range append(r.Basis(), r.Summary.Notes...) {
		paragraph(&b, text)
	}
	fmt.Fprintf(&b, "\nOpen %s.\n", filepath.Join(r.dir, "report.html"))
	_, err := io.WriteString(out, b.String())
	return err
}

// WriteDistances writes the matrix of distances, a row and a column for each sample.
func (r *EmbedReport) WriteDistances(w io.Writer) error {
	b := []byte("sample")
	for _, name := range r.Data.Names {
		b = fmt.Appendf(b, ",%s", csvField(name))
	}
	for i, name := range r.Data.Names {
		b = fmt.Appendf(b, "\n%s", csvField(name))
		for _, v := range r.Summary.Distances[i] {
			b = fmt.Appendf(b, ",%v", float64(v))
		}
	}
	_, err := w.Write(append(b, '\n'))
	return err
}

// WriteMap writes where each sample is in the map.
func (r *EmbedReport) WriteMap(w io.Writer) error {
	b := []byte("sample,rows,x,y\n")
	for _, s := range r.Summary.Samples {
		b = fmt.Appendf(b, "%s,%d,%v,%v\n", csvField(s.Name), s.Rows, float64(s.Map[0]),
			float64(s.Map[1]))
	}
	_, err := w.Write(b)
	return err
}
