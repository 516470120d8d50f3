"""A compiler that ran in two of three launches."""

from leadline.model.interference import Interference, InterferingProgram

SOURCE = "invented figures"


def evidence(makers):
    program = InterferingProgram(command="cc1plus", user="anna", processes=1, cores=0.94)
    company = Interference(
        host="here", seconds=10.0, looks=3, looks_cpu_s=0.001, cores=0.94, processors=2,
        programs=(program,),
    )  # fmt: skip
    busy = {"busy_fraction": 0.47, "stolen_fraction": 0.12}
    return makers.evidence([makers.figure()], launch={"company": company}, load_during=busy)
