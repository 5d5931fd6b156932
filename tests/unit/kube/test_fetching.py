"""What a script fetches from outside of the cluster is found; what stays inside is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.kube.downloads import find_downloads


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("curl -sL https://example.com/a.sh | sh", [("curl", "example.com")]),
        ("wget http://example.com:8080/a", [("wget", "example.com")]),
        ("curl -o a.d/b example.com/a.sh", [("curl", "example.com")]),
        ("git clone https://github.com/a/b", [("", "github.com")]),
        ("git clone git@github.com:a/b.git", [("git", "github.com")]),
        ("git clone ssh://git@github.com/a/b", [("", "github.com")]),
        ("pip install torch==2", [("pip install", "")]),
        ("pip3 install git+https://github.com/a/b", [("", "github.com"), ("pip3 install", "")]),
        ("hf download a/b", [("hf download", "")]),
        ("python -c 'snapshot_download(\"a/b\")'", [("snapshot_download", "")]),
        ("microdnf -y install git", [("microdnf install", "")]),
        ("apt-get install -y git", [("apt-get install", "")]),
        ("--issuer=https://login.example.com/x", [("", "login.example.com")]),
        ("curl http://8.8.8.8/", [("curl", "8.8.8.8")]),
        ("curl https://a.example.com https://a.example.com/b", [("curl", "a.example.com")]),
    ],
)
def test_what_is_fetched(text: str, want: list[tuple[str, str]]) -> None:
    assert [(each.how, each.host) for each in find_downloads(text)] == want


@pytest.mark.parametrize(
    "text",
    [
        "curl http://localhost:8265/x", "curl http://127.0.0.1/x", "curl http://[::1]:80/x",
        "curl http://web.apps.svc/x", "curl https://web.apps.svc.cluster.local:8443/x", "curl http://web/x",
        "curl http://10.0.0.1/x", "curl $URL", "curl https://${HOST}/x", "curl https://$(HOST)/x",
        "curl -o file.tar.gz/x http://web/x", "# curl https://example.com", "ls # see https://example.com",
        "pip install --no-index a", "pip install --index-url=http://pypi.apps.svc a", "pip install /wheels/a",
        "curl -H example.com/x http://web/y", "echo pip", "git pull", "go run .", "http://", "http://[/x",
    ],
)  # fmt: skip
def test_what_stays_inside(text: str) -> None:
    assert [*find_downloads(text)] == []


def test_variables_and_services_count() -> None:
    assert [*find_downloads("pip install a", given=["PIP_INDEX_URL"])] == []
    assert [*find_downloads("hf download a", given=["HF_HUB_OFFLINE"])] == []
    assert [*find_downloads("curl http://web.apps/x", inside={"web.apps"})] == []


@given(st.text(alphabet="curlwgetpiphf install download://.[]@:$ \n#'\"-", max_size=80))
def test_any_text_can_be_asked(text: str) -> None:
    assert all(each.how or each.host for each in find_downloads(text))
