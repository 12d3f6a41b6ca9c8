"""What a part of the soak says: figures to print, and what did not hold."""

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass
class Report:
    part: str
    figures: list[tuple[str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def say(self, what: str, figure: object) -> None:
        self.figures.append((what, str(figure)))

    def expect(self, what: str, found: object, wanted: object) -> None:
        """Print what was found; a fault where it is not what must hold."""
        self.say(what, found)
        if found != wanted:
            self.faults.append(f"{what}: {found}, and not {wanted}")

    def expect_none(self, what: str, found: Collection[object]) -> None:
        self.say(what, len(found))
        if found:
            self.faults.append(f"{what}: {list(found)[:3]}")


def percentile(values: Collection[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
