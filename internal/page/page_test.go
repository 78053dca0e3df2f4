package page

import (
	"strings"
	"testing"
)

// A page without a finding is none.
func TestNoTitle(t *testing.T) {
	if err := new(Page).Write(new(strings.Builder)); err == nil ||
		err.Error() != "page: Title is empty, want the finding" {
		t.Errorf("error %v", err)
	}
}
