"""Messages of the errors in `padron.errors`: a title and a detail for each code.

Placeholders in a detail are filled in from the context of the error. A code never changes; its sentences may.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from padron.errors import PadronError
from padron.words import N_, Language, Text, translate

_log = logging.getLogger(__name__)


class ErrorMessage(NamedTuple):
    """The English of an error: a title of a few words, and a detail that says what went wrong and what to do."""

    title: str
    detail: str


MESSAGES: Final[Mapping[str, ErrorMessage]] = {
    # the request
    "query-missing": ErrorMessage(
        N_("Nothing to search for"),
        N_("The parameter q is missing: the name or the identifier of a company."),
    ),
    "query-too-short": ErrorMessage(
        N_("Query too short"),
        N_("q needs at least {minimum} characters, not counting spaces at its ends."),
    ),
    "query-too-long": ErrorMessage(
        N_("Query too long"),
        N_("q accepts at most {maximum} characters."),
    ),
    "unknown-country": ErrorMessage(
        N_("Country not covered"),
        N_("The country must be one of: {known}."),
    ),
    "row-without-company": ErrorMessage(
        N_("No company in the row"),
        N_("The row has neither a name nor an identifier."),
    ),
    "row-too-wide": ErrorMessage(
        N_("More cells than columns"),
        N_(
            "Row {row} of the file has {cells} cells, the list {columns} columns; behind the last one stands: "
            "{behind}. Quote a cell that holds the separator."
        ),
    ),
    "cell-too-long": ErrorMessage(
        N_("Cell too long"),
        N_("Cells of a row that are read may have at most {maximum} characters."),
    ),
    "unknown-format": ErrorMessage(
        N_("Unknown file format"),
        N_("The format of {file} is not known by its name. The formats are: {known}."),
    ),
    "bad-list": ErrorMessage(
        N_("List cannot be read"),
        N_("Row {row} of the list cannot be read: {reason}."),
    ),
    "damaged-list": ErrorMessage(
        N_("Damaged file"),
        N_("{file} is damaged or not complete: it cannot be read as {format}. Save or copy it again."),
    ),
    "sheet-missing": ErrorMessage(
        N_("No such sheet"),
        N_("{file} has no sheet “{sheet}”. Its sheets are: {sheets}."),
    ),
    "bad-header-row": ErrorMessage(
        N_("No such row"),
        N_("The list has no filled row {row}: give the number of its header row, or 0 if it has none."),
    ),
    "list-missing": ErrorMessage(
        N_("No such list"),
        N_("There is no file {file}."),
    ),
    "list-empty": ErrorMessage(
        N_("Empty list"),
        N_("The list is empty. Save it again, or name another file."),
    ),
    "path-is-folder": ErrorMessage(
        N_("Folder instead of a file"),
        N_("{file} is a folder. Name a file."),
    ),
    "output-is-list": ErrorMessage(
        N_("Output is the list itself"),
        N_("{file} is the list that is read: the output would take its place. Name another file."),
    ),
    "folder-missing": ErrorMessage(
        N_("No such folder"),
        N_("There is no folder {folder}. Make it first, or name another one."),
    ),
    "list-in-progress": ErrorMessage(
        N_("List in progress"),
        N_("Another process is writing {file}. Wait until it ends."),
    ),
    "column-not-in-list": ErrorMessage(
        N_("Column not in the list"),
        N_("The list has no column “{column}”. Its columns are: {columns}."),
    ),
    "too-many-columns": ErrorMessage(
        N_("Too many columns"),
        N_(
            "A row of the list has more than {most} columns. Send the columns with names, identifiers and places alone."
        ),
    ),
    "no-company-column": ErrorMessage(
        N_("No column with companies"),
        N_(
            "No column of the list was recognised as names or identifiers of companies. Its first row is: {columns}. "
            "Give the columns these headers, or name them with the options: {known}."
        ),
    ),
    "bad-upload": ErrorMessage(
        N_("File that cannot be read"),
        N_(
            "The file cannot be read ({reason}). Send a CSV file, or a workbook (XLSX), "
            "saved by the program that made it."
        ),
    ),
    "list-too-long": ErrorMessage(
        N_("List too long"),
        N_(
            "This page takes lists of at most {maximum} rows. Longer ones are matched by POST /api/v1/match, or by "
            "padron match on your own machine."
        ),
    ),
    "workbook-full": ErrorMessage(
        N_("Too many rows for a workbook"),
        N_("A workbook holds at most {maximum} rows; write CSV, NDJSON or Parquet instead."),
    ),
    "limit-out-of-range": ErrorMessage(
        N_("Invalid limit"),
        N_("limit must be a whole number from {minimum} to {maximum}."),
    ),
    "unknown-parameter": ErrorMessage(
        N_("Unknown parameter"),
        N_("The parameter “{parameter}” does not exist. The parameters are: {known}."),
    ),
    "repeated-parameter": ErrorMessage(
        N_("Repeated parameter"),
        N_("The parameter {parameter} may appear only once."),
    ),
    "control-characters": ErrorMessage(
        N_("Control characters"),
        N_("{parameter} contains control characters; remove tabs, line breaks and other invisible characters."),
    ),
    "not-utf8": ErrorMessage(
        N_("Invalid encoding"),
        N_("{parameter} is not in UTF-8."),
    ),
    "identifier-too-long": ErrorMessage(
        N_("Identifier too long"),
        N_("No official identifier has more than {maximum} characters, dots and dashes included."),
    ),
    "invalid-identifier": ErrorMessage(
        N_("Invalid identifier"),
        N_("The identifier does not have the form of any official identifier of {country}."),
    ),
    "no-such-address": ErrorMessage(
        N_("Unknown address"),
        N_("There is no page or operation at this address. The public API is described in /api/public/openapi.json."),
    ),
    "method-not-allowed": ErrorMessage(
        N_("Method not allowed"),
        N_("The methods of this address are: {allowed}."),
    ),
    "rate-limited": ErrorMessage(
        N_("Too many requests"),
        N_("Limit of requests: {amount} in {window} s. Try again in {retry_after} s."),
    ),
    "internal-error": ErrorMessage(
        N_("Internal error"),
        N_("The error is in the service, not in the request. Give the requestId when you report it."),
    ),
    # the company
    "company-not-found": ErrorMessage(
        N_("Company not found"),
        N_("{hints}"),
    ),
    "natural-person-not-covered": ErrorMessage(
        N_("Natural persons not covered"),
        N_("Padrón has only companies; numbers of natural persons are not searched."),
    ),
    "identifier-not-unique": ErrorMessage(
        N_("Shared identifier"),
        N_("Several companies of {country} use this number. Their own identifiers: {candidates}."),
    ),
    # the service
    "output-fault": ErrorMessage(
        N_("Output not written"),
        N_("The output cannot be written: {reason}."),
    ),
    "cannot-listen": ErrorMessage(
        N_("Port not available"),
        N_("Cannot listen on {host}:{port}: {reason}."),
    ),
    "not-ready": ErrorMessage(
        N_("Service not ready yet"),
        N_("There is no release of the directory to serve yet."),
    ),
    # settings
    "changes-damaged": ErrorMessage(
        N_("Damaged change log"),
        N_(
            "The change log {file} is damaged. Remove it and run `padron build`, which writes the newest one again; "
            "the changes in an older one are lost."
        ),
    ),
    "bad-command-line": ErrorMessage(
        N_("Command line not understood"),
        N_("The command line is wrong: {reason}. `{command} --help` tells what there is."),
    ),
    "bad-settings": ErrorMessage(
        N_("Invalid settings"),
        N_("{faults}"),
    ),
    "bad-setting": ErrorMessage(
        N_("Invalid setting"),
        N_("{setting} must be {expected}."),
    ),
    "tracing-not-installed": ErrorMessage(
        N_("OpenTelemetry is not installed"),
        N_("PADRON_TRACES__URL needs further libraries: pip install 'padron[otel]'."),
    ),
    "unknown-setting": ErrorMessage(
        N_("Unknown setting"),
        N_("There is no setting {setting}; the most similar is {nearest}."),
    ),
    # official files
    "no-official-files": ErrorMessage(
        N_("No official files"),
        N_(
            "There are no official files yet. `pip install dist/padron_data-*.whl` brings those of the project, once "
            "`make wheel` has written that in a checkout; `padron fetch {first}` fetches those of a country "
            "({countries}); then `padron build`."
        ),
    ),
    "no-source-files": ErrorMessage(
        N_("No official files"),
        N_(
            "There are no official files of {country} in {folders}. `padron fetch {country}` fetches them, "
            "`pip install dist/padron_data-*.whl` brings those of the project, once `make wheel` has written that."
        ),
    ),
    "file-missing": ErrorMessage(
        N_("Official file missing"),
        N_(
            "{source}: the file {file}, which its provenance or its format requires, is missing. `padron fetch` with "
            "the code of the country fetches it again, or prints how to place it by hand; its page is {page}."
        ),
    ),
    "file-gone": ErrorMessage(
        N_("The publisher lacks a file"),
        N_(
            "{source}: the publisher does not have the file {file} now; what was fetched before stays. See on {page} "
            "whether it is late, in which case try again later, or has another address, which is then to be changed "
            "in the origin of the source."
        ),
    ),
    "provenance-missing": ErrorMessage(
        N_("File without provenance"),
        N_(
            "{source}: {file} has no readable record of provenance (PROVENANCE.json), and no file is read "
            "without one. `python -m padron.ingest.bundle` adds a file and writes its record."
        ),
    ),
    "line-too-long": ErrorMessage(
        N_("Line too long"),
        N_(
            "{source}: {file} ({member}) has a line of more than 64 MB; it is not the table of the publisher. "
            "Download it again."
        ),
    ),
    "archive-too-large": ErrorMessage(
        N_("Archive too large"),
        N_(
            "{source}: {file} would unpack to {times} times its size; it is not the file of the publisher. "
            "Download it again."
        ),
    ),
    "checksum-mismatch": ErrorMessage(
        N_("Checksum mismatch"),
        N_(
            "{source}: {file} is not the file its provenance describes: it changed or is incomplete. Remove it, and "
            "`padron fetch` with the code of the country fetches it again; one placed by hand is placed again with "
            "`python -m padron.ingest.bundle`."
        ),
    ),
    "empty-file": ErrorMessage(
        N_("Empty file"),
        N_("{source}: {file} is empty. Download it again."),
    ),
    "unknown-file": ErrorMessage(
        N_("Unknown file"),
        N_(
            "{source}: {file} matches no known layout of this source. Its files, and those inside a zip, are called "
            "{known}. Correct the name, or remove the file; if the publisher renamed it, change the layout of the "
            "source."
        ),
    ),
    "truncated-archive": ErrorMessage(
        N_("Truncated archive"),
        N_("{source}: {file} is truncated or damaged; {member} cannot be extracted. Download it again."),
    ),
    "missing-column": ErrorMessage(
        N_("Missing column"),
        N_(
            "{source}: {file} ({member}) lacks the column {column}. If it is another file, put the right one in its "
            "place; if the publisher changed the format, change the layout of the source."
        ),
    ),
    "bad-encoding": ErrorMessage(
        N_("Unexpected encoding"),
        N_(
            "{source}: {file} is not in {encoding}; line {line} is the first with other bytes. Download it again, or "
            "save it in {encoding}."
        ),
    ),
    "other-delimiter": ErrorMessage(
        N_("Another separator"),
        N_(
            "{source}: the columns of {file} are separated by “{found}” instead of “{expected}”. Download it again, or "
            "save it with “{expected}”; if the publisher changed it, change the layout of the source."
        ),
    ),
    "page-instead-of-table": ErrorMessage(
        N_("Page instead of a table"),
        N_("{source}: {file} begins with “<”: it is a web page or XML, not the table. Download it again."),
    ),
    "json-too-long": ErrorMessage(
        N_("JSON document too large"),
        N_(
            "{source}: {member}, in {file}, has more than {megabytes} MiB; no document of the publisher is "
            "that large. Download it again."
        ),
    ),
    "bad-workbook": ErrorMessage(
        N_("Damaged workbook"),
        N_(
            "{source}: {file} cannot be read as a workbook: {reason}. Download it again; if a spreadsheet program can "
            "open it, save it there as .xlsx."
        ),
    ),
    "workbook-too-large": ErrorMessage(
        N_("Workbook too large"),
        N_(
            "{source}: {file} cannot be read with {memory} GiB of memory in {seconds} s; it is not the file of "
            "the publisher. Download it again."
        ),
    ),
    "bad-json": ErrorMessage(
        N_("Damaged JSON"),
        N_(
            "{source}: {file} ({member}) cannot be read as JSON: {reason}. Download it again; if the publisher changed "
            "the format, change the layout of the source."
        ),
    ),
    "rows-unaccounted": ErrorMessage(
        N_("Rows unaccounted for"),
        N_("{source}: rows read: {rows}; rows accounted for: {accounted}. The SQL of the country is wrong."),
    ),
    "parts-mixed": ErrorMessage(
        N_("Parts of several editions"),
        N_("{source}: these files are not of one edition: {files}. Place those of one, or fetch the source again."),
    ),
    "part-twice": ErrorMessage(
        N_("Part twice"),
        N_("{source}: {file} and {other} both hold {member}. Remove one of them, or fetch the source again."),
    ),
    "source-lost": ErrorMessage(
        N_("Source gone"),
        N_(
            "{source}: the last release of {country} has this source, of {date}, and there are no files of it now. Put "
            "them back; if its publisher withdrew it, build in another data folder (docs/operations.md)."
        ),
    ),
    "file-lost": ErrorMessage(
        N_("Files of a source gone"),
        N_(
            "{source}: the last release of {country} has these files of it, of {date}, and they are not there now: "
            "{files}. Put them back; if the publisher withdrew them, build in another data folder (docs/operations.md)."
        ),
    ),
    "too-few-rows": ErrorMessage(
        N_("Too few rows"),
        N_("{source}: rows read: {found}; at least {allowed} are expected. Check what changed in its files."),
    ),
    "too-many-rejected": ErrorMessage(
        N_("Too many rows rejected"),
        N_(
            "{source}: of {rows} rows {found} are rejected; at most {allowed} may be. The first is row {row} of {file} "
            "({reason}). Check what changed in its files."
        ),
    ),
    "file-rejected": ErrorMessage(
        N_("Whole file rejected"),
        N_(
            "{source}: no row of {file} tells of a company; of {rows} rows {found} are rejected or left out, most of "
            "them as {reason}. Check whether each label of its header stands over its own column."
        ),
    ),
    "rows-lost": ErrorMessage(
        N_("Rows lost"),
        N_(
            "{source}: rows read: {found}; in the last release: {before}; at least {allowed} are expected. Check what "
            "changed in its files; if they are whole, build in another data folder (docs/operations.md)."
        ),
    ),
    "companies-lost": ErrorMessage(
        N_("Companies lost"),
        N_(
            "{source}: companies in its rows: {found}; in the last release: {before}; at least {allowed} are expected. "
            "Check what changed in its files; if they are whole, build in another data folder (docs/operations.md)."
        ),
    ),
    "misspelt-folder": ErrorMessage(
        N_("Misspelt folder"),
        N_("The folder {folder} is not read: is {meant} meant? Correct its name, or move it elsewhere."),
    ),
    "bad-date": ErrorMessage(
        N_("Invalid date"),
        N_(
            "{source}: the {field} date of {file} is {found}. Write it like 2026-11-01, between 1990 and tomorrow; "
            "PROVENANCE.json, beside the file, holds it."
        ),
    ),
    "identifier-twice": ErrorMessage(
        N_("Duplicate identifier"),
        N_("{country}: two companies have {scheme} {identifier}. The SQL of the country is wrong."),
    ),
    "identifier-not-canonical": ErrorMessage(
        N_("Identifier not canonical"),
        N_("{country}: {scheme} {identifier} is not in canonical form. The SQL of the country is wrong."),
    ),
    # bundling official files
    "no-layout": ErrorMessage(
        N_("Unknown file"),
        N_(
            "{file} matches no known layout of the source. Give it the name that it has at the publisher: its files, "
            "and those inside a zip, are called {known}."
        ),
    ),
    "unknown-source": ErrorMessage(
        N_("Unknown source"),
        N_("{country} has no source {source}. The sources are: {known}."),
    ),
    "header-not-found": ErrorMessage(
        N_("Header not found"),
        N_(
            "{file}: no row has the columns {required}. If it is another file, take the right one; if the publisher "
            "changed the header, change the layout of the source."
        ),
    ),
    "unknown-column": ErrorMessage(
        N_("Unknown column"),
        N_("{parameter}: there is no column {column}."),
    ),
    "invalid-rule": ErrorMessage(
        N_("Invalid rule"),
        N_("{parameter} is written like this: {expected}."),
    ),
    "no-rows-to-leave-out": ErrorMessage(
        N_("No rows to leave out"),
        N_("{parameter}: {file} is {format}; rows cannot be left out of that format."),
    ),
    "uneven-row": ErrorMessage(
        N_("Uneven row"),
        N_("{file}, line {line}: cells in the row: {cells}; in the header: {expected}."),
    ),
    "unclosed-quote": ErrorMessage(
        N_("Unclosed quote"),
        N_("{file}, line {line}: a quote is never closed."),
    ),
    "file-unreadable": ErrorMessage(
        N_("Unreadable file"),
        N_("{file} cannot be read: {reason}."),
    ),
    "private-cells-in-workbook": ErrorMessage(
        N_("Private cells in a workbook"),
        N_("{file} has private cells with values ({cells}), and a workbook is stored unchanged: it cannot be bundled."),
    ),
    "invalid-rows": ErrorMessage(
        N_("Invalid number of rows"),
        N_("{parameter} must be a number from 1 to {most}."),
    ),
    # releases
    "no-release": ErrorMessage(
        N_("No release published"),
        N_(
            "There is no published release in {folder}. Build one with `padron build --data {folder}`, or name the "
            "data folder that has one with `--data` or the setting PADRON_DATA."
        ),
    ),
    "release-damaged": ErrorMessage(
        N_("Damaged release"),
        N_(
            "The release is damaged: {file}, in {folder}, is missing or not what was published. Build it again with "
            "`padron build`, or on a machine that pulls its releases get it again with `padron release pull`."
        ),
    ),
    "export-damaged": ErrorMessage(
        N_("Damaged file"),
        N_("{file} is not what was exported, and is not given. Its operator writes it again with `padron export`."),
    ),
    "release-format": ErrorMessage(
        N_("Release of another format"),
        N_("{file} has the format {found}, and this program reads {expected}. Build it again with `padron build`."),
    ),
    "release-unreadable": ErrorMessage(
        N_("Unreadable file"),
        N_(
            "{file}, in {folder}, cannot be read now: {reason}. This does not prove it damaged: mend the cause, or try "
            "again."
        ),
    ),
    "release-unproved": ErrorMessage(
        N_("Release check failed"),
        N_(
            "The new release is not published: {request} answered {answer}. What was served before stays served. Mend "
            "what that request reads of its country, its folder in the program or its official files, and build again "
            "with `padron build`."
        ),
    ),
    "no-such-release": ErrorMessage(
        N_("Unknown release"),
        N_("There is no release {release} to go back to. These are kept: {known}."),
    ),
    "no-stored-release": ErrorMessage(
        N_("Unknown release"),
        N_("There is no release {release} in {store}. Bring one there with `padron release push`."),
    ),
    "release-unsigned": ErrorMessage(
        N_("Signature check failed"),
        N_(
            "The release {release} in {store} is not signed by the key in PADRON_RELEASES__TRUSTED_KEY. It is not "
            "used. Push it again with PADRON_RELEASES__SIGNING_KEY."
        ),
    ),
    "stored-release-damaged": ErrorMessage(
        N_("Damaged release"),
        N_(
            "The file {file} in {store} is missing or not what was pushed. The release is not used. Delete the file "
            "there and push the release again with `padron release push`."
        ),
    ),
    "store-fault": ErrorMessage(
        N_("Store of releases not available"),
        N_("The store {store} does not answer or refuses: {reason}. Check its address and the rights to it."),
    ),
    "no-store": ErrorMessage(
        N_("Store of releases missing"),
        N_("No store is named. Give its address, or set PADRON_RELEASES__STORE."),
    ),
    "bad-signing-key": ErrorMessage(
        N_("Signing key unusable"),
        N_("{file} is not a secret key of minisign without a password. Make one with `padron release keys FILE`."),
    ),
    "key-file-exists": ErrorMessage(
        N_("File already there"),
        N_("{file} exists and is not overwritten. Name another file."),
    ),
    "folder-not-empty": ErrorMessage(
        N_("Folder not empty"),
        N_("{folder} exists and is not empty. Name a new folder."),
    ),
    "build-running": ErrorMessage(
        N_("A build is running"),
        N_("Another process is building in {folder}. Wait until it ends."),
    ),
    "build-process-lost": ErrorMessage(
        N_("A process ended early"),
        N_(
            "A process of the work ended early (status {status}), usually for lack of memory. The release "
            "being served has not changed. Try again."
        ),
    ),
    # fetching official files
    "contact-missing": ErrorMessage(
        N_("Contact missing"),
        N_("{publisher} answers only programs that identify their owner: set {setting} to a name and a mail address."),
    ),
    "engine-unavailable": ErrorMessage(
        N_("Search engine not available"),
        N_(
            "The search engine does not answer as it should ({reason}). Nothing was searched; this says nothing about "
            "any company. Try again in a few seconds. If it lasts, its operator checks that the nodes run, and the "
            "address, port and timeout in PADRON_SEARCH__URL."
        ),
    ),
    "engine-refused": ErrorMessage(
        N_("Search engine refuses the connection"),
        N_(
            "The search engine refuses user and password, or its certificate is not trusted ({reason}). Correct the "
            "login and the parameter ca in PADRON_SEARCH__URL, or give the login the rights that docs/operations.md "
            "lists, and restart the service."
        ),
    ),
    "engine-index-lost": ErrorMessage(
        N_("Index missing in the search engine"),
        N_(
            "The index {index} is not in the search engine, or does not hold exactly the companies that were loaded. "
            "Load it again with `padron build`, then `padron release push` where machines pull, or restore the index "
            "from a backup of the cluster."
        ),
    ),
    "engine-index-red": ErrorMessage(
        N_("Index of the search engine incomplete"),
        N_(
            "No node has a copy of a part of the index {index} (red). Bring the missing node back, or load the index "
            "again with `padron build`, then `padron release push` where machines pull."
        ),
    ),
    "engine-full": ErrorMessage(
        N_("Search engine full"),
        N_(
            "A disk of the search engine is nearly full, and it forbids writing ({reason}). Searches go on, and no "
            "build can load an index. Free space: OpenSearch allows writing again by itself, within a minute. If it "
            "was forbidden by hand, send PUT /_all/_settings with "
            '{{"index.blocks.read_only_allow_delete": null}}, and PUT /_cluster/settings with '
            '{{"persistent": {{"cluster.blocks.create_index": null}}}}.'
        ),
    ),
    "search-not-installed": ErrorMessage(
        N_("Search engine not installed"),
        N_("PADRON_SEARCH__URL needs further libraries: pip install 'padron[opensearch]'."),
    ),
    "disk-fault": ErrorMessage(
        N_("Cannot write to disk"),
        N_(
            "Cannot write to {folder}: {reason}. The published release has not changed. Free some space, "
            "grant permission or move away what is in the way, then try again."
        ),
    ),
    "memory-fault": ErrorMessage(
        N_("Out of memory"),
        N_(
            "Building needs more than {mebibytes} MiB of memory for one step. The published release has not "
            "changed. Build on a machine with more cores, where a build may use more memory, or report the "
            "case."
        ),
    ),
    "fetch-running": ErrorMessage(
        N_("A fetch is running"),
        N_("Another process is fetching into {folder}. Wait until it ends."),
    ),
    "publisher-unreachable": ErrorMessage(
        N_("Publisher unreachable"),
        N_("{source}: {url} could not be downloaded ({reason}). What was received of a file is kept; try again."),
    ),
    "publisher-asks-to-wait": ErrorMessage(
        N_("Publisher asks to wait"),
        N_("{source}: {url} asks to wait {seconds} s. Try again after that."),
    ),
    "publisher-refused": ErrorMessage(
        N_("Publisher refused"),
        N_("{source}: {url} answered {status}. Check the address, the contact and the country of your connection."),
    ),
    "document-too-large": ErrorMessage(
        N_("Document too large"),
        N_("{source}: {url} is much larger than an index or a page can be."),
    ),
    "file-encoded": ErrorMessage(
        N_("File compressed in transit"),
        N_(
            "{source}: the server compressed {file} although it was requested uncompressed; the download cannot "
            "be resumed."
        ),
    ),
    "html-instead-of-data": ErrorMessage(
        N_("Page instead of data"),
        N_("{source}: the server sent an HTML page instead of {file}. The previous file is kept."),
    ),
    "file-shrank": ErrorMessage(
        N_("File shrank"),
        N_(
            "{source}: {file} went from {before} to {now} bytes, a loss of more than a fifth. The previous file "
            "is kept."
        ),
    ),
    "login-asked": ErrorMessage(
        N_("Login or captcha"),
        N_("{source}: {url} answered with a page that asks for a login or a captcha."),
    ),
    "no-sample": ErrorMessage(
        N_("No sample"),
        N_("{source}: the publisher of {url} sends no parts of files, so that no sample can be taken. Fetch it whole."),
    ),
    "members-changed": ErrorMessage(
        N_("Members changed"),
        N_("{source}: {file} has no member named like {expected}, but {members}."),
    ),
    "index-changed": ErrorMessage(
        N_("Index changed"),
        N_("{source}: the index {url} changed ({reason}). Check where the source is downloaded from."),
    ),
    "month-incomplete": ErrorMessage(
        N_("Month incomplete"),
        N_("{source}: the month {month} lacks {missing}. The previous month is kept."),
    ),
    "issues-mixed": ErrorMessage(
        N_("Mixed editions"),
        N_("{source}: the files are not of the same edition ({files}). The previous edition is kept."),
    ),
    "table-renewed": ErrorMessage(
        N_("The table keeps changing"),
        N_("{source}: the table of {file} changed several times during the download. Try again."),
    ),
    "rows-missing": ErrorMessage(
        N_("Rows missing"),
        N_("{source}: rows received of {file}: {rows} of {expected}. Try again."),
    ),
    "columns-changed": ErrorMessage(
        N_("Columns changed"),
        N_("{source}: {file} does not have the requested columns, but {found}."),
    ),
    # suppressions and the change log
    "bad-suppressions": ErrorMessage(
        N_("Invalid list of suppressions"),
        N_("{file}: entry {entry} cannot be used ({reason}). The last valid list stays in use."),
    ),
    # the credentials
    "credentials-missing": ErrorMessage(
        N_("API key missing"),
        N_("Send your key in two header fields: Authorization: Bearer <key> and apiKey: <key>."),
    ),
    "bearer-missing": ErrorMessage(
        N_("Authorization header missing"),
        N_(
            "The request has the apiKey header; it also needs this one, with the same key: Authorization: Bearer <key>."
        ),
    ),
    "apikey-missing": ErrorMessage(
        N_("apiKey header missing"),
        N_("The request has the Authorization header; it also needs this one, with the same key: apiKey: <key>."),
    ),
    "credentials-differ": ErrorMessage(
        N_("Different keys"),
        N_("The headers Authorization and apiKey must carry the same key, each only once."),
    ),
    "key-malformed": ErrorMessage(
        N_("Malformed key"),
        N_(
            "A key is pdr_live_ or pdr_test_, in the address of /reconcile pdr_link_, followed by 36 letters and "
            "digits; this one is incomplete, too long or mistyped."
        ),
    ),
    "link-key": ErrorMessage(
        N_("Key for an address"),
        N_(
            "A key pdr_link_ works only in the address of the reconciliation service, /reconcile/key/<key>. In the "
            "header fields send a key that begins with pdr_live_."
        ),
    ),
    "key-unknown": ErrorMessage(
        N_("Unknown key"),
        N_("No account has this key. Copy it once more, or create another one in your account."),
    ),
    "key-revoked": ErrorMessage(
        N_("Revoked key"),
        N_("This key was revoked; create another one in your account."),
    ),
    "key-beyond-plan": ErrorMessage(
        N_("Key beyond the plan"),
        N_("The plan allows {most} keys in use, and this account has older ones. Revoke one, or choose a higher plan."),
    ),
    "key-expired": ErrorMessage(
        N_("Expired key"),
        N_("This key has expired; create another one in your account."),
    ),
    "key-in-url": ErrorMessage(
        N_("Key in the address"),
        N_(
            "A key must not be in the address, where logs keep it. It is now marked as exposed: replace it, "
            "and send the new one in the header fields."
        ),
    ),
    "too-many-failures": ErrorMessage(
        N_("Too many wrong credentials"),
        N_("Too many wrong credentials came from your address. Try again in {retry_after} s."),
    ),
    "scope-missing": ErrorMessage(
        N_("Scope missing"),
        N_(
            "This key does not have the scope “{scope}”; create one in your account that has it (POST "
            "/api/account/keys), at no cost."
        ),
    ),
    "plan-required": ErrorMessage(
        N_("Your plan does not include this"),
        N_("Plans that include it: {plans}. Buy one at {page} or, from a program, with POST {operation}"),
    ),
    "key-quota-exceeded": ErrorMessage(
        N_("Daily quota of the key used up"),
        N_(
            "The owner of this key allows it {amount} answers a day. It starts again in {retry_after} s; other keys of "
            "the account are not affected."
        ),
    ),
    "rows-exceeded": ErrorMessage(
        N_("Daily quota of rows"),
        N_(
            "The daily quota of rows of your plan ({plan}) is {amount}, of which {left} are left; {rows} were asked "
            "for. It starts again in {retry_after} s. Plans: {page}"
        ),
    ),
    "quota-exceeded": ErrorMessage(
        N_("Daily quota used up"),
        N_("The daily quota of your plan ({plan}) is {amount}. It starts again in {retry_after} s. Plans: {page}"),
    ),
    # the account
    "no-session": ErrorMessage(
        N_("Not logged in"),
        N_("Log in: the session is missing, expired or closed. An API key does not open the account."),
    ),
    "bad-login": ErrorMessage(
        N_("Password not accepted"),
        N_("The password is wrong or, where you log in, no confirmed account has the address."),
    ),
    "code-required": ErrorMessage(
        N_("Code required"),
        N_(
            "This account has a second factor: send a code of its app, or a recovery code, beside address and password."
        ),
    ),
    "bad-code": ErrorMessage(
        N_("Wrong code"),
        N_("The code is wrong, too old or was already used. Wait for the next one of the app."),
    ),
    "second-factor-on": ErrorMessage(
        N_("Second factor already on"),
        N_("This account has a second factor already; turn it off before you enrol another app."),
    ),
    "second-factor-not-begun": ErrorMessage(
        N_("No enrolment to confirm"),
        N_("No enrolment of an app is open: it must be confirmed within an hour. Begin again."),
    ),
    "no-second-factor": ErrorMessage(
        N_("No second factor"),
        N_("This account has no second factor."),
    ),
    "bad-token": ErrorMessage(
        N_("Link not valid"),
        N_("The link was already used, has expired or is incomplete; request another one."),
    ),
    "cross-site-request": ErrorMessage(
        N_("Request from another site"),
        N_("This request comes from a page of another site and was rejected."),
    ),
    "too-many-attempts": ErrorMessage(
        N_("Too many attempts"),
        N_("There were too many attempts. Try again in {retry_after} s."),
    ),
    "bad-address": ErrorMessage(
        N_("Invalid e-mail address"),
        N_("That is not an e-mail address, such as ana@example.ec."),
    ),
    "weak-password": ErrorMessage(
        N_("Weak password"),
        N_(
            "Choose one of {minimum} to {maximum} characters that is not a common password and does not repeat "
            "your address; a few random words are enough."
        ),
    ),
    "account-not-found": ErrorMessage(
        N_("Unknown account"),
        N_("There is no such account; operators list them with `padron accounts list`."),
    ),
    "bad-network": ErrorMessage(
        N_("Invalid address or network"),
        N_(
            "“{parameter}” accepts up to {most} addresses or networks in CIDR notation, such as 203.0.113.7, "
            "203.0.113.0/24 or 2001:db8::/48, without bits of the host; it has {given}."
        ),
    ),
    "bad-origin": ErrorMessage(
        N_("Invalid origin"),
        N_(
            "“{parameter}” accepts up to {most} origins of pages as browsers state them, such as https://app.example "
            "or http://localhost:3000, without a path; it has {given}."
        ),
    ),
    "link-key-alone": ErrorMessage(
        N_("A key for an address does nothing else"),
        N_(
            "The scope reconcile makes a key for the address of the reconciliation service. It has no other scope, is "
            "not for tests, and has no daily quota of answers."
        ),
    ),
    "test-key-quota": ErrorMessage(
        N_("A test key has no quota"),
        N_("A test key answers without a quota: leave out “{parameter}”, or make a key that is not for tests."),
    ),
    "origin-not-allowed": ErrorMessage(
        N_("Page not allowed for this key"),
        N_(
            "This key works only in pages of the origins that its owner listed (field Origin of the request). Use one "
            "of them, or create a key without that limit in your account."
        ),
    ),
    "address-not-allowed": ErrorMessage(
        N_("Address not allowed for this key"),
        N_(
            "This key works only from the addresses that its owner listed, and the request came from another. Send it "
            "from one of them, or create a key without that limit in your account."
        ),
    ),
    "not-in-sample": ErrorMessage(
        N_("Not a company for test keys"),
        N_(
            "A test key (pdr_test_…) answers only about these companies, by name or identifier, in /api/v1: {sample}. "
            "For all others use a key that begins with pdr_live_."
        ),
    ),
    "account-suspended": ErrorMessage(
        N_("Account suspended"),
        N_(
            "The operator has suspended this account: its keys are refused, and it cannot make or buy anything. "
            "Reply to the mail about it."
        ),
    ),
    "operators-only": ErrorMessage(
        N_("For operators only"),
        N_("This page is for operators of the service. `padron accounts grant-operator` lets a holder use it."),
    ),
    "operator-unguarded": ErrorMessage(
        N_("Second factor needed"),
        N_("Operators work with a second factor only. Turn it on, on the page of security of your account."),
    ),
    "sandbox-local": ErrorMessage(
        N_("Payments are simulated here"),
        N_(
            "Nobody chose this simulation of payments, so it answers its own machine only. The operator sets "
            "PADRON_BASE_URL to the public address, and PADRON_BILLING__PROVIDER to stripe or sandbox."
        ),
    ),
    "address-differs": ErrorMessage(
        N_("Another address"),
        N_("Nothing was deleted: enter the mail address of the account as it is shown."),
    ),
    "already-confirmed": ErrorMessage(
        N_("Address already confirmed"),
        N_("The address of this account is confirmed. Its holder logs in, or asks there for a new password."),
    ),
    "address-taken": ErrorMessage(
        N_("Address taken"),
        N_("There is an account with that address already."),
    ),
    "subscription-running": ErrorMessage(
        N_("Subscription running"),
        N_("The subscription of the account has to be cancelled first, so that it is no longer charged."),
    ),
    "terms-changed": ErrorMessage(
        N_("Other terms in force"),
        N_("The terms in force are those of {version}. Read them, and accept that version."),
    ),
    "key-not-found": ErrorMessage(
        N_("Unknown key"),
        N_("There is no such key."),
    ),
    "watchlist-not-found": ErrorMessage(
        N_("Unknown watchlist"),
        N_("Your account has no such watchlist."),
    ),
    "watchlist-name-taken": ErrorMessage(
        N_("Name in use"),
        N_("Another watchlist of the account has this name already."),
    ),
    "too-many-watchlists": ErrorMessage(
        N_("Too many watchlists"),
        N_("Watchlists that your plan includes: {most}. Delete one, or choose a higher plan."),
    ),
    "too-many-watched": ErrorMessage(
        N_("Too many companies and searches"),
        N_(
            "Your plan includes {most} companies and saved searches in all watchlists together, and they hold {held}. "
            "Nothing was changed: add fewer, remove some, or choose a higher plan."
        ),
    ),
    "too-many-searches": ErrorMessage(
        N_("Too many saved searches"),
        N_(
            "A watchlist has {most} saved searches at most, and this one has {held}. Nothing was changed: add fewer, "
            "remove some, or put the others in another watchlist."
        ),
    ),
    "webhook-not-found": ErrorMessage(
        N_("Unknown webhook"),
        N_("Your account has no such webhook."),
    ),
    "too-many-webhooks": ErrorMessage(
        N_("Too many webhooks"),
        N_("Webhooks that your plan includes: {most}. Delete one, or choose a higher plan."),
    ),
    "webhook-disabled": ErrorMessage(
        N_("Webhook switched off"),
        N_("The webhook is switched off. Switch it on first (PATCH, enabled: true)."),
    ),
    "webhook-rotating": ErrorMessage(
        N_("Secret being rotated"),
        N_(
            "The secret before this one still signs, for {seconds} seconds: wait until then, or rotate with "
            "overlapSeconds: 0, after which only the new secret signs."
        ),
    ),
    "bad-webhook-url": ErrorMessage(
        N_("Address not possible for a webhook"),
        N_(
            "Messages are not sent to this address ({reason}). It must be https (not-https), name a host without user "
            "or password (bad-host) that can be resolved (unresolved) and has public addresses only (not-public)."
        ),
    ),
    "bad-saved-search": ErrorMessage(
        N_("Invalid saved search"),
        N_(
            "A saved search has words of a name, with at most {most} digits in all. To watch a company by its number, "
            "add it as a company."
        ),
    ),
    "session-not-found": ErrorMessage(
        N_("Session not found"),
        N_("Your account has no such session; it may have ended."),
    ),
    "key-name-taken": ErrorMessage(
        N_("Key name taken"),
        N_("A key in use already has that name; choose another, or replace or revoke that one."),
    ),
    "key-not-in-use": ErrorMessage(
        N_("The key is not in use"),
        N_("That key was revoked, has expired or was replaced: it cannot be rotated."),
    ),
    "too-many-keys": ErrorMessage(
        N_("Too many keys"),
        N_("Keys in use that your plan allows: {most}. Revoke one. A replaced key counts as long as it works."),
    ),
    "unknown-scope": ErrorMessage(
        N_("Unknown scope"),
        N_("Unknown scopes: {unknown}. The scopes are: {known}."),
    ),
    "expiry-past": ErrorMessage(
        N_("Expiry in the past"),
        N_("“{parameter}” must be in the future."),
    ),
    # plans and payment
    "unknown-plan": ErrorMessage(
        N_("Unknown plan"),
        N_("The plans are: {known}."),
    ),
    "plan-already-active": ErrorMessage(
        N_("Plan already active"),
        N_("Your account already has the plan {plan}."),
    ),
    "plan-not-yearly": ErrorMessage(
        N_("Not sold by the year"),
        N_("The plan {plan} is paid by the month."),
    ),
    "plan-lower": ErrorMessage(
        N_("That plan is smaller"),
        N_(
            "Your plan {plan} includes more, or is paid by the year. To change to a smaller one, cancel it: it stays "
            "active until the end of the paid period, and then you can buy the other."
        ),
    ),
    "idempotency-conflict": ErrorMessage(
        N_("Idempotency-Key used before"),
        N_("That Idempotency-Key was used with other content; use a new one."),
    ),
    "no-subscription": ErrorMessage(
        N_("No subscription"),
        N_("Your account has no subscription to manage."),
    ),
    "bad-signature": ErrorMessage(
        N_("Invalid signature"),
        N_("The signature of the event does not match its content, or is too old."),
    ),
    "bad-event": ErrorMessage(
        N_("Invalid event"),
        N_("The event has a valid signature, but not the form of an event."),
    ),
    "plan-missing": ErrorMessage(
        N_("Plan missing"),
        N_("Accounts have plans that the table of plans lacks, and get Free instead: {plans}. Add them to the table."),
    ),
    "plan-price": ErrorMessage(
        N_("Other prices at the payment provider"),
        N_("The prices of these plans are others at the payment provider, or not for sale there: {plans}."),
    ),
    "billing-off": ErrorMessage(
        N_("Plans not available"),
        N_("This service does not sell plans."),
    ),
    "billing-unavailable": ErrorMessage(
        N_("The payment provider does not answer"),
        N_("Nothing was charged. Try again in a moment, with the same Idempotency-Key if you sent one."),
    ),
    "billing-refused": ErrorMessage(
        N_("The payment provider refused the request"),
        N_("Nothing was charged. The operator of this service has to correct its settings; try again later."),
    ),
    "accounts-unavailable": ErrorMessage(
        N_("Accounts not available"),
        N_("Accounts are not available now. Try again in a moment."),
    ),
    "busy": ErrorMessage(
        N_("Too many at once"),
        N_("Too many requests of this kind wait at this moment. Try again in a few seconds."),
    ),
    "accounts-busy": ErrorMessage(
        N_("Too many at once"),
        N_("Too many people are logging in at this moment. Try again in a few seconds."),
    ),
    "accounts-unreachable": ErrorMessage(
        N_("Accounts not reachable"),
        N_(
            "The database {database} does not answer: {reason}. Start it, or set PADRON_ACCOUNTS__URL to where it is; "
            "nothing in it has to be restored."
        ),
    ),
    "accounts-forbidden": ErrorMessage(
        N_("Accounts forbidden"),
        N_(
            "The database {database} does not let its role do what the service does: {reason}. Grant it the rights, or "
            "set PADRON_ACCOUNTS__URL to a role that has them; nothing has to be restored."
        ),
    ),
    "accounts-locked": ErrorMessage(
        N_("Accounts locked"),
        N_("Another program has the database {database} locked. End that program, then try again."),
    ),
    "accounts-lost": ErrorMessage(
        N_("Accounts lost"),
        N_(
            "The database of accounts is not the one of before: it is missing, empty, or another one. Stop the "
            "service, move what is in its place away, and run `padron accounts restore FOLDER` with a backup. To begin "
            "without the accounts of before, remove {file}."
        ),
    ),
    "accounts-damaged": ErrorMessage(
        N_("Accounts damaged"),
        N_(
            "The database {database} is damaged or of a newer program. Stop the service, move it away together with "
            "the -wal and -shm files beside it, and run `padron accounts restore FOLDER` with a backup."
        ),
    ),
    "backup-exists": ErrorMessage(
        N_("Would be overwritten"),
        N_("{file} is there already, and nothing is overwritten. Move it away or name another place, then try again."),
    ),
    "backup-damaged": ErrorMessage(
        N_("Damaged backup"),
        N_(
            "The backup is damaged: {file}, in {folder}, is missing, not what was saved, or does not belong to the "
            "rest. Use another backup."
        ),
    ),
    "backup-of-another-kind": ErrorMessage(
        N_("Backup of another kind of database"),
        N_("The backup in {folder} is of the other kind of database, SQLite or PostgreSQL, than PADRON_ACCOUNTS__URL."),
    ),
    "backup-failed": ErrorMessage(
        N_("Backup failed"),
        N_("{program} failed: {reason}. Debian has it in the package postgresql-client."),
    ),
    "mail-unavailable": ErrorMessage(
        N_("Mail not available"),
        N_("Mail cannot be sent now; the service will try again."),
    ),
    # what is no request
    "malformed-request": ErrorMessage(
        N_("Malformed request"),
        N_("This is not a correct HTTP/1.1 request for one host."),
    ),
    "target-too-long": ErrorMessage(
        N_("Address too long"),
        N_("The address may have at most {maximum} bytes."),
    ),
    "header-too-long": ErrorMessage(
        N_("Header too long"),
        N_("The header of a request may have at most {maximum} bytes; each field counts 32 more than it has."),
    ),
    # the body of a request
    "unsupported-media-type": ErrorMessage(
        N_("Unsupported content type"),
        N_("Send the body as Content-Type: {expected}."),
    ),
    "range-not-satisfiable": ErrorMessage(
        N_("No such range"),
        N_("The file has {size} bytes. Ask for a range inside them."),
    ),
    "body-too-large": ErrorMessage(
        N_("Body too large"),
        N_("The body may have at most {maximum} bytes."),
    ),
    "message-too-complex": ErrorMessage(
        N_("Message too complex"),
        N_(
            "Besides the arguments of a tool a message may have at most {maximum} values, and all of it at most "
            "{levels} levels. Leave out what the tool does not take."
        ),
    ),
    "body-unfinished": ErrorMessage(
        N_("Incomplete body"),
        N_("The body of the request is incomplete."),
    ),
    "bad-report": ErrorMessage(
        N_("Not a report of keys"),
        N_("The body is not a JSON array of objects with the key in `token`."),
    ),
    "malformed-json": ErrorMessage(
        N_("Malformed JSON"),
        N_("The body is not a JSON object in UTF-8."),
    ),
    "unknown-field": ErrorMessage(
        N_("Unknown field"),
        N_("The body has no field “{parameter}”. Its fields are: {known}."),
    ),
    "repeated-field": ErrorMessage(
        N_("Repeated field"),
        N_("The field “{parameter}” appears more than once."),
    ),
    "missing-field": ErrorMessage(
        N_("Field missing"),
        N_("The field “{parameter}” is missing."),
    ),
    "invalid-field": ErrorMessage(
        N_("Invalid field"),
        N_("The field “{parameter}” does not have the expected type, format or length."),
    ),
    "bad-filter": ErrorMessage(
        N_("Invalid filter"),
        N_("The filter {parameter} cannot be applied. Expected: {known}."),
    ),
    "bad-row": ErrorMessage(
        N_("Row that cannot be read"),
        N_(
            "Row {row} of the list cannot be read; those before it are answered. NDJSON has an object with the "
            "fields of a row per line, CSV a second mark for each quotation mark; both are UTF-8, and no row has more "
            "than {maximum} bytes."
        ),
    ),
    "bad-offset": ErrorMessage(
        N_("Invalid offset"),
        N_("offset is the number of rows that are answered already: a whole number of at most 9 digits."),
    ),
    "bad-cursor": ErrorMessage(
        N_("Invalid cursor"),
        N_("The cursor belongs to another query or to an earlier release of the data; start again without a cursor."),
    ),
    # settings of accounts
    "secret-too-short": ErrorMessage(
        N_("Secret too short"),
        N_("PADRON_ACCOUNTS__SECRET needs at least {minimum} characters."),
    ),
    "secret-unwritten": ErrorMessage(
        N_("Cannot write the secret"),
        N_(
            "The secret of the accounts cannot be written to {folder}: {reason}. Free some space or grant permission: "
            "a service that runs then writes it within seconds; repeat a command."
        ),
    ),
    "secret-damaged": ErrorMessage(
        N_("Secret damaged"),
        N_(
            "{file} does not hold the secret of the accounts, without which no key is known. Put the file `secret` of "
            "a backup in its place: a service that runs takes it up within seconds."
        ),
    ),
    "secret-other": ErrorMessage(
        N_("Another secret"),
        N_(
            "The database of accounts was filled with another secret: with this one no key, session or code is known. "
            "Put that of before into the file `secret` of the data folder: a service that runs takes it up within "
            "seconds. Where PADRON_ACCOUNTS__SECRET is set, set that to it and start the service again."
        ),
    ),
    "bad-plans": ErrorMessage(
        N_("Invalid table of plans"),
        N_("{file}: {reason}"),
    ),
    "billing-incomplete": ErrorMessage(
        N_("Stripe settings missing"),
        N_("Stripe needs PADRON_BILLING__STRIPE_KEY and PADRON_BILLING__STRIPE_WEBHOOK_SECRET."),
    ),
}
"""Error code -> its message."""


def title(code: str, language: Language) -> str:
    """Return the title of an error code."""
    return translate(_message(code).title, language)


def pattern(code: str, language: Language) -> str:
    """Return the detail of an error code with the names of its placeholders in braces."""
    return translate(_message(code).detail, language)


def detail(error: PadronError, language: Language) -> str:
    """Return what went wrong and what to do about it, with the context of the error filled in."""
    return detail_of(error.code, error.context, language)


def detail_of(code: str, context: Mapping[str, object], language: Language) -> str:
    """Return the detail of an error that is stored as its code and context.

    Returns:
        The detail, with the context filled in.
    """
    shown = {name: _shown(value, language) for name, value in context.items()}
    if code == "invalid-field" and context.get("expected"):
        return translate(_EXPECTED, language).format_map(shown)
    return pattern(code, language).format_map(shown)


_EXPECTED: Final = N_("The field “{parameter}” is not as expected. Expected: {expected}.")
"""The detail of `invalid-field` where it is known what was expected."""


@cache
def _message(code: str) -> ErrorMessage:
    """The message of a code; the code itself, logged once, where it has none."""
    if code in MESSAGES:
        return MESSAGES[code]
    _log.warning("no message for error code %s", code)
    return ErrorMessage(code, code)


def _shown(value: object, language: Language) -> str:
    """A context value as text: errors and bilingual texts in the language, collections as a list."""
    match value:
        case PadronError():
            return detail(value, language)
        case Text():
            return value.of(language)
        case dict():
            return ", ".join(f"{key}: {_shown(item, language)}" for key, item in value.items())
        case list() | tuple() | set() | frozenset():
            sentences = all(isinstance(item, PadronError) for item in value)
            return (" " if sentences else ", ").join(_shown(item, language) for item in value)
        case _:
            return str(value)
