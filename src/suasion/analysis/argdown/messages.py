"""What is said of each error: what is wrong and what to do. The codes are for scripts and do not change."""

from __future__ import annotations

MESSAGES = {
    "empty": "There is nothing here. Write a claim, such as [Label]: A sentence.",
    "no-empty-line": "Something new begins here in the middle of a paragraph. Put an empty line before it; if it is meant "
    "to support or attack what stands above, begin the line with + or - and indent it.",
    "front-matter-end": "An empty line is missing behind the front matter. Put one behind the closing === line.",
    "front-matter-place": "Front matter (=== … ===) may stand only at the top of the text. Move it there, or write \\=== for plain signs.",
    "text-after-reference": "Nothing but tags and data may follow a reference. Write a colon behind the label to give it this "
    "text ([Label]: text), or begin a new paragraph with an empty line.",
    "text-after-data": "Data {…} must be the last thing of a text. Move the text before it, or write \\{ if no data was meant.",
    "second-data": "There is data here already. Put all of it between one pair of braces.",
    "data-alone": "This data belongs to nothing. Put it behind a claim, an argument, a heading or an inference.",
    "data-not-closed": "This brace is never closed. Close it with }, or write \\{ if no data was meant.",
    "backslash": "A backslash at the end of a line escapes nothing. Take it away, or write \\\\ for a backslash.",
    "odd-blanks": "This line is indented with blanks that are not ordinary ones. Indent it with spaces or tabs.",
    "label-in-text": "A label may stand only at the start of a line or behind a relation sign. To name it in a text write "
    "@[Label] or @<Label>; for plain brackets write \\[ or \\<.",
    "no-text": "Text is missing behind this label. Write a sentence on the same line, or take the colon away to "
    "refer to what has this label.",
    "no-claim": "Nothing stands behind this sign. Write a sentence, [Label] or <Label> behind it.",
    "no-heading": "This heading has no text. Write one behind the #.",
    "relation-first": "A relation cannot begin a text. Write first what it supports or attacks, and indent the relation below it.",
    "relation-after-empty-line": "A relation may not follow an empty line. Take the empty line away, so that the relation stands "
    "directly below what it belongs to.",
    "relation-under-heading": "A heading can have no relations. Put an empty line and a claim or an argument before this one.",
    "relation-not-indented": "This relation is not indented. Indent it more than what it belongs to.",
    "relation-indent": "This relation is indented less than the relations above it, yet more than what they belong to. "
    "Indent it as far as one of them.",
    "contradiction": "Only claims can contradict each other (><). Use - for an attack by an argument.",
    "nested-list": "A list cannot stand inside a list. Indent all its items alike.",
    "list-indent": "The items of a list must be indented alike.",
    "argument-in-reconstruction": "A numbered line must be a claim. Write a sentence or [Label], not <Label>.",
    "conclusion-number": "The line below an inference must be its conclusion. Give it a number, as in (3).",
    "empty-line-in-reconstruction": "There may be no empty line inside a premise-conclusion structure. Take it away.",
    "no-inference": "This premise-conclusion structure has no conclusion. Write an inference (----) between its premises "
    "and its conclusion.",
    "no-conclusion": "No conclusion follows this inference. Write it below, with a number, as in (3).",
    "ends-with-premise": "A premise-conclusion structure must end with a conclusion. Write an inference (----) before its last"
    " line, or take the line away.",
    "starts-with-inference": "No premise stands above this inference. Write at least one, with a number, as in (1).",
    "two-inferences": "A conclusion must stand between two inferences. Write it, or take one inference away.",
    "inference-in-text": "An inference may stand only below a numbered premise. Put an empty line and (1) before the first "
    "premise, with nothing but digits in the brackets; for plain hyphens write \\--.",
    "inference-form": "Nothing may follow the end of an inference on its line.",
    "inference-open": "This inference does not end. Close it with two hyphens (--).",
    "inference-relation": "Only undercuts (<_) may stand below an inference. Put other relations below the conclusion.",
    "second-reconstruction": "This argument has a premise-conclusion structure already. Give this one an argument of its own.",
}
