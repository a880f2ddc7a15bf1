#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that each part of the recorder's session, processes and tasks is written only by its owners.

usage: part_owners.py ROOT
recorder/core/session.h has the parts as members, and recorder/core/session_parts.h their types. The comment above a
type names its owners: files and folders (`ptrace/polling.c`, `launch/`), relative to recorder/ or to recorder/core/.
record.c, which puts the parts together, may initialize all of them. Prints a line for each fault, and ends with status
1 if there is one:
- a type has no owner, or an owner that does not exist;
- a file that is no owner assigns to a member of a part, or makes a pointer by which it could;
- an owner never does so.
"""
import os
import re
import sys

SESSION, PARTS, COMPOSITION = "recorder/core/session.h", "recorder/core/session_parts.h", "recorder/record.c"
HOLDERS = ("session", "process", "task")


def text_of(root, path):
    with open(os.path.join(root, path), errors="replace") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def members_of(body):
    """Returns the names of a struct's members, with the struct that each is, or None."""
    found, depth = {}, 0
    for line in without_comments(body).split("\n"):
        depth -= line.count("}")
        names = re.findall(r"\(\*(\w+)\)|(\w+)(?:\[\w+\])?(?=,|;)", line)
        kind = re.match(r"\s*struct (\w+) \w", line)
        for pointer, name in names if depth == 0 else ():
            found[pointer or name] = kind and kind.group(1)
        depth += line.count("{")
    return found


def types_of(root):
    """Returns the types of parts: name -> (members, owners that the comment names)."""
    found = {}
    for m in re.finditer(r"(?:/\*((?:(?!\*/).)*)\*/\n)?struct (\w+) \{\n(.*?)^\};", text_of(root, PARTS), re.S | re.M):
        owners = re.findall(r"(?<![\w/])(?:\w+/)*(?:\w+\.c|\w+/)(?=[\s,.;])", m.group(1) or "")
        found[m.group(2)] = members_of(m.group(3)), [path_of(root, owner) or owner for owner in owners]
    return found


def path_of(root, owner):
    for folder in ("recorder/core", "recorder"):
        if os.path.exists(os.path.join(root, folder, owner)):
            return os.path.join(folder, owner)
    return None


def parts_of(root, types):
    """Returns the members of the session, the processes and the tasks that are parts: name -> types."""
    found = {}
    for holder in HOLDERS:
        body = re.search(r"^struct %s \{\n(.*?)^\};" % holder, text_of(root, SESSION), re.S | re.M).group(1)
        for name, kind in members_of(body).items():
            if kind in types:
                found.setdefault(name, []).append(kind)
    return found


def owner_of(types, kind, path):
    """Returns the innermost type with owners that a path of members leads to; None: there is no such member."""
    found = kind
    for name in path:
        if kind not in types:
            break
        members = types[kind][0]
        if name not in members:
            return None
        kind = members[name]
        if kind in types and types[kind][1]:
            found = kind
    return found


def writes_in(text, parts):
    """Yields position, part and path of each assignment to a part, and of each pointer that allows one.

    Other structs may have a member with the name of a part, so that an assignment without a member of the part counts
    only if it gives a struct of the part's type.
    """
    index = r"(?:\[[^\]]*\])?"
    place = r"(?:->|\.)(%s)%s((?:(?:\.|->)\w+%s)*)" % ("|".join(parts), index, index)
    for pattern in (r"\w%s[ \t]*(?:=(?!=)|\+=|-=|\|=|&=|\^=|<<=|>>=|\+\+|--)" % place,
                    r"(?:\+\+|--)\w+(?:->\w+)*?%s" % place,
                    r"(?<!const )struct \w+ \*\w+ = &\w+(?:->\w+)*?%s" % place):
        for m in re.finditer(pattern, text):
            path = re.findall(r"(?:\.|->)(\w+)", m.group(2))
            given = re.match(r"\s*\(struct (\w+)\)", text[m.end():])
            if path or "&" in m.group() or given and given.group(1) in parts[m.group(1)]:
                yield m.start(), m.group(1), path


def faults_of(root):
    types = types_of(root)
    parts, idle = parts_of(root, types), {}
    held = {kind for kinds in parts.values() for kind in kinds}
    for kind in sorted(types):
        if kind in held and not types[kind][1]:
            yield "%s: struct %s has no owner" % (PARTS, kind)
        for owner in types[kind][1]:
            if not owner.startswith("recorder/"):
                yield "%s: struct %s has the owner %s, which does not exist" % (PARTS, kind, owner)
            idle.setdefault(owner, set()).add(kind)
    for folder, _, names in sorted(os.walk(os.path.join(root, "recorder"))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not name.endswith((".c", ".h")) or path == COMPOSITION:
                continue
            text = without_comments(text_of(root, path))
            for at, part, members in writes_in(text, parts):
                found = [found for found in (owner_of(types, kind, members) for kind in parts[part]) if found]
                owners = {owner for kind in found for owner in types[kind][1]}
                if owners and not path.startswith(tuple(owners)):
                    yield "%s:%u: writes %s, which belongs to %s" % (
                        path, text.count("\n", 0, at) + 1, ".".join([part] + members), ", ".join(sorted(owners)))
                for owner in owners:
                    if path.startswith(owner):
                        idle[owner] -= set(found)
    for owner, kinds in sorted(idle.items()):
        for kind in sorted(kinds):
            yield "%s: struct %s has the owner %s, which never writes it" % (PARTS, kind, owner)


found = list(faults_of(sys.argv[1]))
for fault in found:
    print(fault)
sys.exit(1 if found else 0)
