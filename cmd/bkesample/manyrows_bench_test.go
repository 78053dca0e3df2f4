package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"bayeskernel/cmd/internal/cli"
	"bayeskernel/frame"
	"bayeskernel/internal/long"
)

// BenchmarkFileToPage is the default command for two files of one column, a million rows each and with
// BAYESKERNEL_LONG=full ten million, beside what it takes to read them: by this program, one after the
// other, and by encoding/csv with strconv.ParseFloat.
func BenchmarkFileToPage(b *testing.B) {
	rows := long.Of(1000000, 10000000) / 2
	dir := b.TempDir()
	b.Chdir(dir)
	files := []string{"P.csv", "Q.csv"}
	for k, name := range files {
		r := rand.New(rand.NewPCG(7, uint64(k)))
		text := []byte("x\n")
		for range rows {
			v := r.NormFloat64()
			if k == 1 && r.Float64() < 0.1 {
				v *= 1.3
			}
			text = append(strconv.AppendFloat(text, v, 'f', 6, 64), '\n')
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			for _, name := range files {
				if _, err := frame.Read(context.Background(), name, frame.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("encoding-csv", func(b *testing.B) {
		for b.Loop() {
			for _, name := range files {
				if x, err := readAll(name); err != nil || len(x) != rows {
					b.Fatal(len(x), err)
				}
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			var out, wrong bytes.Buffer
			con := &cli.Console{Program: program(), Stdout: &out, Stderr: &wrong}
			if code := con.Run(context.Background(), append([]string{"-force"}, files...)); code != 0 {
				b.Fatal(wrong.String())
			}
		}
	})
}

// readAll reads the numbers of a file of one column by the standard library.
func readAll(name string) ([]float64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return nil, err
	}
	var x []float64
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return x, nil
		} else if err != nil {
			return nil, err
		}
		v, err := strconv.ParseFloat(record[0], 64)
		if err != nil {
			return nil, err
		}
		x = append(x, v)
	}
}
