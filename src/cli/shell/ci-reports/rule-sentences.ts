import type { FailureCode } from '../../../scenario/index.ts'

type Sentences<Code extends string> = Readonly<Record<Code, string>>

const failures: Sentences<FailureCode | 'undecided'> = {
  'not-said': 'The assistant did not say an expected text.',
  'not-heard': 'The caller did not hear an expected text.',
  'said-unwanted': 'The assistant said a text that the test excludes.',
  'not-exactly': 'The assistant said something other than the exact text.',
  'not-called': 'An expected tool was not called.',
  'wrong-arguments': 'A tool was called with arguments other than the expected ones.',
  'called-unwanted': 'A tool was called that the test excludes.',
  'wrong-order': 'Tools were not called in the expected order.',
  'too-late': 'The assistant replied later than the test allows.',
  'wrong-number': 'A count or a duration of the call is outside of the expected range.',
  'wrong-end': 'The call was not ended by the expected party.',
  'not-known': 'The expected FAQ entry was not used.',
  'wrong-analysis': 'The analysis of the call has an unexpected value.',
  'judged-no': 'The judge decided that a sentence is not true of the call.',
  'wrong-goal': 'The goal of the simulated caller was reached or missed against expectation.',
  'not-reached': 'The call ended before this turn.',
  'not-recorded': 'A request to a model has no recorded response.',
  'model-failed': 'A model did not respond.',
  'call-failed': 'The call of the test could not be placed or failed.',
  undecided: 'An expectation could not be judged.',
}

const tests: Sentences<string> = {
  'no-expectation': 'A test expects nothing, so it can never fail.',
  circle: 'Files refer to each other in a circle.',
  'only-in-ci': 'A test that is marked as the only one reached continuous integration.',
}

const cassettes: Sentences<string> = {
  'torn-line': 'The last line of a cassette is cut off.',
  'merge-conflict': 'A file contains the markers of a git conflict.',
  'foreign-line': 'A line does not belong to a cassette.',
  'other-version': 'A cassette has an unsupported version.',
  'unused-cassette': 'A cassette belongs to no test.',
}

const projects: Sentences<string> = {
  'shared-knowledge-base': 'Two files write to the same knowledge base.',
  'no-place-for-id': 'An FAQ entry cannot take the id that the service assigns.',
  circle: 'Resources refer to each other in a circle.',
  'missing-lockfile': 'The lockfile is missing although files have ids.',
  'unclear-kind': 'A file lies in a folder for another kind of file.',
}

/** Rules for files of any kind. */
const files: Sentences<string> = {
  missing: 'A required field is missing.',
  'wrong-type': 'A field has a value of the wrong type.',
  'not-allowed': 'A field has a value that is not allowed.',
  'out-of-range': 'A value is too small, too large, too short or too long.',
  'wrong-format': 'A value does not have the required form.',
  'unknown-key': 'A field is unknown.',
  needs: 'A field requires another one.',
  'no-effect': 'A field has no effect.',
  'denies-ai': 'A prompt makes the assistant deny that it is an AI.',
  'untold-recording': 'A call is recorded, and the caller is not told.',
  deprecated: 'A field or a value is deprecated.',
  rule: 'A value breaks a rule of its schema.',
  duplicate: 'Two values that must differ are equal.',
  'duplicate-key': 'A key is given twice.',
  'too-many-findings': 'A file has more findings than are listed.',
  'too-deep': 'A value is nested too deeply.',
  'too-large': 'A file is too large.',
  'missing-file': 'A file was not found.',
  unreadable: 'A file cannot be read.',
  'empty-file': 'A file is empty.',
  'binary-file': 'A file is binary, not text.',
  'wrong-encoding': 'A file is not encoded as UTF-8 or UTF-16.',
  'is-a-folder': 'A folder is named where a file is expected.',
  'not-a-file': 'A path does not lead to a regular file.',
  'outside-file': 'A file lies outside of the project.',
  'no-files': 'No file was found.',
  'stale-schema': 'A schema of the project is out of date.',
  'unknown-kind': 'The kind of a file is unknown.',
  'broken-yaml': 'A file is not valid YAML.',
  'broken-json': 'A file is not valid JSON.',
  'broken-csv': 'A file is not valid CSV.',
  'not-json': 'A value cannot be written as JSON.',
  'imprecise-number': 'A number loses digits in JSON.',
  'alias-explosion': 'The aliases of a file multiply its size.',
  'recursive-alias': 'An alias contains itself.',
  'unknown-anchor': 'An alias refers to an unknown anchor.',
  'key-not-text': 'A key is not a text.',
  tag: 'A file uses a YAML tag.',
  'several-documents': 'A file holds several YAML documents.',
  'yaml-version': 'A file asks for an unsupported version of YAML.',
  'wrong-cell-count': 'A row of a CSV file has more cells than its header.',
  'spreadsheet-error': 'A cell has an error or a formula of a spreadsheet, and no value.',
  'shortened-number': 'A cell has a number whose last digits a spreadsheet has dropped.',
  'repeated-header': 'A row of a table repeats its header.',
  'no-rows': 'A table has no rows.',
  'no-heading': 'A column of a table has cells, but no heading.',
  'no-such-column': 'A column of a table was not found.',
  'quoted-lines': 'A line of a table is quoted as a whole.',
  'curly-quotes': 'The cells of a table are in curly quotes.',
  'two-separators': 'A header can be divided by two separators.',
  'wrong-separator': 'A header does not have the separator that the first line declares.',
  'trailing-separator': 'The lines of a table end with another separator.',
  'guessed-encoding': 'The encoding of a table was guessed.',
  'double-encoded': 'A table was encoded twice.',
  workbook: 'A file is a document of a spreadsheet or text program, not a table of text.',
  'line-ends': 'The lines of a file end with a carriage return only.',
  'odd-space': 'A character that looks like a space is not one.',
  'odd-indentation': 'A line is indented with characters other than spaces.',
  'not-a-list': 'A file is not a list of objects.',
  'not-an-object': 'An item of a list is not an object.',
  'hidden-file': 'A hidden file is included.',
  'own-variable': 'A file uses a variable that is reserved for callyard.',
  'missing-env': 'An environment variable is not set.',
  'unknown-reference': 'A reference has an unknown kind or name.',
  'bad-reference': 'A reference cannot be read.',
  unused: 'No file refers to a resource.',
  blocked: 'A resource cannot be applied.',
  failed: 'A resource could not be applied.',
  skipped: 'A resource was not applied.',
}

/** One sentence that describes a rule. */
export function ruleSentence(code: string): string | undefined {
  const sentences: Sentences<string> = { ...files, ...projects, ...cassettes, ...tests, ...failures }
  return Object.hasOwn(sentences, code) ? sentences[code] : undefined
}
