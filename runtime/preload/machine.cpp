// The machine by which a profile is known.
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// Writes the machine's name to `name`, cut to `room` bytes: the architecture, the processor's model
// as the kernel calls it, and the number of processors that are configured. Returns `name`.
extern "C" __attribute__((visibility("default"))) char* leadline_machine(char* name, size_t room) {
  utsname system{};
  uname(&system);
  char model[128] = "unknown processor";
  if (FILE* const file = fopen("/proc/cpuinfo", "r")) {
    char line[256];
    while (fgets(line, sizeof line, file) != nullptr) {
      const bool is_model =
          strncmp(line, "model name", 10) == 0 || strncmp(line, "CPU part", 8) == 0;
      const char* const colon = strchr(line, ':');
      if (!is_model || colon == nullptr) continue;
      snprintf(model, sizeof model, "%s", colon + 1 + strspn(colon + 1, " \t"));
      model[strcspn(model, "\n")] = '\0';
      break;
    }
    fclose(file);
  }
  snprintf(name, room, "%s %s %ld processors", system.machine, model,
           sysconf(_SC_NPROCESSORS_CONF));
  return name;
}
