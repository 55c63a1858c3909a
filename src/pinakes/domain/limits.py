"""The documented limits, each a setting."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Over a limit nothing is stored, and the error names it."""

    file_bytes: int = 50 * 1024 * 1024
    knowledge_bases_per_user: int = 100
    tags_per_document: int = 20
    note_characters: int = 100_000
    bundle_bytes: int = 10 * 1024 * 1024 * 1024
    activity_days: int = 90

    def file_too_large(self, what: str) -> str:
        """What to say to a file over the limit."""
        limit = f"{self.file_bytes / (1024 * 1024):g} MB"
        return f"{what} is larger than the limit of {limit} a file. Split it, or raise PINAKES_MAX_FILE_BYTES."

    def bundle_too_large(self, what: str) -> str:
        """What to say to a bundle over the limit."""
        limit = f"{self.bundle_bytes / (1024 * 1024 * 1024):g} GB"
        return f"{what} is larger than the limit of {limit} a bundle. Split it, or raise PINAKES_MAX_BUNDLE_BYTES."
