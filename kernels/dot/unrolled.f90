! Eight products a turn, added to one sum from the first to the last.
real(c_double) function leadline_dot(n, x, y) bind(c)
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value :: n
  real(c_double), intent(in) :: x(n), y(n)
  integer(c_int64_t) :: i, whole
  real(c_double) :: total
  whole = n - mod(n, 8_c_int64_t)
  total = 0.0_c_double
  do i = 1, whole, 8
    total = total + x(i) * y(i)
    total = total + x(i + 1) * y(i + 1)
    total = total + x(i + 2) * y(i + 2)
    total = total + x(i + 3) * y(i + 3)
    total = total + x(i + 4) * y(i + 4)
    total = total + x(i + 5) * y(i + 5)
    total = total + x(i + 6) * y(i + 6)
    total = total + x(i + 7) * y(i + 7)
  end do
  do i = whole + 1, n
    total = total + x(i) * y(i)
  end do
  leadline_dot = total
end function

include '../kernel.inc'
