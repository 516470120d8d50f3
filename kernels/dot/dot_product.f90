! The language's own function.
real(c_double) function leadline_dot(n, x, y) bind(c)
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value :: n
  real(c_double), intent(in) :: x(n), y(n)
  leadline_dot = dot_product(x, y)
end function

include '../kernel.inc'
