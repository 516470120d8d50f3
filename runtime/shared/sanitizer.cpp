// What AddressSanitizer asks a program that has no options of its own, before it starts.
//
// A program that is built with it does not start where another library than its runtime comes first
// among those that are loaded. What is preloaded here has no function that it must come before.
extern "C" {
__attribute__((visibility("default"))) const char* leadline_sanitizer_options() __asm__(
    "__asan_default_options");

const char* leadline_sanitizer_options() { return "verify_asan_link_order=0"; }
}
