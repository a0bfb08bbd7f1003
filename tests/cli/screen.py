"""A terminal for tests: enough of one to say what a person would see."""

import re
import unicodedata

_CODE = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])")


class Screen:
    """Lines of cells with a cursor; knows CR, LF, wrapping, cursor up, erasing and colours.

    Anything else in what is written fails the test. Nothing scrolls away: the screen has as many
    lines as were ever written, and the cursor cannot be moved above its last `rows`.
    """

    def __init__(self, columns=80, rows=24):
        self.columns, self.rows = columns, rows
        self.lines = [[]]
        self.joined = [False]  # whether a line goes on in the next one
        self.row = self.column = 0
        self.colours = set()

    def write(self, text):
        place = 0
        while place < len(text):
            match = _CODE.match(text, place)
            if match:
                self._control(*match.groups())
                place = match.end()
                continue
            self._put(text[place])
            place += 1

    def text(self):
        """What stands on the screen, without trailing white space."""
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip("\n")

    def resize(self, columns):
        """Become wider or narrower, as terminals do that break and join wrapped lines anew."""
        paragraphs, cursor = [], (0, 0)
        start = 0
        for row, goes_on in enumerate(self.joined):
            if not goes_on:
                cells = [cell for line in self.lines[start : row + 1] for cell in line]
                if start <= self.row <= row:
                    cursor = (len(paragraphs), (self.row - start) * self.columns + self.column)
                paragraphs.append(cells)
                start = row + 1
        self.columns, self.lines, self.joined = columns, [], []
        for number, cells in enumerate(paragraphs):
            pieces = [cells[at : at + columns] for at in range(0, len(cells), columns)] or [[]]
            if number == cursor[0]:
                self.row = len(self.lines) + cursor[1] // columns
                self.column = cursor[1] % columns
            self.lines += pieces
            self.joined += [True] * (len(pieces) - 1) + [False]

    def _control(self, numbers, letter):
        if letter == "m":
            self.colours.add(numbers)
        elif letter == "A":
            top = max(len(self.lines) - self.rows, 0)
            self.row = max(self.row - int(numbers or 1), top)
        elif letter == "K":
            assert numbers in {"", "0"}
            del self.lines[self.row][self.column :]
            self.joined[self.row] = False
        elif letter == "J":
            assert numbers in {"", "0"}
            del self.lines[self.row][self.column :]
            self.joined[self.row] = False
            del self.lines[self.row + 1 :], self.joined[self.row + 1 :]
        else:
            raise AssertionError(f"an unknown control sequence: {numbers}{letter}")

    def _put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.column = 0
            self._down()
        else:
            assert character.isprintable(), f"a control character: {character!r}"
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            if self.column + width > self.columns:
                self.joined[self.row] = True
                self.column = 0
                self._down()
            line = self.lines[self.row]
            line.extend(" " * (self.column + width - len(line)))
            line[self.column : self.column + width] = [character] + [""] * (width - 1)
            self.column += width

    def _down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append([])
            self.joined.append(False)
