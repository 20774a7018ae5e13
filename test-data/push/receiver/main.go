// A receiver of what Pyroscope's /ingest takes: the forms are read by Go's own library, pprof by Pyroscope's API.
//
//	receiver FOLDER   prints "port N", then a line for each request: "profile NAME SAMPLES LABELS TYPE/UNIT=SUM ...", or
//	                  "jfr NAME BYTES", whose recording it writes into FOLDER/NAME.jfr
//
// What it cannot read is answered by 400 and printed as "refused REASON".
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	"google.golang.org/protobuf/proto"
)

// part reads one part of a form, unpacked; nil if there is none.
func part(r *http.Request, name string) ([]byte, error) {
	f, _, err := r.FormFile(name)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func profileLine(name string, text []byte) (string, error) {
	p := &googlev1.Profile{}
	if err := proto.Unmarshal(text, p); err != nil {
		return "", err
	}
	if len(p.SampleType) == 0 || len(p.Sample) == 0 {
		return "", fmt.Errorf("a profile without samples")
	}
	sums := make([]int64, len(p.SampleType))
	labels := map[string]bool{}
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
		for _, l := range s.Label {
			labels[p.StringTable[l.Key]+"="+p.StringTable[l.Str]] = true
		}
	}
	line := fmt.Sprintf("profile %s %d %d", name, len(p.Sample), len(labels))
	for i, t := range p.SampleType {
		line += fmt.Sprintf(" %s/%s=%d", p.StringTable[t.Type], p.StringTable[t.Unit], sums[i])
	}
	return line, nil
}

func ingest(folder string, r *http.Request) (string, error) {
	name, format := r.URL.Query().Get("name"), r.URL.Query().Get("format")
	if name == "" || strings.ContainsAny(name, "/\\") {
		return "", fmt.Errorf("no name")
	}
	if err := r.ParseMultipartForm(1 << 28); err != nil {
		return "", err
	}
	field := map[string]string{"jfr": "jfr", "pprof": "profile"}[format]
	text, err := part(r, field)
	if err != nil || text == nil {
		return "", fmt.Errorf("format %q without part %q: %v", format, field, err)
	}
	if format == "pprof" {
		return profileLine(name, text)
	}
	if !bytes.HasPrefix(text, []byte("FLR\x00")) {
		return "", fmt.Errorf("no recording")
	}
	line := fmt.Sprintf("jfr %s %d", name, len(text))
	return line, os.WriteFile(filepath.Join(folder, name+".jfr"), text, 0o600)
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("port %d\n", l.Addr().(*net.TCPAddr).Port)
	http.HandleFunc("/ingest", func(w http.ResponseWriter, r *http.Request) {
		line, err := ingest(os.Args[1], r)
		if err != nil {
			line = "refused " + err.Error()
			http.Error(w, line, http.StatusBadRequest)
		}
		fmt.Println(line)
	})
	panic(http.Serve(l, nil))
}
