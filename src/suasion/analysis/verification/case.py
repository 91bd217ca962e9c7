"""One answer with everything that was read out of it: what checks and virtues look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from suasion.analysis.argdown import Document, parse
from suasion.analysis.verification.annotation import Annotation, read_annotation
from suasion.analysis.verification.blocks import KINDS, Block, read_blocks, split_lines
from suasion.analysis.verification.blocks import ArtefactName as ArtefactName
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.formal import Formalisations, read_formalisations


@dataclass(frozen=True)
class Case:
    """An answer to a task's problem.

    Attributes:
        answer: the model's raw text, untrusted.
        source: the text that is analysed, or "".
        reference: the artefact that a sequential task starts from (annotated text, map, informal reconstruction), as text, or "".
        artefacts: what the task asks for, in its order. A task that asks for two Argdown artefacts tells them by file name.
    """

    answer: str
    source: str = ""
    reference: str = ""
    artefacts: tuple[ArtefactName, ...] = ("map",)

    @cached_property
    def _read(self) -> tuple[dict[ArtefactName, Block], Sequence[Finding]]:
        return read_blocks(self.answer, self.artefacts)

    @property
    def blocks(self) -> dict[ArtefactName, Block]:
        """The block of each artefact that was found: the last of its kind."""
        return self._read[0]

    @property
    def block_findings(self) -> Sequence[Finding]:
        """What is wrong with the fences: an artefact missing, an odd fence."""
        return self._read[1]

    @cached_property
    def annotation(self) -> Annotation | None:
        """What the annotation says; ``None`` where there is none."""
        block = self.blocks.get("annotation")
        return read_annotation(block, self.source) if block else None

    @cached_property
    def map(self) -> Document | None:
        """The argument map; ``None`` where there is none. ``Document.errors`` may be there."""
        block = self.blocks.get("map")
        return parse(block.text) if block else None

    @cached_property
    def reconstruction(self) -> Document | None:
        """The document with the reconstructed arguments; ``None`` where there is none."""
        block = self.blocks.get("reconstruction")
        return parse(block.text) if block else None

    @cached_property
    def formal(self) -> Formalisations:
        """The formulas of the reconstruction, and what a prover says of them; empty where there is none."""
        return read_formalisations(self.reconstruction)

    @cached_property
    def given_annotation(self) -> Annotation | None:
        """The reference as an annotated text; ``None`` where there is no reference."""
        return read_annotation(self._given("annotation"), self.source) if self.reference else None

    @cached_property
    def given_map(self) -> Document | None:
        """The reference as a map; ``None`` where there is no reference."""
        return parse(self._given("map").text) if self.reference else None

    @cached_property
    def given_reconstruction(self) -> Document | None:
        """The reference as a reconstruction; ``None`` where there is no reference."""
        return parse(self._given("reconstruction").text) if self.reference else None

    @property
    def snippets(self) -> str:
        """The artefacts alone, in the task's order, an empty line between them: the answer without its reasoning."""
        return "\n\n".join(self.blocks[name].text for name in self.artefacts if name in self.blocks)

    @property
    def reasoning(self) -> str:
        """The answer without the blocks that count."""
        lines = split_lines(self.answer)
        for block in sorted(self.blocks.values(), key=lambda block: -block.line):
            del lines[block.line - 2 : block.last]
        return "\n".join(lines)

    def _given(self, name: ArtefactName) -> Block:
        """The reference, between fences or bare."""
        return read_blocks(self.reference, (name,))[0].get(name) or Block(KINDS[name], self.reference, 1)
