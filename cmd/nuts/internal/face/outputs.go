package face

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayeskernel/internal/atomicfile"
)

// output is a file that a method writes.
type output struct {
	path string
	sign string // stands near the beginning of such a file
}

// The signs of what CmdStan writes.
const (
	tableSign  = "stan_version_major"
	metricSign = `"stepsize"`
	configSign = `"stan_major_version"`
)

// place names the files that the method writes, and refuses those that it reads and those that are somebody's.
func (c *call) place() (err error) {
	method := c.args.at("method")
	n, one := 1, method.child(method.value)
	if many := one.child("num_chains"); many != nil {
		n = many.whole()
	}
	id, name := c.args.at("id").whole(), c.args.at("output", "file").value
	if c.paths, err = files(name, ".csv", n, id); err != nil {
		return fmt.Errorf("output file=%w", err)
	}
	var out []output
	for _, path := range c.paths {
		out = append(out, output{path, tableSign})
		if method.value != "sample" {
			continue
		}
		out = append(out, output{path + atomicfile.Part, tableSign})
		if one.at("adapt", "save_metric").truth() {
			out = append(out, output{beside(path, "metric"), metricSign})
		}
	}
	if c.args.at("output", "save_cmdstan_config").truth() {
		out = append(out, output{beside(name, "config"), configSign})
	}
	read := c.args.read(n, id)
	for k, o := range out {
		for _, p := range out[:k] {
			if p.path == o.path {
				return fmt.Errorf("output file=%s: two files that are written are %s, want names that differ", name, o.path)
			}
		}
		if err := o.check(read); err != nil {
			return fmt.Errorf("output file=%s: %w", name, err)
		}
	}
	return nil
}

// read are the files that the arguments name for n chains, but those of the output.
func (a *argument) read(n, id int) (paths []string) {
	for _, b := range a.sub {
		if b.kind == text && b.value != "" {
			if _, err := strconv.ParseFloat(b.value, 64); err == nil {
				continue // init=2
			}
			list, _ := given(b.value, n, id) // its error is told where it is read
			paths = append(append(paths, b.value), list...)
		}
		if b.name != "output" {
			paths = append(paths, b.read(n, id)...)
		}
	}
	return paths
}

// check returns an error if a file that is read would be replaced, or one that CmdStan did not write. What is no
// regular file, such as a device, is not replaced.
func (o output) check(read []string) error {
	info, err := os.Stat(o.path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	same := func(path string) bool {
		other, err := os.Stat(path)
		return err == nil && os.SameFile(info, other)
	}
	if k := slices.IndexFunc(read, same); k >= 0 {
		if o.path == read[k] {
			return fmt.Errorf("%s is read: want another name for what is written", o.path)
		}
		return fmt.Errorf("%s is %s, which is read: want another name for what is written", o.path, read[k])
	}
	f, err := os.Open(o.path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 1<<10)
	k, err := io.ReadFull(f, head)
	if head = head[:k]; k == 0 && err == io.EOF {
		return nil
	}
	begins := strings.HasPrefix(o.sign, `"`) && head[0] == '{' || o.sign == tableSign && head[0] == '#'
	if !begins || !bytes.Contains(head, []byte(o.sign)) {
		return fmt.Errorf("%s is there and is no file of CmdStan: want another name for what is written", o.path)
	}
	return nil
}
