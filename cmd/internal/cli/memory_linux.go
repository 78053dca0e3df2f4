package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// addressLimit is how many bytes of addresses the process may have, 0 for any number.
func addressLimit() int64 {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &r); err != nil || r.Cur >= 1<<62 {
		return 0
	}
	return int64(r.Cur)
}

// available is the memory that is free, of the machine and of the group of processes that this one is in,
// 0 if unknown.
func available() int64 {
	free := int64(0)
	b, _ := os.ReadFile("/proc/meminfo") // where it is not, nothing is known
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
			kilobytes, _ := strconv.ParseInt(f[1], 10, 64)
			free = kilobytes * 1024
		}
	}
	for _, g := range groups() {
		limit, used := number(g.limit), number(g.used)-cached(g.stat)
		if limit > 0 && limit < 1<<60 {
			free = least(free, max(limit-used, 1))
		}
	}
	return free
}

type group struct{ limit, used, stat string }

// groups are the control groups that limit the process's memory.
func groups() (out []group) {
	b, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		switch {
		case f[0] == "0":
			for dir := f[2]; ; dir = filepath.Dir(dir) { // those above limit it too
				at := filepath.Join("/sys/fs/cgroup", dir)
				out = append(out, group{filepath.Join(at, "memory.max"), filepath.Join(at, "memory.current"),
					filepath.Join(at, "memory.stat")})
				if dir == "/" || dir == "." {
					break
				}
			}
		case f[1] == "memory":
			for _, dir := range []string{f[2], "/"} {
				at := filepath.Join("/sys/fs/cgroup/memory", dir)
				out = append(out, group{filepath.Join(at, "memory.limit_in_bytes"),
					filepath.Join(at, "memory.usage_in_bytes"), filepath.Join(at, "memory.stat")})
			}
		}
	}
	return out
}

// cached is what a group uses for files that can be read again.
func cached(path string) (bytes int64) {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && (f[0] == "inactive_file" || f[0] == "total_inactive_file") {
			v, _ := strconv.ParseInt(f[1], 10, 64)
			bytes = max(bytes, v)
		}
	}
	return bytes
}

// number is that in a file, 0 if there is none.
func number(path string) int64 {
	b, _ := os.ReadFile(path)
	v, _ := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64) // "max" is none
	return v
}
