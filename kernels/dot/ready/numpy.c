/* numpy.dot as Python calls it, the interpreter in between: the shared library of CPython is
   LEADLINE_LIBRARY, and NumPy lies in the folder LEADLINE_PACKAGES. Arrays are made once and not in
   each call. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../dot.h"

typedef struct _object Object;

static struct {
  void (*initialise)(int);
  int (*initialised)(void);
  int (*run)(const char*);
  Object* (*import)(const char*);
  Object* (*attribute)(Object*, const char*);
  Object* (*view)(char*, int64_t, int);
  Object* (*call)(Object*, const char*, ...);
  double (*number)(Object*);
  void (*release)(Object*);
} python;

static Object *dot, *frombuffer;
static char problem[400];

static int find_functions(void* library) {
  struct {
    const char* name;
    void* where;
  } wanted[] = {{"Py_InitializeEx", &python.initialise},
                {"Py_IsInitialized", &python.initialised},
                {"PyRun_SimpleString", &python.run},
                {"PyImport_ImportModule", &python.import},
                {"PyObject_GetAttrString", &python.attribute},
                {"PyMemoryView_FromMemory", &python.view},
                {"PyObject_CallFunction", &python.call},
                {"PyFloat_AsDouble", &python.number},
                {"Py_DecRef", &python.release}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    void* found = dlsym(library, wanted[i].name);
    if (!found) return 0;
    *(void**)wanted[i].where = found;
  }
  return 1;
}

static void load(void) {
  /* Extension modules look for the interpreter's symbols in the whole process. */
  void* library = dlopen(LEADLINE_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (!library || !find_functions(library)) {
    snprintf(problem, sizeof problem, "an interpreter: %s", library ? LEADLINE_LIBRARY : dlerror());
    return;
  }
  const int asked = getenv("OPENBLAS_NUM_THREADS") || getenv("OMP_NUM_THREADS");
  if (!asked) setenv("OPENBLAS_NUM_THREADS", "1", 0);
  if (!python.initialised()) python.initialise(0);
  python.run("import sys; sys.path.insert(0, '" LEADLINE_PACKAGES "')");
  Object* numpy = python.import("numpy");
  if (!asked) unsetenv("OPENBLAS_NUM_THREADS");
  dot = numpy ? python.attribute(numpy, "dot") : NULL;
  frombuffer = numpy ? python.attribute(numpy, "frombuffer") : NULL;
  if (!dot || !frombuffer) {
    snprintf(problem, sizeof problem, "a NumPy that can be imported from " LEADLINE_PACKAGES);
  }
}

const char* leadline_needs(void) {
  if (!frombuffer && !*problem) load();
  return *problem ? problem : NULL;
}

static Object* array(int64_t n, const double* data) {
  enum { kRead = 0x100 };
  Object* view = python.view((char*)data, n * (int64_t)sizeof(double), kRead);
  Object* made = python.call(frombuffer, "Os", view, "f8");
  python.release(view);
  return made;
}

double leadline_dot(int64_t n, const double* x, const double* y) {
  static struct {
    int64_t n;
    const double *x, *y;
    Object *array_x, *array_y;
  } last;
  if (n == 0) return 0.0; /* frombuffer refuses an empty one. */
  if (last.n != n || last.x != x || last.y != y) {
    if (last.array_x) python.release(last.array_x);
    if (last.array_y) python.release(last.array_y);
    last.n = n, last.x = x, last.y = y;
    last.array_x = array(n, x), last.array_y = array(n, y);
  }
  Object* result = python.call(dot, "OO", last.array_x, last.array_y);
  const double value = python.number(result);
  python.release(result);
  return value;
}
