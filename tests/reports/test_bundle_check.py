"""What ``verify`` finds, also when whoever changed a bundle made the hashes fit again."""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leadline.domain.claims import Claim, fingerprint
from leadline.domain.evidence import Passage
from leadline.domain.source_files import text_hash
from leadline.reports import bundle_files
from leadline.reports.bundle import write_bundle
from leadline.reports.bundle_check import check_bundle
from leadline.reports.bundle_report import BundleReport
from tests.runs.evidence_by_hand import REPORT, SENTENCES, whole_run

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The files of a bundle that nobody touched."""
    folder = whole_run(tmp_path_factory.mktemp("runs"))
    stream = io.BytesIO()
    write_bundle(folder, stream)
    with zipfile.ZipFile(stream) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def files(original: Files) -> Files:
    return dict(original)


def packed(path: Path, files: Files, *, hashes: bool = True) -> Path:
    """A zip of the files; ``hashes``: its manifest is made to fit them."""
    if hashes:
        manifest = json.loads(files["manifest.json"])
        manifest["files"] = {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
            for name, content in files.items()
            if name != "manifest.json"
        }
        if "report.md" in files:
            manifest["report_sha256"] = manifest["files"]["report.md"]["sha256"]
        files = {**files, "manifest.json": json.dumps(manifest).encode()}
    target = path / "bundle.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target


def replaced(files: Files, name: str, old: str, new: str, *, count: int = -1) -> None:
    text = files[name].decode()
    assert old in text, f"{old!r} is not in {name}"
    files[name] = text.replace(old, new, count).encode()


def report_hashes_fit(files: Files, before: bytes) -> None:
    """Evidence and log name the changed report, as if it had been written so."""
    old, new = (hashlib.sha256(content).hexdigest() for content in (before, files["report.md"]))
    for name in ("evidence.json", "audit.jsonl"):
        replaced(files, name, old, new)


def failed(report: BundleReport) -> set[str]:
    return {check.name for check in report.checks if check.problems}


def told(report: BundleReport) -> str:
    return "\n".join(problem for check in report.checks for problem in check.problems)


def test_an_untouched_bundle_is_verified(tmp_path: Path, files: Files) -> None:
    report = check_bundle(packed(tmp_path, files, hashes=False))
    assert report.ok, told(report)
    assert all(check.made for check in report.checks)
    assert (report.run, report.topic[:8]) == ("whole", "What did")
    looked_at = {check.name: check.looked_at for check in report.checks}
    assert looked_at["sentences"] == "4 sentences"
    assert looked_at["references"] == "3 references"
    assert report.to_wire()["ok"] is True


def test_a_run_is_verified_where_it_lies(tmp_path: Path) -> None:
    """Its folder has no manifest and no page; all else is checked in the same way."""
    folder = whole_run(tmp_path)
    report = check_bundle(folder.path)
    assert report.ok, told(report)
    assert [check.name for check in report.checks if not check.made] == ["manifest", "page"]
    source = folder.file("sources/1.md")
    source.write_text(source.read_text("utf-8").replace("97", "79"), "utf-8")
    assert {"snapshots", "quotes"} <= failed(check_bundle(folder.path))


def test_an_unpacked_bundle_is_checked_like_a_packed_one(tmp_path: Path, files: Files) -> None:
    with zipfile.ZipFile(packed(tmp_path, files)) as archive:
        archive.extractall(tmp_path / "open")
    assert check_bundle(tmp_path / "open").ok
    (tmp_path / "open" / "report.html").write_text("<p>Something else</p>", "utf-8")
    assert failed(check_bundle(tmp_path / "open")) == {"manifest", "page"}


# The five that must be found, each with and without hashes that fit

ATTACKS: dict[str, tuple[Callable[[Files], None], set[str]]] = {}


def attack(*finders: str) -> Callable[[Callable[[Files], None]], Callable[[Files], None]]:
    def named(change: Callable[[Files], None]) -> Callable[[Files], None]:
        ATTACKS[change.__name__] = (change, set(finders))
        return change

    return named


@attack("snapshots", "quotes")
def a_changed_byte_in_a_snapshot(files: Files) -> None:
    replaced(files, "sources/2.md", "38.5 million", "39.5 million")


@attack("snapshots")
def a_changed_head_of_a_snapshot(files: Files) -> None:
    replaced(files, "sources/2.md", "gazette.quorrow.example", "gazette.quorrow.invalid")


@attack("quotes", "log")
def a_quote_moved_to_another_source(files: Files) -> None:
    replaced(files, "evidence.json", '"ref": "2.1"', '"ref": "1.1"')


@attack("quotes", "log")
def a_quote_given_to_another_address(files: Files) -> None:
    evidence = json.loads(files["evidence.json"])
    evidence["claims"][2]["passages"][0]["url"] = "https://ferry.quorrow.example/2025"
    files["evidence.json"] = json.dumps(evidence).encode()


@attack("sentences", "numbers", "log", "page")
def a_number_altered_in_the_report(files: Files) -> None:
    replaced(files, "report.md", "412,000", "421,000")
    replaced(files, "evidence.json", "412,000 passengers in 2025.", "421,000 passengers in 2025.")


@attack("sentences", "log")
def a_number_altered_in_the_report_alone(files: Files) -> None:
    replaced(files, "report.md", "38.5 million", "3.85 million")


@attack("references", "log")
def a_reference_removed(files: Files) -> None:
    lines = files["report.md"].decode().splitlines(keepends=True)
    files["report.md"] = "".join(line for line in lines if not line.startswith("2. ")).encode()


@attack("references", "log")
def an_invented_reference(files: Files) -> None:
    line = "4. [A study](<https://study.example/>) · <https://study.example/>\n"
    replaced(files, "report.md", "\n---\n", f"{line}\n---\n")


@attack("references", "log")
def an_invented_reference_in_plain_words(files: Files) -> None:
    replaced(files, "report.md", "\n---\n", "\nAlso: Doe, J. (2024). A study of ferries.\n\n---\n")


@attack("references", "log")
def a_reference_with_another_address(files: Files) -> None:
    replaced(files, "report.md", "<https://ferry.quorrow.example/2025>", "<https://evil.example/>")


@attack("references", "log")
def a_reference_with_another_title(files: Files) -> None:
    replaced(files, "report.md", "[The year 2025]", "[The best year]")


@attack("sentences", "log")
def an_invented_sentence_with_a_real_citation(files: Files) -> None:
    said = 'It sank twice [\\[2\\]](sources/2.md#p1 "c3 disputed") *(disputed)*.'
    replaced(files, "report.md", "## Cost\n", f"## Cost\n\n{said}\n")


@attack("sentences", "log")
def an_invented_line_in_a_table_of_claims(files: Files) -> None:
    row = "| c1 | It sank twice. | supported | [ferry 1.2](sources/1.md#p2) |"
    table = f"| a | b | c | d |\n|---|---|---|---|\n{row}"
    replaced(files, "report.md", "## References", f"{table}\n\n## References")


@attack("sentences", "log")
def a_citation_that_leads_elsewhere(files: Files) -> None:
    replaced(files, "report.md", "sources/1.md#p3", "sources/1.md#p1")


@attack("sentences", "log")
def a_disputed_sentence_shown_as_settled(files: Files) -> None:
    replaced(files, "report.md", " *(disputed)*", "")


@attack("sentences", "log")
def a_state_that_was_made_better(files: Files) -> None:
    replaced(files, "report.md", "c3 disputed", "c3 supported")


@attack("log")
def a_check_that_was_made_better(files: Files) -> None:
    evidence = json.loads(files["evidence.json"])
    evidence["claims"][3] |= {"state": "supported", "reason": "", "against": []}
    files["evidence.json"] = json.dumps(evidence).encode()


@attack("log")
def a_better_grade(files: Files) -> None:
    """Sum and grade are arithmetic: a file that says otherwise is wrong in itself."""
    replaced(files, "evidence.json", '"grade": "B"', '"grade": "A"', count=1)


@attack("snapshots", "log")
def a_source_with_another_date(files: Files) -> None:
    replaced(files, "evidence.json", "2026-01-03", "2026-02-03")


@attack("snapshots")
def a_list_of_sources_that_lacks_one(files: Files) -> None:
    files["sources.json"] = json.dumps(json.loads(files["sources.json"])[:2]).encode()


@attack("snapshots")
def a_text_of_no_source(files: Files) -> None:
    files["sources/4.md"] = files["sources/3.md"]


@attack("log")
def an_entry_taken_out_of_the_log(files: Files) -> None:
    lines = files["audit.jsonl"].splitlines(keepends=True)
    files["audit.jsonl"] = b"".join(line for line in lines if b"claim.checked" not in line)


@attack("log")
def a_log_that_ends_early(files: Files) -> None:
    files["audit.jsonl"] = b"".join(files["audit.jsonl"].splitlines(keepends=True)[:-3])


@attack("log")
def a_run_that_ended_better_than_it_did(files: Files) -> None:
    for name in ("run.json", "evidence.json"):
        replaced(files, name, '"status": "done"', '"status": "empty"')


@attack("page")
def a_page_that_shows_something_else(files: Files) -> None:
    replaced(files, "report.html", "412,000", "421,000")


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("hashes", [False, True], ids=["as it is", "hashes made to fit"])
def test_every_change_is_found(tmp_path: Path, files: Files, name: str, hashes: bool) -> None:
    """Each by the check that is for it, with the manifest made to fit or not."""
    change, finders = ATTACKS[name]
    change(files)
    report = check_bundle(packed(tmp_path, files, hashes=hashes))
    assert finders <= failed(report), told(report)
    assert ("manifest" in failed(report)) is not hashes


@pytest.mark.parametrize(
    ("name", "finders"),
    [
        ("a_number_altered_in_the_report_alone", {"sentences"}),
        ("a_reference_removed", {"references"}),
        ("an_invented_reference", {"references"}),
        ("an_invented_reference_in_plain_words", {"references"}),
        ("a_reference_with_another_address", {"references"}),
        ("an_invented_sentence_with_a_real_citation", {"sentences"}),
        ("an_invented_line_in_a_table_of_claims", {"sentences"}),
        ("a_citation_that_leads_elsewhere", {"sentences"}),
        ("a_disputed_sentence_shown_as_settled", {"sentences"}),
    ],
)
def test_a_changed_report_is_found_without_any_hash(
    tmp_path: Path, files: Files, name: str, finders: set[str]
) -> None:
    """Also when manifest, evidence and log name the hash of the changed report."""
    before = files["report.md"]
    ATTACKS[name][0](files)
    report_hashes_fit(files, before)
    report = check_bundle(packed(tmp_path, files))
    assert failed(report) - {"page"} == finders, told(report)


def test_a_number_that_no_passage_has_is_found_when_all_else_agrees(
    tmp_path: Path, files: Files
) -> None:
    """Report, evidence and log say 421,000, every hash fits: the passage still says 412,000."""
    before = files["report.md"]
    replaced(files, "report.md", "412,000", "421,000")
    for name in ("evidence.json", "audit.jsonl"):
        replaced(files, name, "carried 412,000 passengers in 2025.", "carried 421,000 passengers "
                 "in 2025.")  # fmt: skip
    report_hashes_fit(files, before)
    report = check_bundle(packed(tmp_path, files))
    assert "numbers" in failed(report), told(report)
    assert "states 421000" in told(report)


def test_a_quote_moved_in_evidence_and_log_is_found(tmp_path: Path, files: Files) -> None:
    """The words still stand in one passage only."""
    evidence = json.loads(files["evidence.json"])
    for holder in (evidence["claims"][2], evidence["findings"][2]):
        row = holder["passages"][0]
        other = evidence["sources"][0]
        row |= {"ref": "1.1", "url": other["url"], "title": other["title"], "date": other["date"]}
    files["evidence.json"] = json.dumps(evidence).encode()
    replaced(files, "audit.jsonl", '"passages":[{"source":2,"passage":1}],"quotes"',
             '"passages":[{"source":1,"passage":1}],"quotes"')  # fmt: skip
    report = check_bundle(packed(tmp_path, files))
    assert {"quotes", "sentences"} <= failed(report), told(report)


def test_what_no_check_can_see(tmp_path: Path, files: Files) -> None:
    """docs/evidence.md says so: a bundle rewritten in all its parts agrees with itself."""
    before = files["report.md"]
    for name in files:
        files[name] = files[name].replace(b"412,000", b"421,000")
    old = json.loads(files["sources.json"])[0]["hash"]
    text = files["sources/1.md"].decode()
    new = text_hash(
        Passage(number=n, text=block.split("\n", 1)[1].rstrip("\n"))
        for n, block in enumerate(text.split('<a id="p')[1:], 1)
    )
    for name in ("sources.json", "evidence.json", "audit.jsonl"):
        replaced(files, name, old, new)
    entries = [json.loads(line) for line in files["audit.jsonl"].splitlines()]
    claims = next(e["data"]["claims"] for e in entries if e["type"] == "claims.merged")
    check = next(e["data"]["check"] for e in entries if e["type"] == "claim.checked")
    replaced(files, "audit.jsonl", check["fingerprint"], fingerprint(Claim(**claims[0])))
    report_hashes_fit(files, before)
    report = check_bundle(packed(tmp_path, files))
    assert report.ok, told(report)


# Reports of other forms


def checked(tmp_path: Path, report: str, sentences: Any = SENTENCES) -> BundleReport:
    return check_bundle(whole_run(tmp_path, report=report, sentences=sentences).path)


def test_citations_without_titles_and_marks_are_read_too(tmp_path: Path) -> None:
    plain = re.sub(r' "c\d [a-z]+"', "", REPORT).replace(" *(disputed)*", "")
    report = checked(tmp_path, plain)
    assert report.ok, told(report)


def test_the_line_of_a_claim_may_link_its_passages(tmp_path: Path) -> None:
    row = (
        "| c1 | The ferry carried 412,000 passengers in 2025. | x | [ferry 1.2](sources/1.md#p2) |"
    )
    table = f"\n## Claims\n\n| id | a | b | c |\n|---|---|---|---|\n{row}\n\n---\n"
    report = checked(tmp_path, REPORT.replace("\n---\n", table))
    assert report.ok, told(report)


def test_a_sentence_that_stands_twice_is_found_twice(tmp_path: Path) -> None:
    again = REPORT.replace(
        "## Cost\n",
        '## Again\n\nThe ferry carried 412,000 passengers in 2025 [\\[1\\]](sources/1.md#p2 '
        '"c1 supported").\n\n## Cost\n',
    )  # fmt: skip
    assert "no sentence of the evidence" in told(checked(tmp_path / "a", again))
    both = (*SENTENCES, SENTENCES[0].model_copy(update={"section": "Again"}))
    assert checked(tmp_path / "b", again, both).ok


@pytest.mark.parametrize("digits", ["412,0001", "1412,000"])
def test_a_number_that_runs_on_is_another_one(tmp_path: Path, digits: str) -> None:
    sentence = SENTENCES[0].model_copy(update={"text": "The ferry carried 412,000"})
    other = REPORT.replace("carried 412,000 passengers in 2025 ", f"carried {digits} ").replace(
        '"c1 supported")', '"c1 supported") passengers'
    )
    found = told(checked(tmp_path, other, (sentence, *SENTENCES[1:])))
    assert "in the evidence and not in report.md" in found


def test_a_report_without_a_list_of_sentences_cannot_be_checked(tmp_path: Path) -> None:
    """Reports of earlier versions: said, not passed over."""
    report = checked(tmp_path, REPORT, ())
    assert "sentences" in failed(report)
    assert "earlier versions" in told(report)


def test_evidence_of_an_earlier_version_is_told(tmp_path: Path, files: Files) -> None:
    files["evidence.json"] = b'{"findings": [{"id": "f1"}]}'
    report = check_bundle(packed(tmp_path, files))
    assert failed(report) == {"files"}
    assert "earlier version" in told(report)
    assert not report.checks[-1].made


# Files that are made to harm


def zipped(path: Path, *entries: tuple[str, bytes], **info: Any) -> Path:
    target = path / "bad.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for key, value in info.items():
                setattr(entry, key, value)
            archive.writestr(entry, content)
    return target


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "a/../../b", "C:\\x", "sources\\..\\..\\x", "c:x"]
)
def test_a_name_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    """safety 12."""
    report = check_bundle(zipped(tmp_path, (name, b"x")))
    assert "leads out of it" in told(report)
    assert not any(tmp_path.parent.glob("evil"))


def test_links_folders_locks_and_doubles_are_refused(tmp_path: Path) -> None:
    link = zipped(tmp_path, ("report.md", b"/etc/passwd"), external_attr=0o120777 << 16)
    assert "a link or a folder" in told(check_bundle(link))
    assert "a link or a folder" in told(check_bundle(zipped(tmp_path, ("sources/", b""))))
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped(tmp_path, ("run.json", b"1"), ("run.json", b"2"))
    assert "two files named" in told(check_bundle(twice))
    assert "two files named" in told(
        check_bundle(zipped(tmp_path, ("run.json", b"1"), ("RUN.json", b"2")))
    )
    locked = bytearray(zipped(tmp_path, ("report.md", b"x")).read_bytes())
    locked[locked.find(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "bad.zip").write_bytes(locked)
    assert "is locked" in told(check_bundle(tmp_path / "bad.zip"))


def test_bombs_are_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Size, ratio, number of files, shared bytes, a long list of files."""
    zeros = bytes(2**20)
    monkeypatch.setattr(bundle_files, "MAX_FILE_BYTES", 2**19)
    assert "larger than" in told(check_bundle(zipped(tmp_path, ("report.md", zeros))))
    monkeypatch.setattr(bundle_files, "MAX_FILE_BYTES", 2**30)
    monkeypatch.setattr(bundle_files, "LARGE_BYTES", 2**18)
    assert "times its size" in told(check_bundle(zipped(tmp_path, ("report.md", zeros))))
    monkeypatch.setattr(bundle_files, "MAX_TOTAL_BYTES", 2**18)
    assert "Unpacked it would be" in told(check_bundle(zipped(tmp_path, ("report.md", zeros))))
    many = zipped(tmp_path, *((f"sources/{n}.md", b"") for n in range(1, 9)))
    monkeypatch.setattr(bundle_files, "MAX_FILES", 7)
    assert "more than 7 files" in told(check_bundle(many))
    monkeypatch.setattr(bundle_files, "_MAX_DIRECTORY_BYTES", 100)
    monkeypatch.setattr(bundle_files, "MAX_FILES", 70)
    assert "list of files is too long" in told(check_bundle(many))
    content = bytearray(many.read_bytes())
    struct.pack_into("<H", content, content.rfind(b"PK\x05\x06") + 10, 60_000)
    many.write_bytes(content)
    assert "says that it has more than" in told(check_bundle(many))


def test_a_size_that_lies_is_not_believed(tmp_path: Path, files: Files) -> None:
    target = packed(tmp_path, files)
    content = bytearray(target.read_bytes())
    at = content.find(b"PK\x01\x02")
    struct.pack_into("<L", content, at + 24, 10)  # the first file is said to be 10 bytes long
    target.write_bytes(content)
    assert "damaged" in told(check_bundle(target))


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip" * 100, b"PK\x05\x06" + bytes(18)])
def test_what_is_no_bundle_is_told(tmp_path: Path, content: bytes) -> None:
    target = tmp_path / "x.zip"
    target.write_bytes(content)
    report = check_bundle(target)
    assert failed(report) & {"files", "manifest"}
    assert not report.ok


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path) -> None:
    folder = whole_run(tmp_path)
    report = folder.file("report.md")
    report.rename(tmp_path / "elsewhere.md")
    report.symlink_to(tmp_path / "elsewhere.md")
    assert "symbolic link" in told(check_bundle(folder.path))


def test_a_strange_file_is_a_problem(tmp_path: Path, files: Files) -> None:
    files["sources/run.exe"] = b"MZ"
    assert failed(check_bundle(packed(tmp_path, files))) == {"files"}


_BYTES = st.binary(max_size=20) | st.sampled_from([b'"', b"\n", b"9", b"[]", b"null"])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(which=st.integers(0), where=st.floats(0, 1), length=st.integers(0, 40), other=_BYTES)
def test_a_file_of_any_content_is_a_problem_and_no_crash(
    tmp_path: Path, original: Files, which: int, where: float, length: int, other: bytes
) -> None:
    files = dict(original)
    name = sorted(files)[which % len(files)]
    text = files[name]
    start = int(where * len(text))
    files[name] = text[:start] + other + text[start + length :]
    report = check_bundle(packed(tmp_path, files, hashes=False))
    changed = files != original
    if name != "manifest.json":  # there a blank more changes nothing
        assert report.ok is not changed, f"{name} from {start}: {other!r}"
