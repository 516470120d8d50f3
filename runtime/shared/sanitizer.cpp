// The default options of AddressSanitizer, for programs that define none.
//
// AddressSanitizer ends a program at its start if the first library loaded is not its own runtime.
// The libraries preloaded here define nothing that its runtime intercepts, so their place is safe.
extern "C" {
__attribute__((visibility("default"))) const char* leadline_sanitizer_options() __asm__(
    "__asan_default_options");

const char* leadline_sanitizer_options() { return "verify_asan_link_order=0"; }
}
