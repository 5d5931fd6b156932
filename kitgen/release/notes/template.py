"""Write notes by a template: the kit's own, or the one that kitgen ships."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import msgspec
from jinja2 import FunctionLoader, TemplateError, TemplateSyntaxError, UndefinedError
from msgspec import Struct

from kitgen.files.tree import Disk, decode_text
from kitgen.findings import Origin, Problem, make_problem, suggest_word
from kitgen.findings.errors import FindingsError
from kitgen.release.notes.model import ReleaseNotes
from kitgen.text.patterns import compile_late
from kitgen.text.sandbox import Budget, TemplateSandbox

FILE = "templates/notes.md.j2"
"""Where a kit has its own, below its root."""
DEFAULT = "default"
"""What a kit's own template extends to replace some blocks of the one that kitgen ships."""
SHIPPED = Path(__file__).with_name("notes.md.j2")
ERRORS = (
    TemplateError,
    AssertionError,  # some filters of jinja2 check their arguments by these
    ValueError,
    TypeError,
    ArithmeticError,
    LookupError,
    AttributeError,
    NameError,
    SyntaxError,
)
"""What running a template may raise; the last ones come from the code that jinja2 makes."""
LONGEST, MAX_SOURCE = 200, 128 * 1024
"""Characters of a message, and of a template: to compile one takes a thousand times its size."""
EMPTY, TWO = compile_late(r"\n(?:[ \t]*\n){2,}"), "\n\n"
"""Lines without text in a row, of which one is left: templates with conditions make many."""
WORD = compile_late(r"'(\w+)' is undefined|has no attribute '(\w+)'")


class NotesTemplate(Struct, frozen=True, kw_only=True):
    """The text of a template, and the file that it is from."""

    text: str
    file: str


def read_default_template() -> NotesTemplate:
    """Return the template that kitgen ships."""
    return NotesTemplate(text=SHIPPED.read_text(encoding="utf-8"), file=DEFAULT)


def read_template(root: Path) -> NotesTemplate:
    """Return the kit's own template, or the one that kitgen ships; what is no text is a FindingsError."""
    files = Disk(root)
    if not files.exists(FILE):
        return read_default_template()
    data = files.read(FILE)
    text = data if isinstance(data, Problem) else decode_text(data)
    if isinstance(text, Problem):
        raise FindingsError([text.to_finding(Origin(FILE, (), text.line or 1))], root)
    return NotesTemplate(text=text, file=FILE)


def render_notes(notes: ReleaseNotes, template: NotesTemplate, root: Path | None = None) -> str:
    """Return notes as a template writes them; a mistake in it is a FindingsError."""
    if len(template.text) > MAX_SOURCE:
        message = f"found {len(template.text):,} characters, expected at most {MAX_SOURCE:,}"
        raise FindingsError(
            [make_problem("notes-template", message).to_finding(Origin(template.file, (), 1))], root
        )
    texts = {template.file: template.text, DEFAULT: read_default_template().text}
    loader = FunctionLoader(lambda name: (texts[name], name, None) if name in texts else None)
    sandbox = TemplateSandbox(Budget(endless=template.file == DEFAULT), loader)
    data = msgspec.json.decode(msgspec.json.encode(notes))
    del data["schema"]
    try:
        made: str = sandbox.get_template(template.file).render(data)
    except (RecursionError, MemoryError) as error:
        wrong = make_problem(
            "notes-template",
            "found a template that is nested too deeply",
            line=_find_error_line(error, template.file),
        )
    except ERRORS as error:
        wrong = _to_problem(error, template.file, data)
    else:
        return f"{EMPTY.sub(TWO, made).strip()}\n"
    raise FindingsError([wrong.to_finding(Origin(template.file, (), wrong.line or 1))], root)


def _to_problem(error: Exception, file: str, data: dict[str, object]) -> Problem:
    """Return what is wrong with a template, and in which line."""
    said = error.message if isinstance(error, TemplateError) else str(error)
    text = " ".join((said or type(error).__name__).split())[:LONGEST].rstrip(".")
    if isinstance(error, TemplateSyntaxError):
        return make_problem("notes-template", text, line=error.lineno)
    word = WORD.search(text)
    hint = suggest_word(word[1], list(data)) if isinstance(error, UndefinedError) and word and word[1] else ""
    return make_problem("notes-template", text, hint=hint, line=_find_error_line(error, file))


def _find_error_line(error: BaseException, file: str) -> int:
    """Return the line of a template that raised an error, as jinja2 wrote it into the traceback."""
    line, at = 0, error.__traceback__
    while isinstance(at, TracebackType):
        if at.tb_frame.f_code.co_filename == file:
            line = at.tb_lineno
        at = at.tb_next
    return line
