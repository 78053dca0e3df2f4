//go:build !amd64 || noasm

package logdet

func (w *Workspace) weighFast(int, float64) { panic(noVectors) }

func (w *Workspace) productsFast([]float64) { panic(noVectors) }

func (w *Workspace) subtractFast([]float64) { panic(noVectors) }

func (w *Workspace) addColumnsFast() { panic(noVectors) }

const noVectors = "logdet: there is no vector code on this machine"
