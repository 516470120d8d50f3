! The loop as everybody writes it.
real(c_double) function leadline_dot(n, x, y) bind(c)
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value :: n
  real(c_double), intent(in) :: x(n), y(n)
  integer(c_int64_t) :: i
  leadline_dot = 0.0_c_double
  do i = 1, n
    leadline_dot = leadline_dot + x(i) * y(i)
  end do
end function

include '../kernel.inc'
