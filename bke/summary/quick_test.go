package summary
import ("testing";"fmt")
func TestQuick(t *testing.T){
 for d:=1; d<=5; d++ { if d==3||d==4 {continue}
  n:=40000
  x:=mixture(1,n,d)
  p:=planFor(t,x,d,PlanOptions{})
  b,_:=p.MarshalBytes()
  fmt.Println(d,p.M(),p.Kind,len(p.Windows),p.Windows[0].From,p.Windows[0].To,len(p.Windows[0].Nodes),p.SDInputs,p.Block,p.Bins,len(b),p.Notes)
  if p.Lattice!=nil {fmt.Println(*p.Lattice)}
  s:=summarise(t,p,"P",x,10000)
  bb,err:=s.Bytes()
  fmt.Println(len(bb),err)
  s2,err:=Parse(bb)
  if err!=nil{t.Fatal(err)}
  b3,_:=s2.Bytes()
  if string(b3)!=string(bb){t.Fatal("roundtrip")}
 }
}
