package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/internal/atomicfile"
	"bayeskernel/internal/journal"
)

// AdmitShard refuses more shards than units.
func (f *Flags) AdmitShard(units int, what string) error {
	if f.Shard.N > max(units, 0) {
		return cli.Usagef("-shard is %s, and the number of %s is %d: want at most as many shards", &f.Shard, what, units)
	}
	return nil
}

// Shared ends a run that made the units of its shard: they stay in the folder, for merge.
func (d *Folder) Shared(s journal.Shard, what string) {
	d.shared = true
	d.con.Warn("shard %d of %d is done: %s in %s. When all shards are: %s merge -out FOLDER %s ...", s.K, s.N, what,
		d.Dir, d.con.Program.Name, cli.Quote(d.Dir))
}

// AreUnits reports whether the first of the arguments is a folder, as of a shard: not the file of a summary.
func AreUnits(files []string) bool {
	if len(files) == 0 {
		return false
	}
	info, err := os.Stat(files[0])
	return err == nil && info.IsDir()
}

// MergeAbout tells the help of merge what it does with shards.
const MergeAbout = `Puts the folders of runs with -shard together, in any order, into the folder -out, and says
how to go on: with -resume FOLDER, which makes what is missing and leaves the results of one run.`

// Merge puts the units of shards together into a new folder, which a run resumes from.
func Merge(con *cli.Console, out string, from []string) error {
	if out == "" {
		return cli.Usagef("-out is missing, want the folder that the shards are put into")
	}
	if len(from) == 0 {
		return cli.Usagef("found no folder, want those of all shards")
	}
	m := &merger{owner: owner(con.Program.Name), con: con, units: map[string]*units{}}
	for _, dir := range from {
		if cli.SameFile(dir, []string{out}) != "" {
			return cli.Refusalf("-out %s: is one of the shards, want a new folder", out)
		}
		if slices.ContainsFunc(m.from, func(d string) bool { return cli.SameFile(dir, []string{d}) != "" }) {
			continue
		}
		if err := m.add(dir); err != nil {
			return err
		}
		m.from = append(m.from, dir)
	}
	return m.leave(out)
}

// merger puts shards together.
type merger struct {
	owner owner
	con   *cli.Console
	args  []string // of the run, without what is a shard's own
	first string   // the folder they are of
	units map[string]*units
	from  []string        // the folders
	of    []journal.Shard // what they are, as far as they say
}

// missing names the shards that are not there, "" if none is.
func (m *merger) missing() string {
	var out []string
	for k := 1; len(m.of) > 0 && k <= m.of[0].N; k++ {
		if !slices.Contains(m.of, journal.Shard{K: k, N: m.of[0].N}) {
			out = append(out, fmt.Sprint(k))
		}
	}
	if len(out) == 0 || slices.ContainsFunc(m.of, func(s journal.Shard) bool { return s.N != m.of[0].N }) {
		return ""
	}
	if len(out) == 1 {
		return fmt.Sprintf("; shard %s of %d is missing (the next command makes its units)", out[0], m.of[0].N)
	}
	return fmt.Sprintf("; shards %s of %d are missing (the next command makes their units)", strings.Join(out, ", "), m.of[0].N)
}

// units are those of a journal.
type units struct {
	about, first string
	lines        [][]byte
}

// own are the flags in which the shards of one run differ.
var own = []string{"shard", "out", "resume", "force", "quiet", "format", "title", "max-memory"}

// add takes the units of a folder.
func (m *merger) add(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: is no folder, want that of a run with -shard", dir)
	}
	if mark, err := m.owner.readMark(dir); err != nil || mark == nil {
		return cmp.Or(err, fmt.Errorf("%s: is no folder of %s, want that of a run with -shard", dir, m.owner))
	}
	h, err := hold(m.owner, dir) // nobody writes meanwhile
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "-out "))
	}
	defer h.letGo(true)
	args := cli.Without(h.earlier.Args, own...)
	var shard journal.Shard
	if shard.Set(cli.Value(h.earlier.Args, "shard")) == nil {
		m.of = append(m.of, shard)
	}
	if m.first == "" {
		m.first, m.args = dir, args
	}
	if !slices.Equal(args, m.args) {
		return fmt.Errorf("%s: is of %s, and %s of %s: want shards of one run", dir, m.con.CommandLine(args, nil),
			m.first, m.con.CommandLine(m.args, nil))
	}
	found := false
	for name := range h.existing {
		about, lines, err := journal.Lines(filepath.Join(dir, name))
		if !h.lists(name) || !isUnits(name) || err != nil || !strings.HasPrefix(about, unitsAbout) {
			continue
		}
		found = true
		u := m.units[name]
		if u == nil {
			u = &units{about: about, first: dir}
			m.units[name] = u
		}
		if about != u.about {
			return fmt.Errorf("%s: is of %q, and %s of %q: want shards of one run", dir,
				strings.TrimPrefix(about, unitsAbout), u.first, strings.TrimPrefix(u.about, unitsAbout))
		}
		u.lines = append(u.lines, lines...)
	}
	if !found {
		return fmt.Errorf("%s: has no units to put together, want the folder of a run with -shard, or of one that "+
			"was interrupted", dir)
	}
	return nil
}

// leave writes the folder. Units that are there twice are taken once.
func (m *merger) leave(out string) error {
	switch why, err := m.owner.refusal(out); {
	case err != nil:
		return err
	case why != "":
		return cli.Refusalf("-out %s: holds %s, want an empty folder or a new one", out, why)
	}
	h, err := hold(m.owner, out)
	if err != nil {
		return err
	}
	if why := h.taken(); why != "" || len(h.existing) > 1 { // the lock is there
		h.letGo(h.found)
		return cli.Refusalf("-out %s: holds %s, want an empty folder or a new one", out, cmp.Or(why, "other files"))
	}
	goOn := m.con.CommandLine(m.args, []string{"-resume", out})
	err = h.take("merge", m.args, "Go on with: "+goOn)
	count := 0
	for name, u := range m.units {
		slices.SortFunc(u.lines, slices.Compare)
		u.lines = slices.CompactFunc(u.lines, slices.Equal)
		count += len(u.lines)
		if err == nil {
			err = h.mine(name)
		}
		if err == nil {
			err = atomicfile.Write(filepath.Join(out, name), func(w io.Writer) error {
				return journal.Fill(w, u.about, u.lines)
			})
		}
	}
	h.letGo(err == nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(m.con.Stdout, "%s of %s are in %s%s; go on with: %s\n", cli.Plural(count, "unit"),
		cli.Plural(len(m.from), "shard"), cli.Visible(out), m.missing(), cli.Visible(goOn))
	return err
}
