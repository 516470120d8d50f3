"""A program that ran in every launch."""

from leadline.model.interference import Interference, InterferingProgram

SOURCE = "invented figures"


def evidence(makers):
    program = InterferingProgram(command="cc1plus", user="anna", processes=1, cores=0.94)
    company = Interference(
        host="here", seconds=10.0, looks=3, looks_cpu_s=0.001, programs=(program,)
    )
    return makers.evidence([makers.figure()], launch={"company": company})
