"""The rules about what people write: files, YAML and specs.

The stages that hold them name them by id only; they are described here so that one list has them all.
"""

from kitgen.check.rule import Family, Rule
from kitgen.findings import Severity

RULES = (
    Rule(
        id="file-missing",
        family=Family.FILE,
        title="a file that is not there",
        checks="Every version of a component has its component.yaml, and no link leads nowhere.",
        fix="Add the file, or remove the folder or link.",
    ),
    Rule(
        id="targets-missing",
        family=Family.FILE,
        title="a kit without targets",
        checks="The kit has a target at least. Without one, rendering would delete all that it wrote before.",
        fix="Add a file to targets/, or call it back.",
    ),
    Rule(
        id="file-kind",
        family=Family.FILE,
        title="not a file",
        checks="A spec is a plain file.",
        fix="Put a file there.",
    ),
    Rule(
        id="file-size",
        family=Family.FILE,
        title="a file that is too big",
        checks="A file is no bigger than any honest one.",
        fix="Check what it is; a spec names what is particular, nothing else.",
    ),
    Rule(
        id="file-encoding",
        family=Family.FILE,
        title="not UTF-8",
        checks="A file is UTF-8 text.",
        fix="Save it as UTF-8.",
    ),
    Rule(
        id="file-not-ours",
        family=Family.FILE,
        title="somebody else's file",
        checks="Where a generated file should go, there is none that kitgen did not write.",
        fix="Move it away, or delete it.",
    ),
    Rule(
        id="file-leftover",
        family=Family.FILE,
        title="a generated file that was left behind",
        checks=(
            "Every file in the rendered folder that says that kitgen generated it is one that kitgen renders "
            "or has on its list. Others are left when the list goes back and they do not, as after "
            "`git checkout .`, and kitgen deletes only what is on its list."
        ),
        fix="Remove it: nothing that kitgen renders refers to it.",
        severity=Severity.WARNING,
    ),
    Rule(
        id="path-outside",
        family=Family.FILE,
        title="a path out of the kit",
        checks="No path leads out of the kit.",
        fix="Keep the file inside the kit.",
    ),
    Rule(
        id="path-symlink",
        family=Family.FILE,
        title="a link out of the kit",
        checks="No symbolic link leads out of the kit, and none stands where files are written.",
        fix="Put the file itself there.",
    ),
    Rule(
        id="path-unsafe",
        family=Family.FILE,
        title="an unsafe path",
        checks="A generated file has a plain path below its folder.",
        fix="Rename the object or component that the file is called after.",
    ),
    Rule(
        id="path-clash",
        family=Family.FILE,
        title="a file and a folder of one name",
        checks="No generated file has the name of a folder.",
        fix="Rename one of the two.",
    ),
    Rule(
        id="yaml-syntax",
        family=Family.YAML,
        title="broken YAML",
        checks="The text can be read as YAML, and no tab indents it.",
        fix="Fix the line that the finding names; indent with spaces.",
    ),
    Rule(
        id="yaml-duplicate",
        family=Family.YAML,
        title="a key twice",
        checks="No mapping holds a key a second time. Most readers would silently take the last one.",
        fix="Remove one of the two.",
    ),
    Rule(
        id="yaml-ambiguous",
        family=Family.YAML,
        title="a word that readers disagree about",
        checks=(
            "A spec holds no plain word such as `yes`, `on`, `010` or a date, which is a string to one "
            "reader and something else to another."
        ),
        fix="Quote it, or write true, false or a plain number.",
    ),
    Rule(
        id="yaml-character",
        family=Family.YAML,
        title="a character that gets lost",
        checks=(
            "No text of a spec holds a control character from U+007F to U+009F, U+FFFE or U+FFFF. Kustomize "
            "changes it or cannot read its own copy, however it is written."
        ),
        fix="Remove it; where it is data, encode it, such as in base64.",
    ),
    Rule(
        id="yaml-tag",
        family=Family.YAML,
        title="a tag",
        checks="Values carry no tags such as `!!binary`.",
        fix="Write the plain value.",
    ),
    Rule(
        id="yaml-key",
        family=Family.YAML,
        title="a key that is not text",
        checks="Every key of a mapping is text.",
        fix="Write a plain key; a list or a mapping cannot be one.",
    ),
    Rule(
        id="yaml-limit",
        family=Family.YAML,
        title="too deep or too many aliases",
        checks="Nesting and aliases stay within bounds that no honest file reaches.",
        fix="Write the values out instead of repeating aliases of aliases.",
    ),
    Rule(
        id="yaml-merge",
        family=Family.YAML,
        title="a merge of no mapping",
        checks="What `<<` merges in a manifest is a mapping; a spec has no `<<`.",
        fix="Write the keys out.",
    ),
    Rule(
        id="yaml-documents",
        family=Family.YAML,
        title="several documents",
        checks="A spec file holds one document.",
        fix="Make one file of each document.",
    ),
    Rule(
        id="spec-unknown-key",
        family=Family.SPEC,
        title="unknown key",
        checks="Every key of a spec is one that its schema names.",
        fix="Take the name that the hint offers, or remove the key.",
    ),
    Rule(
        id="spec-missing-key",
        family=Family.SPEC,
        title="missing key",
        checks="A spec has every key that its schema requires.",
        fix="Add the key.",
    ),
    Rule(
        id="spec-type",
        family=Family.SPEC,
        title="wrong type",
        checks="Every value of a spec has the type that its schema names.",
        fix="Write what the message expects; numbers and booleans that are meant as text need quotes.",
    ),
    Rule(
        id="spec-value",
        family=Family.SPEC,
        title="wrong value",
        checks="Every value of a spec is within its bounds, its form and its list of choices.",
        fix="Write what the message expects.",
    ),
)
