package parquet

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"bayeskernel/frame/internal/columnar"
)

// column is a column of a file, with how its values are read.
type column struct {
	columnar.Column
	leaf   int // index of its chunks
	number func(pq.Value) float64
	write  func(dst []byte, v pq.Value) []byte // appends the value as text
}

// pandasIndex is what pandas calls an index without a name.
var pandasIndex = regexp.MustCompile(`^__index_level_\d+__$`)

// newColumn finds out what a column of the schema holds.
func newColumn(c *pq.Column, e format.SchemaElement) column {
	col := column{leaf: c.Index()}
	if col.Name = c.Name(); pandasIndex.MatchString(col.Name) {
		col.Name = ""
	}
	switch {
	case !c.Leaf():
		col.refuse("is nested (a list, struct or map); a table has plain columns only")
	case c.Repeated():
		col.refuse("holds lists; a table has one value in each row")
	case isNull(e):
		col.number = func(pq.Value) float64 { return math.NaN() }
		col.write = func(dst []byte, _ pq.Value) []byte { return dst }
	default:
		col.byKind(pq.Kind(e.Type.V), e)
	}
	return col
}

func isNull(e format.SchemaElement) bool {
	_, ok := e.LogicalType.Value.(*format.NullType)
	return ok
}

func (c *column) refuse(why string) { c.Refused = why }

// numbers makes the values numbers, which as labels are written with the digits they need.
func (c *column) numbers(f func(pq.Value) float64) {
	c.number = f
	c.write = func(dst []byte, v pq.Value) []byte {
		return strconv.AppendFloat(dst, f(v), 'g', -1, 64)
	}
}

// as makes the values numbers of a kind that are written in another way.
func (c *column) as(kind columnar.Kind, number func(pq.Value) float64, write func([]byte, pq.Value) []byte) {
	c.Kind, c.number, c.write = kind, number, write
}

// texts makes the values text.
func (c *column) texts(write func(dst []byte, v pq.Value) []byte) {
	c.Kind, c.write = columnar.Text, write
}

// byKind says how the values are read, by the kind they are stored as.
func (c *column) byKind(kind pq.Kind, e format.SchemaElement) {
	if c.byTime(kind, e) {
		return
	}
	if scale, ok := decimalScale(e); ok {
		c.decimal(kind, scale)
		return
	}
	unsigned := isUnsigned(e)
	switch kind {
	case pq.Boolean:
		c.as(columnar.Boolean, func(v pq.Value) float64 {
			if v.Boolean() {
				return 1
			}
			return 0
		}, func(dst []byte, v pq.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) })
	case pq.Int32:
		whole := func(v pq.Value) int64 { return int64(v.Int32()) }
		if unsigned {
			whole = func(v pq.Value) int64 { return int64(v.Uint32()) }
		}
		c.numbers(func(v pq.Value) float64 { return float64(whole(v)) })
		c.write = func(dst []byte, v pq.Value) []byte { return strconv.AppendInt(dst, whole(v), 10) }
	case pq.Int64:
		c.numbers(func(v pq.Value) float64 { return float64(v.Int64()) })
		c.write = func(dst []byte, v pq.Value) []byte { return strconv.AppendInt(dst, v.Int64(), 10) }
		if unsigned {
			c.numbers(func(v pq.Value) float64 { return float64(v.Uint64()) })
			c.write = func(dst []byte, v pq.Value) []byte {
				return strconv.AppendUint(dst, v.Uint64(), 10)
			}
		}
	case pq.Float:
		c.numbers(func(v pq.Value) float64 { return float64(v.Float()) })
		c.write = func(dst []byte, v pq.Value) []byte {
			return strconv.AppendFloat(dst, float64(v.Float()), 'g', -1, 32)
		}
	case pq.Double:
		c.numbers(func(v pq.Value) float64 { return v.Double() })
	case pq.ByteArray, pq.FixedLenByteArray:
		c.bytes(kind, e)
	default:
		c.refuse(fmt.Sprintf("is of type %v, which cannot be read", kind))
	}
}

// bytes reads what is stored as bytes: text, unless the schema says otherwise.
func (c *column) bytes(kind pq.Kind, e format.SchemaElement) {
	fixed := kind == pq.FixedLenByteArray
	switch e.LogicalType.Value.(type) {
	case *format.BsonType:
		c.refuse("holds BSON documents, which cannot be read")
		return
	case *format.GeometryType, *format.GeographyType:
		c.refuse("holds geometries, which cannot be read; write coordinates to columns of their own")
		return
	case *format.UUIDType:
		if fixed && e.TypeLength.V == 16 {
			c.texts(writeUUID)
			return
		}
	case *format.Float16Type:
		if fixed && e.TypeLength.V == 2 {
			c.numbers(func(v pq.Value) float64 { return half(v.ByteArray()) })
			return
		}
	}
	if e.ConvertedType.Valid {
		switch e.ConvertedType.V {
		case deprecated.Bson:
			c.refuse("holds BSON documents, which cannot be read")
			return
		case deprecated.Interval:
			c.refuse("holds intervals of time, which cannot be read; write their length as a number")
			return
		}
	}
	c.texts(func(dst []byte, v pq.Value) []byte { return append(dst, v.ByteArray()...) })
}

// isUnsigned reports whether integers have no sign.
func isUnsigned(e format.SchemaElement) bool {
	if t, ok := e.LogicalType.Value.(*format.IntType); ok {
		return !t.IsSigned
	}
	switch e.ConvertedType.V {
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return e.ConvertedType.Valid
	}
	return false
}

// half returns the value of a 16-bit floating-point number, low byte first.
func half(b []byte) float64 {
	bits := uint16(b[0]) | uint16(b[1])<<8
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := 0.0
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		if v = math.Inf(1); fraction > 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		v = -v
	}
	return v
}

func writeUUID(dst []byte, v pq.Value) []byte {
	b := v.ByteArray()
	return fmt.Appendf(dst, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// decimalScale returns how many digits of a decimal stand behind the point.
func decimalScale(e format.SchemaElement) (int32, bool) {
	if t, ok := e.LogicalType.Value.(*format.DecimalType); ok {
		return t.Scale, true
	}
	return e.Scale.V, e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal
}

// decimal reads whole numbers, which count units of the last digit.
func (c *column) decimal(kind pq.Kind, scale int32) {
	switch kind {
	case pq.Int32:
		c.numbers(func(v pq.Value) float64 { return scaled(int64(v.Int32()), scale) })
	case pq.Int64:
		c.numbers(func(v pq.Value) float64 { return scaled(v.Int64(), scale) })
	case pq.ByteArray, pq.FixedLenByteArray:
		c.numbers(func(v pq.Value) float64 {
			x := signed(v.ByteArray())
			if x.IsInt64() {
				return scaled(x.Int64(), scale)
			}
			return parseScaled(x.String(), scale)
		})
	default:
		c.refuse(fmt.Sprintf("holds decimals stored as %v, which cannot be read", kind))
	}
}

// scaled returns the float64 nearest to x 10^-scale.
func scaled(x int64, scale int32) float64 {
	// Both numbers are floats without rounding, so that their quotient is rounded once.
	if -1<<53 <= x && x <= 1<<53 && 0 <= scale && scale <= 22 {
		return float64(x) / math.Pow10(int(scale))
	}
	return parseScaled(strconv.FormatInt(x, 10), scale)
}

func parseScaled(digits string, scale int32) float64 {
	x, _ := strconv.ParseFloat(fmt.Sprintf("%se%d", digits, -int64(scale)), 64)
	return x // infinite if too large, which is told later
}

// signed returns the value of a two's complement with the high byte first.
func signed(b []byte) *big.Int {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

// byTime makes numbers of dates and times, and reports whether the column holds them.
func (c *column) byTime(kind pq.Kind, e format.SchemaElement) bool {
	switch t := e.LogicalType.Value.(type) {
	case *format.DateType:
		return c.dates(kind)
	case *format.TimestampType:
		return c.times(kind, nanoseconds(t.Unit), t.IsAdjustedToUTC, columnar.Time)
	case *format.TimeType:
		return c.times(kind, nanoseconds(t.Unit), false, columnar.Clock)
	}
	if kind == pq.Int96 {
		c.as(columnar.Time, func(v pq.Value) float64 { return seconds(int96(v)) },
			func(dst []byte, v pq.Value) []byte { return int96(v).AppendFormat(dst, dateAndTime) })
		return true
	}
	if !e.ConvertedType.Valid {
		return false
	}
	switch e.ConvertedType.V {
	case deprecated.Date:
		return c.dates(kind)
	case deprecated.TimestampMillis:
		return c.times(kind, 1e6, true, columnar.Time)
	case deprecated.TimestampMicros:
		return c.times(kind, 1e3, true, columnar.Time)
	case deprecated.TimeMillis:
		return c.times(kind, 1e6, false, columnar.Clock)
	case deprecated.TimeMicros:
		return c.times(kind, 1e3, false, columnar.Clock)
	}
	return false
}

const (
	dateOnly    = "2006-01-02"
	dateAndTime = "2006-01-02 15:04:05.999999999"
	timeOfDay   = "15:04:05.999999999"
	daySeconds  = 24 * 60 * 60
)

func (c *column) dates(kind pq.Kind) bool {
	if kind != pq.Int32 {
		return false
	}
	c.as(columnar.Date, func(v pq.Value) float64 { return float64(v.Int32()) },
		func(dst []byte, v pq.Value) []byte {
			return time.Unix(int64(v.Int32())*daySeconds, 0).UTC().AppendFormat(dst, dateOnly)
		})
	return true
}

// times reads counts of so many nanoseconds each.
func (c *column) times(kind pq.Kind, unit int64, utc bool, as columnar.Kind) bool {
	if unit == 0 || kind != pq.Int32 && kind != pq.Int64 {
		return false
	}
	layout := dateAndTime
	if as == columnar.Clock {
		layout = timeOfDay
	}
	if utc {
		layout += "Z"
	}
	at := func(v pq.Value) time.Time {
		n := int64(v.Int32())
		if kind == pq.Int64 {
			n = v.Int64()
		}
		second := int64(time.Second) / unit
		s, rest := n/second, n%second
		if rest < 0 {
			s, rest = s-1, rest+second
		}
		return time.Unix(s, rest*unit).UTC()
	}
	c.as(as, func(v pq.Value) float64 { return seconds(at(v)) },
		func(dst []byte, v pq.Value) []byte { return at(v).AppendFormat(dst, layout) })
	return true
}

// nanoseconds returns the length of a unit of time, or 0.
func nanoseconds(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e6
	case *format.MicroSeconds:
		return 1e3
	case *format.NanoSeconds:
		return 1
	}
	return 0
}

// seconds is a time in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// int96 reads the times of old Impala and Spark: nanoseconds of the day, and the Julian day.
func int96(v pq.Value) time.Time {
	const epoch = 2440588 // the Julian day of 1970-01-01
	x := v.Int96()
	nanos := int64(uint64(x[1])<<32 | uint64(x[0]))
	return time.Unix((int64(x[2])-epoch)*daySeconds, nanos).UTC()
}
