"""What a scrape says, as Prometheus's own parser understands it."""

from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Scrape:
    """Every sample by its name and labels."""

    samples: dict[tuple[str, Labels], float]

    def value(self, name: str, **labels: str) -> float | None:
        return self.samples.get((name, frozenset(labels.items())))

    def labels(self, name: str) -> list[dict[str, str]]:
        """The labels of every sample of this name."""
        return [dict(labels) for known, labels in self.samples if known == name]


def scrape(text: str) -> Scrape:
    families = text_string_to_metric_families(text)
    return Scrape({(s.name, frozenset(s.labels.items())): s.value for f in families for s in f.samples})
