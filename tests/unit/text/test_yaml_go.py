"""kubectl and kustomize themselves read what the writer writes, and the reader reads as kubectl does."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from nasty_strings import NUMBERS, STRINGS, WORDS

from kitgen.files import programs
from kitgen.text import yaml

FOR_KUSTOMIZE = [text for text in STRINGS if not yaml.find_lost_character(text)]
FOR_KUSTOMIZE += [f"a{chr(code)}b" for code in range(0xB0) if not yaml.find_lost_character(chr(code))]


@pytest.mark.kustomize
def test_kustomize_reads_strings_back(tmp_path: Path) -> None:
    program = programs.find_kustomize()
    if program is None:
        pytest.skip("neither kustomize nor kubectl is on PATH")
    data = {f"k{index}": text for index, text in enumerate(FOR_KUSTOMIZE)}
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}
    (tmp_path / "a.yaml").write_text(yaml.dump_yaml(config_map), encoding="utf-8")
    (tmp_path / "kustomization.yaml").write_text(yaml.dump_yaml({"resources": ["a.yaml"]}), encoding="utf-8")
    result = programs.run_program([*program, str(tmp_path)])
    assert result.is_successful, result.stderr
    assert yaml.read_yaml(result.stdout, dialect=yaml.Dialect.KUBECTL)["data"] == data


def kubectl(value: str, folder: Path) -> Any:
    """Return what kubectl makes of a text under `spec`; labels are added locally, without a cluster."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on PATH")
    file = folder / "thing.yaml"
    file.write_text(
        f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: a}}\n{value}", encoding="utf-8"
    )
    argv = ["kubectl", "label", "--local", "-f", str(file), "-o", "json", "a=b"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["spec"]


@pytest.mark.kustomize
def test_kubectl_reads_strings_back(tmp_path: Path) -> None:
    data = {
        "list": STRINGS,
        "keys": {text: text for text in STRINGS},
        "deep": [[{text: [text]}] for text in STRINGS],
    }
    assert kubectl(yaml.dump_yaml({"spec": data}), tmp_path) == data


@pytest.mark.kustomize
def test_plain_words_mean_what_kubectl_takes_them_for(tmp_path: Path) -> None:
    unlike = {".nan", ".inf", "-.Inf", "<<", "="}  # kubectl refuses the first three
    plain = [word for word in [*WORDS, *NUMBERS] if word and word not in unlike]
    plain += [
        "-010",
        "+0o7",
        "0x_",
        "0x_1",
        "1_0e3",
        ".5_0",
        "._5",
        "0_8",
        "0777777777777777777777777",
        "0o8",
        "0b2",
    ]
    text = "spec:\n" + "".join(f"- {word}\n" for word in plain)
    found = yaml.read_yaml(text, dialect=yaml.Dialect.KUBECTL)["spec"]
    # kubectl rounds whole numbers that 64 bits do not hold; here they stay as they are.
    found = [float(value) if type(value) is int and abs(value) >= 2**64 else value for value in found]
    assert dict(zip(plain, found, strict=True)) == dict(zip(plain, kubectl(text, tmp_path), strict=True))
    keys = "spec:\n  yes: 1\n  010: 2\n  1.50: 3\n  1e10: 4\n  -3: 5\n  v1: 6\n  100000000000000000000: 7\n"
    assert yaml.read_yaml(keys, dialect=yaml.Dialect.KUBECTL)["spec"] == kubectl(keys, tmp_path)
