"""The circuit that leaves alone what keeps failing."""

from itertools import count

from pinakes.providers.circuit import Circuit


def test_a_circuit_opens_after_failures_in_a_row_and_not_before() -> None:
    # A8, K3
    ticks = count()
    circuit = Circuit(failures=2, rest_seconds=10, clock=lambda: float(next(ticks)))
    circuit.note_failure("a")
    circuit.note_success()
    circuit.note_failure("b")
    assert circuit.admit()
    circuit.note_failure("c")
    assert (circuit.is_open, circuit.reason) == (True, "c")
    for _ in range(10):
        circuit.is_open  # noqa: B018 - time passes with every look
    assert circuit.admit()
    assert not circuit.admit()
    circuit.note_failure("d")
    assert not circuit.admit()
