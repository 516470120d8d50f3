// The types by which OpenSHMEM names its functions, as type_NAME.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace leadline::explain {

using type_none = void;  // of what has no type in its name
using type_char = char;
using type_schar = signed char;
using type_short = short;
using type_int = int;
using type_long = long;
using type_longlong = long long;
using type_uchar = unsigned char;
using type_ushort = unsigned short;
using type_uint = unsigned int;
using type_ulong = unsigned long;
using type_ulonglong = unsigned long long;
using type_int8 = std::int8_t;
using type_int16 = std::int16_t;
using type_int32 = std::int32_t;
using type_int64 = std::int64_t;
using type_uint8 = std::uint8_t;
using type_uint16 = std::uint16_t;
using type_uint32 = std::uint32_t;
using type_uint64 = std::uint64_t;
using type_size = std::size_t;
using type_ptrdiff = std::ptrdiff_t;
using type_float = float;
using type_double = double;
using type_longdouble = long double;
using type_complexf = std::complex<float>;
using type_complexd = std::complex<double>;

}  // namespace leadline::explain
