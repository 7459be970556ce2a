#!/usr/bin/env python3
"""Tasks, kept in a file.

def not_a_function(): this is the docstring
"""
import json
import sys

PATH = "tasks.json"


# Reads the tasks.
# There may be none.
def load():
    try:
        with open(PATH) as file:
            return json.load(file)
    except FileNotFoundError:
        return []


@cached
@logged(level="debug")
def save(tasks):
    text = json.dumps(
        tasks,
        indent=2,
    )
    with open(PATH, "w") as file:
        file.write(text)


class Task:
    """Something to do."""

    HELP = '''
usage:
    task add TEXT
'''

    def __init__(self, text, done=False):
        self.text = text
        self.done = done

    def finish(self):
        if self.done:
            raise ValueError("it's done already")
        else:
            self.done = True

    @property
    def label(self):
        return f"[{'x' if self.done else ' '}] {self.text}"


if __name__ == "__main__":
    for task in load():
        print(Task(**task).label)
    sys.exit(0)
