// A program that opens its MPI library and looks for the functions there.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  (void)count;
  void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  int (*const init)(void*, void*) = (int (*)(void*, void*))dlsym(library, "MPI_Init");
  int (*const finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  init(NULL, NULL);
  finalize();
  puts("done");
  return 0;
}
