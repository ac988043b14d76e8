import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { knowledgeBaseText } from '../helpers/resources.ts'
import { runBin, startBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

const assistant = (welcome: string) =>
  `name: Front desk\nwelcomeMessage: ${welcome}\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["\${kb:workshop}"]\n`
const knowledge = (hours: string) => knowledgeBaseText('workshop', { 'When are you open?': hours })
const greets = 'assistant: front-desk\nturns:\n  - expect: { says: Hello }\n'
const hours = 'assistant: front-desk\nturns:\n  - include: shared/hours.yaml\n'
const included = (words: string) => `- user: When are you open?\n  expect: { says: ${words} }\n`
const other = 'assistant: { name: Other, welcomeMessage: Good day }\nturns:\n  - expect: { says: Good day }\n'

async function project() {
  const folder = await temporaryFolder({
    'callyard.yaml': '',
    'assistants/front-desk.yaml': assistant('Hello'),
    'assistants/unused.yaml': 'name: Unused\n',
    'knowledge-bases/workshop.yaml': knowledge('Nine to six'),
    'tests/greets.test.yaml': greets,
    'tests/hours.test.yaml': hours,
    'tests/shared/hours.yaml': included('nine'),
  })
  const written = join(await temporaryFolder(), 'written')
  const write = async (file: string, content: string) => {
    await mkdir(join(folder, file, '..'), { recursive: true })
    // Written in place it is empty for a moment, and next to it another file changes: on a busy machine each is a run of its own.
    await writeFile(written, content)
    await rename(written, join(folder, file))
  }
  return { folder, write }
}

interface Run {
  readonly kind: string
  readonly changed: readonly string[]
  readonly tests: readonly { readonly id: string; readonly status: string }[]
  readonly error: { readonly kind: string; readonly message: string }
}

test('runs the tests that a changed file affects: tests, includes, knowledge bases, assistants, new, removed and replaced files', async () => {
  const { folder, write } = await project()
  const child = startBin(['test', '--watch', '--json'], { cwd: folder })
  const printed = lines(child.stdout)
  const next = async (): Promise<Run> => JSON.parse((await printed.next()).value ?? 'null')
  const statuses = async () => {
    const { kind, tests = [] } = await next()
    return [kind, ...tests.map(({ id, status }) => `${id} ${status}`)]
  }
  expect(await statuses()).toEqual(['run', 'greets passed', 'hours passed'])
  const ready = lines(child.stderr)
  for (let line = await ready.next(); !line.value?.includes('waiting'); ) line = await ready.next()

  await write('tests/greets.test.yaml', greets.replace('Hello', 'Good day'))
  expect(await statuses()).toEqual(['run', 'greets failed'])
  await write('tests/shared/hours.yaml', included('ten'))
  expect(await statuses()).toEqual(['run', 'hours failed'])
  await write('knowledge-bases/workshop.yaml', knowledge('Ten to six'))
  expect(await statuses()).toEqual(['run', 'greets failed', 'hours passed'])

  // In place, and at once.
  const file = await open(join(folder, 'assistants/front-desk.yaml'), 'r+')
  await file.write(assistant('Good day'))
  await file.close()
  expect(await statuses()).toEqual(['run', 'greets passed', 'hours passed'])

  await write('assistants/front-desk.yaml', 'name: [\n')
  expect(await next()).toMatchObject({ kind: 'invalid', error: { kind: 'invalid' } })
  await write('assistants/front-desk.yaml', assistant('Hello'))
  expect(await statuses()).toEqual(['run', 'greets failed', 'hours passed'])

  await write('tests/below/new.test.yaml', other)
  expect(await statuses()).toEqual(['run', 'below/new passed'])
  await rm(join(folder, 'tests/greets.test.yaml'))
  await write('report.xml', '<x/>')
  await write('tests/below/new.test.yaml', other.replaceAll('Good day', 'Good night'))
  expect(await next()).toMatchObject({
    kind: 'run',
    changed: expect.arrayContaining(['tests/below/new.test.yaml']),
    tests: [{ id: 'below/new', status: 'passed' }],
  })

  await write('tests/broken.test.yaml', 'turns: [\n')
  expect(await next()).toMatchObject({ kind: 'invalid' })
  await rm(join(folder, 'tests/broken.test.yaml'))
  expect(await statuses()).toEqual(['run', 'below/new passed', 'hours passed'])
  child.kill('SIGINT')
  expect((await child).exitCode).toBe(130)
})

test('runs all tests once invalid files are fixed', async () => {
  const { folder, write } = await project()
  await write('tests/greets.test.yaml', 'turns: [\n')
  const child = startBin(['test', '--watch', '--json'], { cwd: folder })
  const printed = lines(child.stdout)
  expect(JSON.parse((await printed.next()).value ?? 'null')).toMatchObject({ kind: 'invalid' })
  const ready = lines(child.stderr)
  for (let line = await ready.next(); !line.value?.includes('waiting'); ) line = await ready.next()
  // A file of no test: the same errors are not printed again.
  await write('notes.txt', 'unrelated')
  expect((await runBin(['validate', '.'], { cwd: folder })).exitCode).toBe(3)
  await write('tests/greets.test.yaml', 'turns: 1\n')
  expect(JSON.parse((await printed.next()).value ?? 'null')).toMatchObject({
    error: { diagnostics: [{ code: 'missing' }] },
  })
  await write('tests/greets.test.yaml', greets)
  expect(JSON.parse((await printed.next()).value ?? 'null')).toMatchObject({
    tests: [
      { id: 'greets', status: 'passed' },
      { id: 'hours', status: 'passed' },
    ],
  })
  child.kill('SIGINT')
  expect((await child).exitCode).toBe(130)
})

test('on a terminal, Enter runs all tests and q exits with the last result', async () => {
  const { folder, write } = await project()
  const terminal = startInTerminal(['test', '--watch'], { cwd: folder })
  await terminal.shows(/2 passed[\s\S]*q ends/)
  terminal.type('\r')
  await terminal.shows(/(2 passed[\s\S]*){2}/)
  await write('tests/greets.test.yaml', greets.replace('Hello', 'Good day'))
  await terminal.shows(/tests\/greets\.test\.yaml[\s\S]*1 failed/)
  terminal.type('q')
  expect(await terminal.exitCode).toBe(8)
  expect(terminal.screen).toContain('1 of 1 test failed')
})

test('on a terminal, Ctrl-C exits with 130 and restores the terminal', async () => {
  const { folder } = await project()
  const terminal = startInTerminal(['test', '--watch'], { cwd: folder })
  await terminal.shows(/q ends/)
  terminal.type('\u0003')
  expect(await terminal.exitCode).toBe(130)
})
