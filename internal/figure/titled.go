package figure

// Titled is a figure with another title.
type Titled struct {
	Drawer
	Title string
}

// Draw lays the figure out on a page of its own.
func (f Titled) Draw() (*Figure, error) { return single(f) }

func (f Titled) plan() (*plan, error) {
	p, err := f.Drawer.plan()
	if err == nil {
		p.title = f.Title
	}
	return p, err
}
