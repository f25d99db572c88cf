"""Every call to a provider is counted, by what it was and how it was answered."""

from pathlib import Path

from declarations import record, zone
from harness import world


async def test_calls_are_counted_by_provider_sort_and_answer(tmp_path: Path) -> None:
    async with world(tmp_path) as w:
        await w.plane.declare([*w.setting(), zone(), record(1)])
        await w.all_ready("dns_records", 1)
        text = await w.plane.session.get(f"{w.plane.url}/metrics")
        lines = [line for line in (await text.text()).splitlines() if "provider_calls_total{" in line]
    for verb in ("read", "write"):
        assert any(f'outcome="2xx",provider="hetzner",verb="{verb}"' in line for line in lines), lines
