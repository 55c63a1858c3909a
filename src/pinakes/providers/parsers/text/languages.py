"""Programming and configuration languages: which extensions their files carry."""

from collections.abc import Mapping

from pinakes.domain.parsing import MediaType

# Read by their grammar, so that each definition is a section.
STRUCTURED: Mapping[MediaType, tuple[str, ...]] = {
    "text/x-python": (".py", ".pyi"),
    "text/x-javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "text/x-typescript": (".ts", ".mts", ".cts"),
    "text/x-tsx": (".tsx",),
    "text/x-java": (".java",),
    "text/x-go": (".go",),
    "text/x-rust": (".rs",),
    "text/x-c": (".c",),
    # A header may be of either language; the grammar of C++ reads those of C too.
    "text/x-c++": (".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh", ".hxx"),
    "text/x-csharp": (".cs",),
    "text/x-ruby": (".rb", ".rake", ".gemspec"),
    "text/x-php": (".php",),
}
# Read as plain text.
PLAIN: Mapping[MediaType, tuple[str, ...]] = {
    "text/x-sh": (".sh", ".bash", ".zsh"),
    "text/x-sql": (".sql",),
    "text/x-toml": (".toml",),
    "text/x-yaml": (".yaml", ".yml"),
    "text/x-ini": (".ini", ".cfg", ".conf", ".properties"),
    "text/x-css": (".css", ".scss", ".sass", ".less"),
    "text/x-kotlin": (".kt", ".kts"),
    "text/x-swift": (".swift",),
    "text/x-scala": (".scala",),
    "text/x-lua": (".lua",),
    "text/x-r": (".r",),
    "text/x-perl": (".pl", ".pm"),
    "text/x-dart": (".dart",),
    "text/x-elixir": (".ex", ".exs"),
    "text/x-haskell": (".hs",),
    "text/x-julia": (".jl",),
    "text/x-clojure": (".clj",),
    "text/x-groovy": (".groovy", ".gradle"),
    "text/x-powershell": (".ps1",),
    "text/x-batch": (".bat", ".cmd"),
    "text/x-vue": (".vue",),
    "text/x-protobuf": (".proto",),
    "text/x-graphql": (".graphql",),
    "text/x-terraform": (".tf",),
    "text/x-cmake": (".cmake",),
    "text/x-diff": (".diff", ".patch"),
    "text/x-tex": (".tex",),
}
