"""The editor of word lists in JupyterLab and in the app: one visit, from no word to saved lists."""

from __future__ import annotations

from playwright.sync_api import expect

import biaslab as bl
from harness.story import eventually, hosts, themes_are_those_of_the_host
from harness.word_list_hosts import AppHost, Editor, Host, NotebookHost, words

host = hosts(NotebookHost, AppHost)


def test_story(host: Host) -> None:
    editor = host.show(lists=[words()]).settle()
    a_list_is_made_by_keys(host, editor)
    an_unknown_word_is_marked_and_a_near_one_taken(host, editor)
    a_column_is_pasted(host, editor)
    a_file_becomes_words(host, editor)
    a_list_of_the_catalogue_is_loaded_by_keys(host, editor)
    own_lists_are_saved_and_found_again(host, editor)
    themes_are_those_of_the_host(host, editor)
    if isinstance(host, NotebookHost):
        python_and_a_second_editor_are_beside_it(host, editor)


def a_list_is_made_by_keys(host: Host, editor: Editor) -> None:
    keys = host.page.keyboard
    editor.box().focus()
    keys.type("nurse")  # a letter goes on to the field
    keys.press("Enter")
    keys.type("chef;teacher")
    keys.press("Enter")
    keys.press("Shift+Tab")
    expect(editor.box()).to_be_focused()
    keys.press("Home")
    for key in ("Space", "Control+ArrowRight", "Control+ArrowRight", "Space", "Delete"):
        keys.press(key)
    host.wait_for_terms("chef")
    keys.press("Control+z")
    host.wait_for_terms("nurse", "chef", "teacher")


def an_unknown_word_is_marked_and_a_near_one_taken(host: Host, editor: Editor) -> None:
    editor.add("enginer")
    editor.settle()
    expect(editor.part("counts")).to_contain_text("4:1 unknown")
    expect(editor.chip("enginer")).to_have_attribute("data-kind", "unknown")
    expect(editor.chip("nurse")).not_to_have_attribute("data-kind", "unknown")
    editor.box().focus()
    host.page.keyboard.press("End")
    expect(editor.part("word-suggestion").first).to_have_text("engineer")
    host.page.keyboard.press("Enter")
    expect(editor.part("word-suggestion").first).to_be_focused()
    host.page.keyboard.press("Enter")
    host.wait_for_terms("nurse", "chef", "teacher", "engineer")
    expect(editor.part("count-unknown")).to_have_count(0)


def a_column_is_pasted(host: Host, editor: Editor) -> None:
    editor.copy("fire fighter\r\nlawyer\t\r\n\r\n")
    editor.part("add-word").focus()
    host.page.keyboard.press("Control+v")
    host.wait_for_terms("nurse", "chef", "teacher", "engineer", "fire fighter", "lawyer")


def a_file_becomes_words(host: Host, editor: Editor) -> None:
    editor.part("tool-paste").click()
    file = editor.part("paste-file")
    file.set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"\xff\xfe\x00"})
    expect(editor.part("paste-problem")).to_contain_text("a.csv is not text in UTF-8")
    content = b'name = "x"\ntitle = "X"\nsource = "s"\nitems = ["chef", "she"]\n'
    file.set_input_files({"name": "b.toml", "mimeType": "text/plain", "buffer": content})
    expect(editor.part("paste-add")).to_have_text("Add 2")
    editor.part("paste-replace").click()
    host.wait_for_terms("chef", "she")


def a_list_of_the_catalogue_is_loaded_by_keys(host: Host, editor: Editor) -> None:
    editor.part("tool-load").press("Enter")
    host.page.keyboard.type("weat-6")
    expect(editor.part("catalogue-entry").first).to_have_attribute("data-name", "weat-6")
    host.page.keyboard.press("Enter")
    editor.part("catalogue-load").press("Enter")
    expect(editor.part("words-notice")).to_contain_text("from weat-6")
    spec = bl.specs.get("weat-6")
    eventually(lambda: _are(host, *map(list, spec.lists.values())))


def _are(host: Host, *lists: list[str]) -> None:
    assert [one["terms"] for one in host.lists()] == list(lists)


def own_lists_are_saved_and_found_again(host: Host, editor: Editor) -> None:
    name = f"mine-{host.name}"
    before = host.lists()
    editor.part("tool-save").click()
    editor.part("save-name").fill(name)
    editor.part("save-title").fill("Mine <i>alone</i>")
    editor.part("save-source").fill("a test")
    editor.part("save-spec").click()
    expect(editor.part("words-notice")).to_contain_text(f"Saved the lists as {name}")
    spec = bl.specs.read(host.home() / "specs" / f"{name}.toml")
    assert [list(terms) for terms in spec.lists.values()] == [one["terms"] for one in before]
    editor.part("undo").click()
    host.wait_for_terms("chef", "she")
    editor.part("tool-load").click()
    host.page.keyboard.type(name)
    entry = editor.part("catalogue-entry")
    expect(entry).to_have_count(1)
    expect(entry).to_contain_text("Mine <i>alone</i>own")
    entry.click()
    editor.part("catalogue-load").click()
    eventually(lambda: _are(host, *(one["terms"] for one in before)))


def python_and_a_second_editor_are_beside_it(host: NotebookHost, editor: Editor) -> None:
    host.run("below.children = [WordListEditor(subject, ['chef'])]")
    second = Editor.on(host.page, 1).settle()
    host.run("editor.lists = [{'name': 'words', 'terms': ['set', 'in', 'Python']}]")
    expect(editor.chips()).to_have_text(["set", "in", "Python"])
    second.box().focus()
    host.page.keyboard.press("Delete")
    expect(second.chips()).to_have_count(0)
    expect(editor.chips()).to_have_text(["set", "in", "Python"])
    host.wait_for("below.children[0].lists[0]['terms']", [])
    host.wait_for_terms("set", "in", "Python")
