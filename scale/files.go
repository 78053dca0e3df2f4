package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"bayeskernel/frame"
	"bayeskernel/internal/atomicfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
)

// systems are the file systems that this process has opened, by scheme: one may be a connection, and files
// are many.
var systems struct {
	sync.Mutex
	of map[string]filesystem.Interface
}

// scheme returns what stands before :// in a name, "" for a file of this machine.
func scheme(name string) string {
	before, _, ok := strings.Cut(name, "://")
	if !ok {
		return ""
	}
	return before
}

func systemOf(ctx context.Context, name string) (filesystem.Interface, error) {
	systems.Lock()
	defer systems.Unlock()
	at := scheme(name)
	if s, ok := systems.of[at]; ok {
		return s, nil
	}
	// The connection outlives the element that is the first to need it.
	s, err := filesystem.New(context.WithoutCancel(ctx), name)
	if err != nil {
		return nil, fmt.Errorf("%s: no file system of this program is called %s, want a local file, gs://, s3:// or memfs://",
			name, at)
	}
	if systems.of == nil {
		systems.of = map[string]filesystem.Interface{}
	}
	systems.of[at] = s
	return s, nil
}

// open opens a file. A local one is an *os.File, of whose groups of rows any can be read.
func open(ctx context.Context, name string) (io.ReadCloser, error) {
	s, err := systemOf(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.OpenRead(ctx, name)
}

func readFile(ctx context.Context, name string) ([]byte, error) {
	f, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// writeFile replaces a file as a whole: other file systems than the local one show a file once it is closed.
func writeFile(ctx context.Context, name string, b []byte) error {
	if scheme(name) == "" {
		return atomicfile.Write(name, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	s, err := systemOf(ctx, name)
	if err != nil {
		return err
	}
	f, err := s.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return cmp.Or(err, f.Close())
}

// remove removes a file that this program made, as far as its file system lets it.
func remove(ctx context.Context, name string) {
	if s, err := systemOf(ctx, name); err == nil {
		if r, ok := s.(filesystem.Remover); ok {
			r.Remove(ctx, name)
		}
	}
}

// sizeOf returns the bytes of a file.
func sizeOf(ctx context.Context, name string) (int64, error) {
	if scheme(name) == "" {
		info, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	s, err := systemOf(ctx, name)
	if err != nil {
		return 0, err
	}
	return s.Size(ctx, name)
}

// expand replaces patterns by the files that match, in order. A pattern that nothing matches is an error.
func expand(ctx context.Context, patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		var files []string
		s, err := systemOf(ctx, p)
		switch {
		case err != nil:
		case scheme(p) == "":
			files, err = frame.Expand([]string{p}, "")
		case strings.ContainsAny(p, "*?["):
			if files, err = s.List(ctx, p); err != nil {
				err = fmt.Errorf("%s: %w", p, err)
			} else if len(files) == 0 {
				err = fmt.Errorf("%s: no file matches", p)
			}
			slices.Sort(files)
		default:
			files = []string{p}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// sameFile reports whether two names are of one file.
func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	if scheme(a) != "" || scheme(b) != "" {
		return false
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// jobFile returns a name beside out for what the workers write. On this machine the file is made, so that a
// folder in which none can be made is found before the pass.
func jobFile(out string) (string, error) {
	name := out + "." + rand.Text() + ".job"
	if scheme(out) != "" {
		return name, nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return "", fmt.Errorf("-out %s: no file can be made beside it: %w", out, err)
	}
	return name, f.Close()
}
