package conditional

import (
	"context"
	"errors"
	"sync"
)

// store keeps results under keys, what was used last, up to a number of bytes. The zero value but
// for its limit is ready for use.
type store struct {
	limit int64

	mu      sync.Mutex
	entries map[string]*entry
	clock   int64
	used    int64
}

// entry is a result that is made once, by the goroutine that asked first.
type entry struct {
	once  sync.Once
	value any
	err   error
	bytes int64
	last  int64 // when it was asked for
}

// keep returns what make made under the key, now or before. What failed is made again next time;
// who waited for a goroutine whose context ended makes it itself.
func keep[T any](s *store, key string, make func() (value T, bytes int64, err error)) (T, error) {
	for {
		e, mine := s.entry(key), false
		e.once.Do(func() {
			mine = true
			v, bytes, err := make()
			e.value, e.err = v, err
			s.made(key, e, bytes)
		})
		switch {
		case e.err == nil:
			return e.value.(T), nil
		case mine || !errors.Is(e.err, context.Canceled) &&
			!errors.Is(e.err, context.DeadlineExceeded):
			var none T
			return none, e.err
		}
	}
}

func (s *store) entry(key string) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	e := s.entries[key]
	if e == nil {
		e = new(entry)
		if s.entries == nil {
			s.entries = map[string]*entry{}
		}
		s.entries[key] = e
	}
	e.last = s.clock
	return e
}

// made counts the bytes of a new entry and drops what was not used for longest until all are within
// the limit. Entries in the making have no bytes yet and stay.
func (s *store) made(key string, e *entry, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.err != nil {
		delete(s.entries, key)
		return
	}
	e.bytes = bytes
	s.used += bytes
	for s.used > s.limit {
		oldest := ""
		for k, other := range s.entries {
			if other.bytes > 0 && (oldest == "" || other.last < s.entries[oldest].last) {
				oldest = k
			}
		}
		if oldest == "" {
			return
		}
		s.used -= s.entries[oldest].bytes
		delete(s.entries, oldest)
	}
}
