package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bayeskernel/internal/shards"
)

// bucket is as much of an S3 server as a pass needs: one bucket, whose objects are held in memory.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte // by path, /bucket/key
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.URL.Query().Get("list-type") == "2" {
		type object struct{ Key string }
		list := struct {
			XMLName  xml.Name `xml:"ListBucketResult"`
			Contents []object
		}{}
		for path := range b.objects {
			if key := strings.TrimPrefix(path, r.URL.Path+"/"); strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
				list.Contents = append(list.Contents, object{key})
			}
		}
		xml.NewEncoder(w).Encode(list)
		return
	}
	body, there := b.objects[r.URL.Path]
	switch r.Method {
	case http.MethodPut:
		b.objects[r.URL.Path], _ = io.ReadAll(r.Body)
	case http.MethodDelete:
		delete(b.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	default:
		if !there {
			http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		if r.Method == http.MethodGet {
			w.Write(body)
		}
	}
}

// Data and summary may lie on S3, of which here is a server of the test's own.
func TestS3(t *testing.T) {
	dir, plan, encoded := job(t, 3, 500)
	b := &bucket{objects: map[string][]byte{}}
	var units []shards.Unit
	for _, name := range must(filepath.Glob(filepath.Join(dir, "p*.csv"))) {
		b.objects["/data/"+filepath.Base(name)] = must(os.ReadFile(name))
		units = append(units, shards.Unit{Sample: "P", File: name, Part: -1})
	}
	server := httptest.NewServer(b)
	defer func() { // the next server has another address
		server.Close()
		systems.Lock()
		defer systems.Unlock()
		delete(systems.of, "s3")
	}()
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "nowhere", "AWS_ACCESS_KEY_ID": "id",
		"AWS_SECRET_ACCESS_KEY": "secret", "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required"} {
		t.Setenv(name, value)
	}
	const out = "s3://data/out.sum"
	pass := pass{Plan: encoded, Sample: "P", Patterns: []string{"s3://data/p*.csv"}, Out: out}
	if err := summarise(t.Context(), "prism", pass); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.objects["/data/out.sum"], pool(t, plan, units)) || len(b.objects) != len(units)+1 {
		t.Errorf("the bucket has %d objects, of which the summary has %d bytes", len(b.objects), len(b.objects["/data/out.sum"]))
	}
	pass.Patterns = []string{"s3://data/q*.csv"}
	if err := summarise(t.Context(), "prism", pass); err == nil || err.Error() != "s3://data/q*.csv: no file matches" {
		t.Errorf("error %v", err)
	}
}
