// Package browser looks at pages for tests: it starts a headless Chromium that has DejaVu fonts
// alone, shows it a file in a window of some size and scheme, and finds text that overlaps other
// text, is cut off, or is too faint to read, and what the page's own security policy keeps from it.
package browser

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayeskernel/internal/long"
)

// boxes.js looks at the boxes of all pieces of text that are shown.
//
//go:embed boxes.js
var boxesJS string

// Browser is a headless Chromium that is told what to do through a pipe (the DevTools protocol):
// JSON messages that end with a zero byte.
type Browser struct {
	to      *os.File
	from    *bufio.Reader
	session string
	last    int
}

// dejavu finds the folder of the only fonts that the browser shall have.
func dejavu() string {
	for _, dir := range []string{"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu",
		"/usr/share/fonts/TTF", "/usr/share/fonts/dejavu-sans-fonts"} {
		if _, err := os.Stat(filepath.Join(dir, "DejaVuSans.ttf")); err == nil {
			return dir
		}
	}
	return ""
}

// Open starts Chromium with DejaVu fonts alone, or skips the test.
func Open(t testing.TB) *Browser {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	fonts := dejavu()
	switch {
	case testing.Short():
		t.Skip("starts a browser")
	case path == "":
		t.Skip("no Chromium found: the layout is not checked")
	case fonts == "":
		t.Skip("no DejaVu fonts found: the layout is not checked")
	}
	b, err := startBrowser(t, path, fonts)
	if err != nil {
		t.Skipf("%s does not start: %v: the layout is not checked", path, err)
	}
	var target struct{ TargetID string }
	var attached struct{ SessionID string }
	err = b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	if err == nil {
		err = b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID,
			"flatten": true}, &attached)
	}
	if err != nil {
		t.Skipf("%s does not answer: %v: the layout is not checked", path, err)
	}
	b.session = attached.SessionID
	err = errors.Join(b.Call("Page.enable", nil, nil),
		b.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": noteBlocked}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noteBlocked notes what a page's content security policy keeps from being loaded, applied or run.
const noteBlocked = `window.blockedByPolicy = [];
document.addEventListener("securitypolicyviolation",
	e => blockedByPolicy.push(e.effectiveDirective + " " + e.blockedURI))`

// fontsConf makes every family DejaVu Sans, but for that of equal widths.
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>%s</dir><cachedir>%s/cache</cachedir>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match><test name="family" compare="not_eq"><string>DejaVu Sans Mono</string></test>
<edit name="family" mode="append_last"><string>DejaVu Sans</string></edit></match>
</fontconfig>`

// startBrowser starts the program in a folder of its own, to be ended with the test.
func startBrowser(t testing.TB, path, fonts string) (*Browser, error) {
	dir, err := os.MkdirTemp("", "page")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		for range 10 { // its processes may still be writing
			if os.RemoveAll(dir) == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	conf := filepath.Join(dir, "fonts.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, fontsConf, fonts, dir), 0o644); err != nil {
		return nil, err
	}
	in, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(dir, "profile"))
	cmd.ExtraFiles = []*os.File{in, out} // its descriptors 3 and 4
	cmd.Env = append(os.Environ(), "FONTCONFIG_FILE="+conf)
	err = cmd.Start()
	_, _ = in.Close(), out.Close()
	if err != nil {
		return nil, err
	}
	b := &Browser{to: to, from: bufio.NewReader(from)}
	_ = from.SetReadDeadline(time.Now().Add(4 * time.Minute)) // a browser that hangs fails the test
	t.Cleanup(func() {
		_ = b.Call("Browser.close", nil, nil)
		_ = to.Close()
		_ = cmd.Process.Kill() // if it did not close
		_ = cmd.Wait()
	})
	return b, nil
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Call sends a command and waits for its answer.
func (b *Browser) Call(method string, params map[string]any, result any) error {
	b.last++
	m := map[string]any{"id": b.last, "method": method, "params": params}
	if params == nil {
		m["params"] = map[string]any{}
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return err
	}
	for {
		answer, err := b.receive()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case answer.ID != b.last:
			continue
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}

func (b *Browser) receive() (*message, error) {
	text, err := b.from.ReadBytes(0)
	if err != nil {
		return nil, err
	}
	m := new(message)
	return m, json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), m)
}

// View is how a page is looked at.
type View struct {
	Width, Height     int
	Dark, Bare, Print bool // Bare: without script
}

func (v View) String() string {
	words := []string{fmt.Sprint(v.Width), "light"}
	if v.Dark {
		words[1] = "dark"
	}
	if v.Bare {
		words = append(words, "noscript")
	}
	if v.Print {
		words = append(words, "print")
	}
	return strings.Join(words, "-")
}

// Show opens a file in a window of a size and scheme.
func (b *Browser) Show(path string, v View) error {
	scheme := map[bool]string{false: "light", true: "dark"}[v.Dark]
	media := map[bool]string{false: "screen", true: "print"}[v.Print]
	err := errors.Join(
		b.Call("Emulation.setScriptExecutionDisabled", map[string]any{"value": v.Bare}, nil),
		b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width,
			"height": v.Height, "deviceScaleFactor": 1, "mobile": false}, nil),
		b.Call("Emulation.setEmulatedMedia", map[string]any{"media": media, "features": []map[string]string{
			{"name": "prefers-color-scheme", "value": scheme}}}, nil))
	if err != nil {
		return err
	}
	if err := b.Call("Page.navigate", map[string]any{"url": "file://" + path}, nil); err != nil {
		return err
	}
	for {
		m, err := b.receive()
		if err != nil || m.Method == "Page.loadEventFired" {
			return err
		}
	}
}

// Evaluate runs JavaScript whose value is JSON.
func (b *Browser) Evaluate(script string, value any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	err := b.Call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &r)
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		return errors.New(r.ExceptionDetails.Exception.Description)
	}
	return json.Unmarshal(r.Result.Value, value)
}

// Save writes a picture of the window, or of the whole page, or with method Page.printToPDF a PDF.
func (b *Browser) Save(path, method string, whole bool) error {
	var r struct{ Data string }
	params := map[string]any{"captureBeyondViewport": whole}
	if method == "Page.printToPDF" {
		params = map[string]any{"preferCSSPageSize": true, "printBackground": false}
	}
	if err := b.Call(method, params, &r); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// Faults finds what is wrong with the layout of the page that is shown, among how many texts.
func (b *Browser) Faults() (texts int, faults []string, err error) {
	var found struct {
		Texts  int
		Faults []string
	}
	err = b.Evaluate(boxesJS, &found)
	return found.Texts, found.Faults, err
}

// Views are a wide window, light, and a narrow one, dark; where long tests run, both in both.
func Views() []View {
	some := []View{{Width: 1280, Height: 800}, {Width: 390, Height: 844, Dark: true}}
	if long.Enabled() {
		some = append(some, View{Width: 1280, Height: 800, Dark: true}, View{Width: 390, Height: 844})
	}
	return some
}
