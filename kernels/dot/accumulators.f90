! Eight sums side by side, so that no addition waits for the one before.
real(c_double) function leadline_dot(n, x, y) bind(c)
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  implicit none
  integer(c_int64_t), value :: n
  real(c_double), intent(in) :: x(n), y(n)
  integer(c_int64_t) :: i, whole
  real(c_double) :: sums(8)
  whole = n - mod(n, 8_c_int64_t)
  sums = 0.0_c_double
  do i = 1, whole, 8
    sums = sums + x(i:i + 7) * y(i:i + 7)
  end do
  do i = whole + 1, n
    sums(1) = sums(1) + x(i) * y(i)
  end do
  leadline_dot = ((sums(1) + sums(2)) + (sums(3) + sums(4))) &
                 + ((sums(5) + sums(6)) + (sums(7) + sums(8)))
end function

include '../kernel.inc'
