"""A governor that saves power."""

SOURCE = "invented figures"


def evidence(makers):
    check = {
        "name": "frequency-governor",
        "status": "bad",
        "observed": "powersave on 2 processors",
        "meaning": "Any governor but performance lowers the clock of a core that waits.",
        "advice": "Set the governor performance.",
        "command": "sudo cpupower frequency-set --governor performance",
        "numbers": {"other_governors": 2.0},
    }
    return makers.evidence([makers.figure()], doctor=[check])
