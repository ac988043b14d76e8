import { link, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callEvents } from '../../helpers/events.ts'
import { recordingFile } from '../../helpers/recordings.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { deskFiles, tool } from '../commands/project/test-project.ts'

const recording = recordingFile(...callEvents({ said: [['user', 'Hello']], end: {} }))
const list = 'id,phone\n1,+12025550110\n'
const batch = 'list: contacts.csv\nfrom: "+12025550100"\n'
const packageFile = '{ "name": "desk" }\n'
const passes = 'assistant: desk\nturns: [{ user: hi }]\n'

async function project() {
  const files = {
    ...{ 'callyard.yaml': '', ...deskFiles, 'rec.ndjson': recording, 'list.csv': list },
    ...{ 'batches/calls.yaml': batch, 'batches/contacts.csv': list, 'package.json': packageFile },
    ...{ 'faq.csv': 'question,answer\nOpen?,Yes.\n', 't.yaml': tool('t'), 'tests/a.test.yaml': passes },
  }
  const cli = await testCli(files)
  const asLine = (line: string) => cli.run(...line.split(' '))
  return { cli, asLine }
}

test.each([
  ['webhook show rec.ndjson --out html:rec.ndjson --force', 'rec.ndjson'],
  ['webhook show rec.ndjson --out html:linked.ndjson --force', 'rec.ndjson'],
  ['webhook show ./rec.ndjson --out hard.html --force', 'rec.ndjson'],
  ['report rec.ndjson --out json:rec.ndjson --force', 'rec.ndjson'],
  ['test gaps rec.ndjson --out yaml:rec.ndjson --force', 'rec.ndjson'],
  ['test record rec.ndjson --out yaml:rec.ndjson --force', 'rec.ndjson'],
  ['faq import faq.csv --out yaml:faq.csv --force', 'faq.csv'],
  ['batch export list.csv --from +12025550100 --out csv:list.csv --force', 'list.csv'],
  ['batch export calls --out csv:batches/contacts.csv --force', 'batches/contacts.csv'],
  ['batch export calls --out csv:batches/calls.yaml --force', 'batches/calls.yaml'],
  ['batch run list.csv --from +12025550100 --out csv:list.csv', 'list.csv'],
  ['apply package.json --out junit:package.json', 'package.json'],
])('%s overwrites no input', async (line, input) => {
  const { cli, asLine } = await project()
  await symlink('rec.ndjson', join(cli.folder, 'linked.ndjson'))
  await link(join(cli.folder, 'rec.ndjson'), join(cli.folder, 'hard.html'))
  const before = await cli.read(input)
  const { exitCode, stdout, stderr } = await asLine(line)
  expect({ exitCode, stdout, requests: cli.requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
  expect(stderr).toContain(`would overwrite ${input}, which this command reads`)
  expect(await cli.read(input)).toBe(before)
})

test.each([
  'validate t.yaml --kind tool --out junit:',
  'test --out sarif:',
  'test --out html:',
  'plan --out json:',
])('%s overwrites nothing but reports', async line => {
  const { cli, asLine } = await project()
  const { exitCode, stdout, stderr } = await asLine(`${line}package.json`)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain('--out package.json would overwrite a file that is not a report')
  expect(await cli.read('package.json')).toBe(packageFile)
})

test('a report is written again, over an empty file too, and whatever its first lines are', async () => {
  const { cli, asLine } = await project()
  await writeFile(join(cli.folder, 'a.xml'), '')
  for (const format of ['a.xml', 'a.sarif', 'a.xml', 'a.sarif'])
    expect(await asLine(`validate t.yaml --kind tool --out ${format}`)).toMatchObject({ exitCode: 0 })
})

test.each([
  ...['validate t.yaml --kind tool --out no/a.xml', 'test --out no/a.html', 'plan --out no/plan.json'],
  ...[
    'apply --yes --out no/a.xml',
    'webhook show rec.ndjson --out no/a.html',
    'report rec.ndjson --out no/a.md',
  ],
  ...['batch export calls --out no/a.csv', 'batch run calls --yes --max-calls 1 --out no/a.csv'],
  ...[
    'faq import faq.csv --out no/a.yaml',
    'call chat desk --out no/a.txt',
    'validate t.yaml --out t.yaml/a.xml',
  ],
  'validate t.yaml --kind tool --out junit:batches',
])('%s finds that it cannot be written before it begins', async line => {
  const { cli, asLine } = await project()
  const { exitCode, stdout, stderr } = await asLine(line)
  expect({ exitCode, stdout, requests: cli.requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
  expect(stderr).toMatch(/cannot write \S+: (no such|not a)|is not a regular file/)
})

test('a batch that is refused for its results has no journal', async () => {
  const { cli, asLine } = await project()
  const { exitCode, stderr } = await asLine('batch run calls --yes --max-calls 1 --out csv:package.json')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('is not a results file')
  expect(await readdir(cli.folder)).not.toContain('.callyard')
  expect(await readdir(join(cli.folder, 'batches'))).toEqual(['calls.yaml', 'contacts.csv'])
})

test.each([
  ['validate t.yaml --kind tool --out junit:-', /^<\?xml/, '1 file checked'],
  ['plan --base-url http://127.0.0.1:9 --out json:-', /^\{\n {2}"kind": "callyard-plan"/, 'tool/book'],
  ['webhook show rec.ndjson --last --out csv:-', /^[a-z]/, 'Wrote /dev/stdout'],
  ['faq import faq.csv --out -', /^faq:\n/, 'Wrote /dev/stdout'],
  ['test record rec.ndjson --last --out -', /^# Created from call/, ''],
])('%s prints the file alone, and what it would have printed on stderr', async (line, start, said) => {
  const { asLine } = await project()
  const { exitCode, stdout, stderr } = await asLine(line)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(start)
  expect(stderr).toContain(said)
  expect(stdout).not.toContain('\ufeff')
})

test.each([
  ['test --out -', 'Put the format before it, such as html:-'],
  ['batch run calls --out -', 'print them with batch export'],
  ['call chat desk --out json:-', 'leave --out out'],
  ['validate t.yaml --json --out junit:-', 'both write to stdout'],
  ['webhook show rec.ndjson --out s10', 'pass --format, or a name with its extension'],
])('%s says what to write', async (line, hint) => {
  const { asLine } = await project()
  const { exitCode, stderr } = await asLine(line)
  expect(exitCode).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(hint)
})

test('the format of a file without an extension is that of --format', async () => {
  const { cli, asLine } = await project()
  expect(await asLine('webhook show rec.ndjson --last --format html --out s10')).toMatchObject({
    exitCode: 0,
  })
  expect(await cli.read('s10')).toMatch(/^<!doctype html/i)
})
