"""The Tests pane: a first test from a form, whether tests hold, what each found out, and one made of a run."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.e2e.company import ECHO, Company
from tests.e2e.drawing import Board
from tests.e2e.looks import looks
from tests.e2e.test_run_pane import Try, draft

Json = Any
FILE = "tests/echoes.test.json"
WRONG = "does not hold"


class Tester(Board):
    """The Tests pane of one flow, in one browser."""

    __test__ = False

    def show(self) -> None:
        self.page.get_by_role("button", name="Tests", exact=True).click()
        expect(self.pane.get_by_role("heading", name="Tests", exact=True)).to_be_visible()

    @property
    def result(self) -> Locator:
        """What the test that is open found out."""
        return self.pane.locator(".ed-trace[data-test]")

    def open_test(self, name: str) -> None:
        self.pane.locator(".ed-test-open", has_text=name).click()
        expect(self.result).to_have_attribute("data-test", name)

    def stands(self, name: str, how: str) -> None:
        """The list says how the test stands."""
        row = self.pane.locator(".ed-test", has_text=name)
        expect(row.get_by_role("img", name=how, exact=True)).to_be_visible()

    def texts(self) -> dict[str, str]:
        """The flow's files of tests as they are stored, by path."""
        answer = self.page.request.get(f"/api/flows/{self.id}/tests")
        return {file["path"]: file["text"] for file in answer.json()["files"]}

    def files(self) -> dict[str, Json]:
        return {path: json.loads(text) for path, text in self.texts().items()}

    def type_over(self, words: str, others: str) -> None:
        """Write others in place of these words into the file that is open, and see it saved."""
        text = self.texts()[FILE]
        assert words in text, text
        self.page.locator(".ed-modal .cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text.replace(words, others))
        with self.page.expect_response(lambda reply: reply.request.method == "PUT") as reply:
            pass
        assert reply.value.ok
        expect(self.page.get_by_role("dialog").get_by_role("status")).to_contain_text("Saved")


def shown(company: Company, document: Json = ECHO, **options: Any) -> Tester:
    board = Tester.open(company, "builder", draft(company, document), **options)
    assert isinstance(board, Tester)
    board.show()
    return board


def first(board: Tester, name: str, question: str, reply: str) -> None:
    """Write a test with the form, and run it."""
    page = board.page
    board.pane.get_by_role("button", name="New test").first.click()
    form = page.get_by_role("dialog")
    form.get_by_label("What does it show?").fill(name)
    form.get_by_role("group", name="What goes in").get_by_label("Question").fill(question)
    form.get_by_role("group", name="What models answer").get_by_label("Reply").fill(reply)
    form.get_by_role("button", name="Save and run").click()
    expect(form).to_have_count(0)


# LG-tests-04, LG-tests-06, LG-tests-30, LG-tests-33
def test_a_first_test_is_filled_in_run_broken_and_told_to_expect_what_came(company: Company) -> None:
    board = shown(company)
    page = board.page
    expect(board.pane.get_by_text("No tests yet")).to_be_visible()
    first(board, "Echoes", "Hey?", "Hey!")

    # It runs at once; what it found out is open, and its step is lit on the canvas.
    expect(board.result.get_by_text("Everything is as expected.")).to_be_visible()
    board.ran("reply", "done")
    expect(board.result.get_by_role("button", name="reply", exact=True)).to_be_visible()
    expect(board.result.locator(".ed-trace-text", has_text="Hey?")).to_be_visible()
    assert board.files() == {
        FILE: {
            "flow": "../flow.json",
            "tests": [
                {
                    "name": "Echoes",
                    "input": {"question": "Hey?"},
                    "mock": {"nodes": {"reply": "Hey!"}},
                    "expect": {"output": {"answer": {"notEmpty": True}}},
                }
            ],
        }
    }

    # The file as text: saved as it is typed, with what is wrong at its place.
    board.result.get_by_role("button", name="Edit", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Nothing is wrong with this file.")).to_be_visible()
    board.type_over('"notEmpty": true', '"notEmty": true')
    problem = dialog.get_by_role("region", name="1 problem in this file")
    expect(problem).to_contain_text("notEmty")
    board.type_over('{\n            "notEmty": true\n          }', '"Ho!"')
    expect(problem).to_have_count(0)
    dialog.get_by_role("button", name="Close").last.click()
    expect(dialog).to_have_count(0)

    # Now it does not hold: what was wanted, what came, and one press to expect that.
    board.result.get_by_role("button", name="Run again").click()
    wrong = board.result.get_by_role("region", name="What is not as expected")
    expect(wrong).to_contain_text("Ho!")
    expect(wrong).to_contain_text("Hey!")
    wrong.get_by_role("button", name="Expect what came").click()
    expect(board.result.get_by_text("Everything is as expected.")).to_be_visible()
    assert board.files()[FILE]["tests"][0]["expect"] == {"output": {"answer": "Hey!"}}

    # What ran before the draft changed is said to be of before.
    board.result.get_by_role("button", name="All tests").click()
    expect(board.card("reply").locator(".ed-card")).not_to_have_attribute("data-run", "done")
    board.stands("Echoes", "holds")
    page.get_by_role("button", name="Settings of the flow").click()
    board.tab("Flow")
    board.type(board.field("description").locator("textarea"), "Answers what it is told, and says so.")
    board.saved()
    board.show()
    expect(board.pane.get_by_text("The draft or a test changed since these ran.")).to_be_visible()
    board.pane.get_by_role("button", name="Run all").click()
    expect(board.pane.get_by_text("The test holds")).to_be_visible()


# LG-tests-24, LG-tests-32
def test_a_test_that_cannot_be_right_says_so_before_it_runs(company: Company) -> None:
    board = shown(company)
    first(board, "Echoes", "Hey?", "Hey!")
    expect(board.result.get_by_text("Everything is as expected.")).to_be_visible()
    board.result.get_by_role("button", name="Edit", exact=True).click()
    dialog = board.page.get_by_role("dialog")
    expect(dialog.get_by_text("Nothing is wrong with this file.")).to_be_visible()
    board.type_over('"reply": "Hey!"', '"replay": "Hey!"')
    problem = dialog.get_by_role("region", name=re.compile("problem"))
    expect(problem).to_contain_text("replay")
    expect(problem).to_contain_text("reply")
    dialog.get_by_role("button", name="Close").last.click()
    board.result.get_by_role("button", name="All tests").click()
    expect(board.pane.locator(".ed-tests-file").get_by_role("button", name=re.compile("problem"))).to_be_visible()
    board.pane.get_by_role("button", name="Run “Echoes”").click()
    board.stands("Echoes", "cannot be run")
    board.open_test("Echoes")
    wrong = board.result.get_by_role("region", name="What is not as expected")
    expect(wrong).to_contain_text("replay")
    expect(wrong).to_contain_text("Nothing stands in for it.")


# LG-tests-01
def test_a_test_is_made_of_a_run_looked_at_and_kept(company: Company) -> None:
    company.stack.demo.set(speed=20)
    page = Try(company, draft(company, ECHO)).open()
    page.say("Hey there")
    page.settled()
    page.tab("Steps")
    page.pane.get_by_role("button", name="Make a test of this run").click()
    dialog = page.page.get_by_role("dialog")
    expect(dialog.locator(".cm-content")).to_contain_text("Hey there")
    expect(dialog.get_by_text("New, not saved yet")).to_be_visible()
    board = Tester(page.page)
    assert board.files() == {}
    dialog.get_by_role("button", name="Save the test").click()
    expect(dialog).to_have_count(0)
    expect(board.result.get_by_text("Everything is as expected.")).to_be_visible()
    (kept,) = board.files().values()
    assert kept["tests"][0]["input"] == {"question": "Hey there"}


def test_the_tests_pane_fits_in_both_themes(company: Company) -> None:
    board = shown(company)
    first(board, "Echoes", "Hey?", "Hey!")
    expect(board.result.get_by_text("Everything is as expected.")).to_be_visible()
    looks(board.page, "tests-result", but=".react-flow")
    board.result.get_by_role("button", name="All tests").click()
    looks(board.page, "tests-list", but=".react-flow")
    board.pane.get_by_role("button", name="New test").first.click()
    looks(board.page, "tests-form", but=".react-flow")
