"""Write the molecules that come with the package, from the NCI file that RDKit's package carries.

    python tools/bundle_molecules.py

needs the extra `chem`. Run once per change of this file; the result and its provenance are committed. Atoms keep the
order of the SMILES, so column `smiles` names the same atoms. What RDKit refuses is left out and listed.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from pathlib import Path

from rdkit import Chem, RDConfig, rdBase

from infmcs import durable
from infmcs.interchange import from_rdkit

FOLDER = Path(__file__).parents[1] / "src" / "infmcs" / "datasets" / "bundled"


def main() -> None:
    """Convert, write, and say what was left out."""
    content = (Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi").read_bytes()
    lines, refused, smiles = [], [], ""
    with rdBase.BlockLogs():
        for row in content.decode().splitlines():
            smiles, number = row.split()
            molecule = Chem.MolFromSmiles(smiles)
            if molecule is None:
                refused.append({"id": f"NSC{number}", "smiles": smiles})
                continue
            graph = from_rdkit(molecule)
            lines.append(
                {
                    "id": f"NSC{number}",
                    "smiles": smiles,
                    "node_labels": graph.label_names,
                    "edges": graph.edges.tolist(),
                    "edge_labels": graph.edge_label_names,
                }
            )
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    durable.write_bytes(FOLDER / "molecules.jsonl.xz", packed)
    provenance = {
        "what": "molecules of the NCI open set as graphs: atoms without hydrogens, bonds",
        "from": "Data/NCI/first_5K.smi of the RDKit package",
        "rdkit": rdBase.rdkitVersion,
        "licence": "BSD-3-Clause, see LICENSE.rdkit",
        "sha256 of the source": hashlib.sha256(content).hexdigest(),
        "sha256 of the text": hashlib.sha256(text.encode()).hexdigest(),
        "made by": "tools/bundle_molecules.py",
        "molecules": len(lines),
        "left out, because RDKit refuses their valences": refused,
    }
    durable.write_text(FOLDER / "molecules.provenance.json", json.dumps(provenance, indent=2) + "\n")
    print(f"{len(lines)} molecules in {len(packed):,} bytes, {len(refused)} left out")


if __name__ == "__main__":
    main()
