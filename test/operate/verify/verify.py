"""Checks certificates of calltally: python3 verify.py FILE... Ends with 1 if one does not hold.

It needs only Python's standard library. The proof is in docs/completeness.md, the format in docs/certificate.md.
With --many, each line of the standard input is the JSON list of a certificate's lines.
"""

import json
import re
import sys
from datetime import datetime
from itertools import accumulate

# Calls of this generation of pages and the one before are remembered, and those of the first pages.
GENERATION, FIRST_PAGES, LINKED = 32, 4, "any shared call"
MEMBERS = {"call_id": 0, "call_started": 1, "insight_name": 2}


PARTS = [(member, way) for member in ("call_id", "call_started") for way in ("desc", "asc")]
SOURCES = [("insight_name", "desc"), ("insight_name", "asc")]
BY_SOURCE = [(source, part) for two in (PARTS[:2], PARTS[2:]) for source in SOURCES for part in two]
# All keys, by name: the members with their directions.
KEYS = {" then ".join(map(" ".join, parts)): parts for parts in [(part,) for part in PARTS] + BY_SOURCE}
EVERYTHING = frozenset({*KEYS, LINKED})
NO_PAGE = {"offset": -1, "total": 0, "rows": []}


def place(key, row):
    """Where a row stands in the order of a key."""
    return tuple((1 if way == "asc" else -1) * row["members"][MEMBERS[member]] for member, way in KEYS[key])


def has_members(key, row):
    return all(row["members"][MEMBERS[member]] is not None for member, _ in KEYS[key])


def end_of(page):
    return page["offset"] + len(page["rows"])


class Chain:
    """Pages that share calls with each other; `held` is the set of keys under which a page is joined to the front."""

    def __init__(self):
        self.left, self.pages = set(KEYS), 0
        self.first, self.recent, self.older = {}, {}, {}

    def find(self, call):
        return self.recent.get(call) or self.older.get(call) or self.first.get(call)

    def join(self, rows, is_first):
        held, unseen, known, one = set(EVERYTHING) if is_first else set(), 0, 0, {}
        for row in rows:
            if row["id"] is None:
                continue
            before = self.find(row["id"])
            if before is None:
                unseen += 1
                continue
            known += 1
            if LINKED in before[1]:
                held.add(LINKED)
            if row["rejected"] or before[0]["rejected"]:
                continue
            for key in (before[1] & self.left) - held:
                if not has_members(key, row):
                    continue
                where = place(key, row)
                if one.setdefault(key, where) != where:
                    held.add(key)
        return held, unseen, known

    def add(self, rows, held):
        self.pages += 1
        if self.pages % GENERATION == 0:
            self.older, self.recent = self.recent, {}
        memory, last = self.first if self.pages <= FIRST_PAGES else self.recent, None
        for row in rows:
            if row["id"] is None:
                continue
            before = self.find(row["id"])
            if not row["rejected"]:
                known = before[0] if before and not before[0]["rejected"] else None
                self.left = {key for key in self.left if self.fits(key, last, row, known)}
                last = row
            memory[row["id"]] = (row, held | before[1] if before else held)

    @staticmethod
    def fits(key, last, row, before):
        if not has_members(key, row) or (last and place(key, last) > place(key, row)):
            return False
        return before is None or place(key, before) == place(key, row)

    def vanished(self, before, page):
        """Calls of an earlier page that are missing between two calls of a later one, or at its end if that is the list's."""
        now, is_front, is_end = page["rows"], page["offset"] == 0, end_of(page) >= page["total"]
        key = next((key for key in KEYS if key in self.left), None)
        placed = [row for row in now if row["id"] is not None and not row["rejected"]]
        if key is None or not placed or not all(has_members(key, row) for row in (placed[0], placed[-1])):
            return 0
        low, high, ids = place(key, placed[0]), place(key, placed[-1]), {row["id"] for row in now}
        lacking = [row for row in before if row["id"] not in ids | {None} and not row["rejected"]]
        inside = lambda at: (is_front or low < at) and (is_end or at < high)
        return sum(has_members(key, row) and inside(place(key, row)) for row in lacking)


class Pass:
    def __init__(self, limit, overlap):
        self.limit, self.overlap, self.end = limit, overlap, None
        self.chain, self.front, self.look = Chain(), Chain(), Chain()
        self.pages = self.longest = self.gone = self.new = self.overruns = self.unplaced = 0
        self.cut, self.totals, self.requests, self.met = [], [], [], set()
        self.look_held, self.front_held, self.end_held = EVERYTHING, set(), set()
        self.front_met, self.met_held = set(), set()
        self.left, self.left_held, self.first, self.quiet = NO_PAGE, EVERYTHING, NO_PAGE, None

    def respond(self, offset, total, count, request):
        self.totals.append(total)
        self.overruns += count > 0 and offset + count > total
        if request is not None:
            self.requests.append(request)

    def observe(self, page):
        rows = page["rows"]
        if end_of(page) < page["total"]:
            self.cut.append(len(rows))
        self.met |= {row["id"] for row in rows} - {None}
        self.unplaced += sum(row["id"] is None for row in rows)
        self.longest = max(self.longest, len(rows))
        self.respond(page["offset"], page["total"], len(rows), page["request"])
        self.pages += 1

    def read(self, page):
        held, unseen, _ = self.chain.join(page["rows"], page["offset"] == 0 or self.pages == 0)
        before, look = self.left, self.quiet
        self.lead(page, held)
        if look is not None:
            one_length = len(self.cut) >= 2 and set(self.cut) == {self.longest}
            is_short = one_length and len(page["rows"]) < min(self.cut[-1], self.limit)
            end = self.end_of_list(before, look, page, unseen)
            self.end, self.end_held = "short" if end and is_short else end, held

    def end_of_list(self, before, look, page, unseen):
        """What two pages and the look between them show: nothing moved, or the total follows what came and went."""
        totals = [before["total"], look["total"], page["total"]]
        moved, at_total = len(set(totals)) > 1, lambda response: end_of(response) == response["total"]
        same = [row["id"] for row in page["rows"]][-1:] == [row["id"] for row in before["rows"]][-1:] and not unseen
        in_place = end_of(page) == end_of(before) == look["offset"]
        if same and in_place and not (moved and look["rows"] > 0 and look["offset"] < look["total"]):
            return self.end_by(page, look)
        empty = look["rows"] == 0 and look["offset"] == look["total"]
        return "nothing" if moved and empty and at_total(before) and at_total(page) else None

    @staticmethod
    def end_by(last, look):
        if look["rows"] > 0:
            return "repeated"
        return "nothing" if end_of(last) >= last["total"] else "disputed"

    def lead(self, page, held):
        if self.pages == 0:
            self.first = page
            self.front.add(page["rows"], EVERYTHING)
        self.gone += self.chain.vanished(self.left["rows"], page)
        self.observe(page)
        self.chain.add(page["rows"], held)
        self.left, self.left_held, self.end, self.quiet = page, held, None, None

    def resume(self, pages):
        for page in pages:
            self.lead(page, self.chain.join(page["rows"], page["offset"] == 0 or self.pages == 0)[0])
        self.left = max(reversed(pages), key=end_of)
        self.left_held = self.chain.join(self.left["rows"], self.left["offset"] == 0)[0]

    def look_behind(self, look):
        if self.end:  # a look further behind a proven end, whose total does not count
            self.requests += [look["request_id"]] if look["request_id"] is not None else []
            self.end = None if look["unseen"] else self.end
            return
        self.respond(look["offset"], look["total"], look["rows"] if look["unseen"] else 0, look["request_id"])
        self.quiet = look if look["unseen"] == 0 else None
        if self.quiet and not self.left["rows"]:
            self.end, self.end_held = self.end_by(self.left, look), self.left_held

    def look_at_front(self, page):
        within, _, known = self.look.join(page["rows"], page["offset"] == 0)
        before = self.look_held & self.look.left
        joined = before <= within if before else LINKED in within if LINKED in self.look_held else known > 0
        self.new += sum(row["id"] is not None and row["id"] not in self.met for row in page["rows"])
        self.observe(page)
        self.chain.add(page["rows"], set())
        self.gone += self.chain.vanished(self.first["rows"], page)
        self.look.add(page["rows"], within)
        self.look_held = within
        if not joined:
            return
        whole = page["offset"] == 0 and self.end and self.left["offset"] == 0
        first = {row["id"] for row in self.first["rows"]} - {None}
        self.front_met |= first & {row["id"] for row in page["rows"]}
        self.met_held |= (EVERYTHING if whole else self.front.join(page["rows"], False)[0]) & within
        size = min(self.longest, self.limit)
        shared = min(self.overlap, max(min(2, size - 1), size // 2, 1))  # rows that two pages have in common
        if whole or len(self.front_met) >= min(shared, len(first)):
            self.front_held = self.met_held

    def verdict(self):
        """`exact`, `verified`, or why neither."""
        totals, read = self.totals, len(self.met)
        proven = self.chain.left and self.chain.left <= self.end_held & self.front_held
        if self.first["offset"] != 0 or not self.end or not proven or LINKED not in self.front_held:
            return "not proven"
        if read == 0 and totals[-1] > 0 or self.unplaced or len(set(self.requests)) < len(self.requests):
            return "in doubt"
        counted = set(totals) == {read}
        if not counted and all(key.startswith("insight_name") for key in self.chain.left):
            return "in doubt"
        steps = [b - a for a, b in zip(totals, totals[1:])]
        fallen, risen = sum(-step for step in steps if step < 0), any(step > 0 for step in steps)
        fall = max(most - total for most, total in zip(accumulate(totals, max), totals))
        unread = max(0, totals[0] - (read - self.new))
        if self.overruns or self.end in ("disputed", "repeated") or fall > max(10, -(-max(totals) // 100)) or read < min(totals):
            return "contradicted"
        if self.gone + unread > fallen or (fallen and risen and read < max(totals)):
            return "contradicted"
        if not counted and len(set(totals)) == 1:
            return "contradicted"
        return "exact" if counted else "verified" if self.end == "short" else "in doubt"


LARGEST = 2**53 - 1
# Starts have years 0000 to 9999, and ranks up to ten digits: their texts sort as they do.
FIRST_START, LAST_START, LARGEST_RANK = -62_167_219_200_000, 253_402_300_799_999, 10**10 - 1
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def whole(value, low=-LARGEST, high=LARGEST):
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r} is no whole number from {low} to {high}")


def count(value):
    whole(value, 0)


def text(value):
    if type(value) is not str:
        raise ValueError(f"{value!r} is no text")


def time(value):
    text(value)
    if not TIME.fullmatch(value):
        raise ValueError(f"{value!r} is no time")
    datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ")


def sure(value):
    if value not in ("exact", "verified"):
        raise ValueError(f"{value!r} is no proven verdict")


def nullable(check):
    return lambda value: value is None or check(value)


def each(check):
    def check_all(values):
        if type(values) is not list:
            raise ValueError(f"{values!r} is no list")
        for value in values:
            check(value)

    return check_all


def members(**checks):
    """Checks an object that has these members and no others; those whose name begins with `may_` may be missing."""

    def check(value):
        if type(value) is not dict or not set(value) <= {name.removeprefix("may_") for name in checks}:
            raise ValueError(f"{value!r} has unknown members")
        for name, check_one in checks.items():
            known = name.removeprefix("may_")
            if known in value or known == name:
                check_one(value[known])

    return check


check_header = members(
    format=text,
    **dict.fromkeys(["run_id", "first_total", "last_total", "calls", "limit", "overlap"], count),
    **dict.fromkeys(["pages", "resumed", "closing"], count),
    order_key=nullable(text),
    verdict=sure,
    behind=each(members(after=count, offset=count, total=count, rows=count, unseen=count, request_id=nullable(text))),
)
check_page = members(
    offset=count,
    total=count,
    request_id=nullable(text),
    fetched_at=time,
    ids=each(nullable(whole)),
    may_starts=each(nullable(whole)),
    may_names=each(nullable(lambda rank: whole(rank, 0, LARGEST_RANK))),
    may_rejected=each(count),
)


def not_json(constant):
    raise ValueError(f"{constant} is not JSON")


def whole_or_not(digits):
    """JavaScript knows no difference between 1 and 1.0."""
    value = float(digits)
    return int(value) if value.is_integer() else value


def parse(line):
    return json.loads(line, parse_constant=not_json, parse_float=whole_or_not)


def values_of(differences, low=-LARGEST, high=LARGEST):
    sums = accumulate(difference or 0 for difference in differences)
    values = [None if difference is None else value for difference, value in zip(differences, sums)]
    for value in values:
        nullable(lambda known: whole(known, low, high))(value)
    return values


def page_of(line):
    ids = values_of(line["ids"])
    none = [None] * len(ids)
    starts = values_of(line["starts"], FIRST_START, LAST_START) if "starts" in line else none
    names = line.get("names", none)
    unread = set(line.get("rejected", []))
    rows = [
        {"id": call, "members": (call, start, name), "rejected": index in unread}
        for index, (call, start, name) in enumerate(zip(ids, starts, names, strict=True))
    ]
    return {"offset": line["offset"], "total": line["total"], "request": line["request_id"], "rows": rows}


def check(lines):
    """Why a certificate does not hold; None if it does."""
    header, *pages = [parse(line) for line in lines]
    check_header(header)
    for page in pages:
        check_page(page)
    if header["format"] != "calltally certificate 1" or len(pages) != header["pages"]:
        return "it is cut off, or no certificate"
    record, pages = Pass(header["limit"], header["overlap"]), [page_of(line) for line in pages]
    for number, page in enumerate(pages, 1):
        if number == header["resumed"]:
            record.resume(pages[:number])
        elif number > header["resumed"]:
            (record.read if number <= len(pages) - header["closing"] else record.look_at_front)(page)
        for look in header["behind"]:
            if look["after"] == number:
                record.look_behind(look)
    keys = ", ".join(key for key in KEYS if key in record.chain.left) or None
    if keys != header["order_key"]:
        return f"the order is {keys}, not {header['order_key']}"
    counts = [len(record.met), record.totals[0], record.totals[-1]]
    if counts != [header["calls"], header["first_total"], header["last_total"]]:
        return f"its calls and totals are {counts}"
    verdict = record.verdict()
    return None if verdict == header["verdict"] else f"the pass is {verdict}, not {header['verdict']}"


def report(text):
    lines = text.removesuffix("\n").split("\n")
    try:
        return check(lines) or "holds"
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        return f"it cannot be read: {error!r}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--many"]:
        sys.exit(print(*(report("\n".join([*json.loads(line), ""])) for line in sys.stdin), sep="\n"))
    found = [
        report(open(name, encoding="utf-8", errors="replace", newline="").read()) for name in sys.argv[1:]
    ]
    for name, said in zip(sys.argv[1:], found):
        print(f"{name}: {said}")
    sys.exit(any(said != "holds" for said in found))
