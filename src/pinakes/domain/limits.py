"""The documented limits, each a setting."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Over a limit nothing is stored, and the error names it."""

    file_bytes: int = 50 * 1024 * 1024
    knowledge_bases_per_user: int = 100
    tags_per_document: int = 20

    @property
    def file_megabytes(self) -> str:
        """For messages: `50 MB`."""
        return f"{self.file_bytes / (1024 * 1024):g} MB"
