# SPDX-License-Identifier: Apache-2.0
"""Completion of published names in IPython."""

import pytest

import atoll as ak

shells = pytest.importorskip("IPython.core.interactiveshell")
completer = pytest.importorskip("IPython.core.completer")


@pytest.fixture
def completed():
    """A function: which published names IPython offers for a text, as whole texts. It may offer builtins, too."""
    shell = shells.InteractiveShell()
    shell.run_line_magic("load_ext", "atoll")

    def offered(text):
        with completer.provisionalcompleter():
            offers = [text[: one.start] + one.text for one in shell.Completer.completions(text, len(text))]
        return [offer for offer in offers if "completed" in offer]

    yield offered
    shell.history_manager.end_session()


def test_published_names_are_completed(session, completed):
    for name in ("completed", "completed-2024", "other.completed"):
        ak.publish(name, ak.arange(3), replace=True)
    assert completed('ak.attach("comp') == ['ak.attach("completed', 'ak.attach("completed-2024']
    assert completed('x = ak.attach("completed-') == ['x = ak.attach("completed-2024']
    assert completed("ak.unpublish('other.") == ["ak.unpublish('other.completed"]
    assert completed('ak.arange("comp') == []
    for name in ("completed", "completed-2024", "other.completed"):
        ak.unpublish(name)


def test_nothing_is_offered_without_a_server(completed):
    ak.shutdown()
    assert completed('ak.attach("comp') == []
    ak.init()
    assert completed('ak.attach("comp') == []
