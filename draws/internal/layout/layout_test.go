package layout

import (
	"reflect"
	"testing"
)

func TestVariables(t *testing.T) {
	got := Variables([]string{"b[1]", "a[0,0]", "a[1,0]", "b[2]", "a[0,1]", "a[1,1]", "c"})
	want := []Variable{
		{Name: "b", Origin: 1, Dims: []int{2}, Cols: []int{0, 3}},
		{Name: "a", Origin: 0, Dims: []int{2, 2}, Cols: []int{1, 4, 2, 5}},
		{Name: "c", Cols: []int{6}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
