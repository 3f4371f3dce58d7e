"""Molecules from SMILES (needs RDKit: pip install 'infmcs[chem]'): what do drugs have in common?"""

from infmcs import Graph, Index, Question, compare, datasets

DRUGS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "paracetamol": "CC(=O)Nc1ccc(O)cc1",
    "ibuprofen": "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "theophylline": "Cn1c2c(c(=O)n(c1=O)C)[nH]cn2",
}


def main() -> None:
    """Compare all pairs, draw one, search one among the bundled molecules."""
    molecules = {name: Graph.from_smiles(smiles) for name, smiles in DRUGS.items()}
    names = list(molecules)
    for i, left in enumerate(names):
        for right in names[i + 1 :]:
            # bonds count: an aromatic ring is no cyclohexane
            answer = compare(molecules[left], molecules[right], question=Question(edge_labels=True))
            print(f"{left:12} {right:12} {answer.headline}")
    compare(molecules["aspirin"], molecules["ibuprofen"]).draw("drugs.svg")

    index = Index.build(datasets.load("molecules"))
    result = index.search(molecules["theophylline"], top=3)
    for hit in result:
        print(f"{hit.name}: {hit.common} atoms in common, similarity {hit.similarity:.3f}, proved: {hit.proved}")
    print(
        f"{result.seconds * 1000:.0f} ms; {result.bounded:,} of {result.graphs:,} molecules ruled out by bounds alone"
    )


if __name__ == "__main__":
    main()
