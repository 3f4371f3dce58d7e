"""Model cards from records: `python reproduction/cards.py` writes one beside each trained model of the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from infmcs import models

HERE = Path(__file__).parent
TRAINED = Path(models.__file__).parent / "pretrained"
MEANING = {
    "mcs": "the largest connected common induced subgraph; nMCS = common nodes / mean size",
    "ged": "the edit distance at unit costs, edge labels ignored; nGED = exp(−GED / mean size)",
}
RECORDS = {
    "aids-mcs": "aids-mcs-refined-0",
    "aids-ged": "aids700nef-ged-0",
    "linux-mcs": "linux-mcs-refined-0",
    "ptc-mcs": "ptc-mcs-infmcs-0",
    "molecules-mcs": "molecules-mcs-0",
}


def card(name: str, record: dict[str, Any]) -> str:
    """What a model was trained on, how good it is, what it is not for."""
    told, rows = record["model"], {row["name"]: row for row in record["rows"]}
    plan, scale = told["plan"], (1000, "e-3") if record["metric"] == "ged" else (100, "e-2")
    lines = [f"# {name}", "", f"Similarity by {MEANING[record['metric']]}.", ""]
    lines += [
        f"- **Trained on** the training graphs of `{record['set']}` ({record['protocol']} protocol, split "
        f"{record['split']}); {told['pairs']:,} pairs, labels by the exact solver, "
        f"{told['seconds'] / 60:.0f} minutes of one core of a busy machine; seed {told['seed']}.",
        f"- **With** {plan['train']['copies']:.0%} edited copies of training graphs in each step; "
        f"{record['parameters']:,} parameters; "
        f"{plan['model']['refine'] or 'no'} rounds of refinement; chosen on the validation graphs alone.",
        f"- **Test**: {record['queries']} queries × {record['database']} graphs, {record['pairs']:,} pairs:",
        "",
        f"| | mse {scale[1]} | rho | p@10 | µs a pair |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for answer in ("model", "ridge", "nearest training graph", "constant", "exact"):
        row = rows[answer]
        lines.append(
            f"| {answer} | {row['mse'] * scale[0]:.3g} | {row['rho']:.3f} | {row['p@10']['expected']:.3f} "
            f"| {row['microseconds a pair']:.3g} |"
        )
    lines += [
        "",
        "Times are of a busy machine. The exact solver is quicker than any model at these sizes; a model earns its "
        "place where search explodes, and as the order of a search.",
        "",
        "- **Not for** labels it never saw (they read as 'none of those'), nor sizes far above those of its training. "
        "`compare` and `search` keep whatever it says inside proven bounds.",
        f"- **Record**: reproduction/records/{RECORDS[name]}.json",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name, wanted in RECORDS.items():
        path = HERE / "records" / f"{wanted}.json"
        if path.is_file() and (TRAINED / f"{name}.safetensors").is_file():
            (TRAINED / f"{name}.md").write_text(card(name, json.loads(path.read_text())))
