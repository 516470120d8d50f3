"""A rate beyond the limit of the link."""

import dataclasses

from leadline.model.imported import Bound

SOURCE = "invented figures"


def evidence(makers):
    bound = Bound(quantity="bandwidth_MBps", value=125.0, where="node", source="maker")
    return dataclasses.replace(makers.evidence([makers.figure(3.8e-4, 2**16)]), bounds=(bound,))
