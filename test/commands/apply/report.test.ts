import { expect, test } from 'vitest'
import { type Element, parseXml } from '../../helpers/parse-xml.ts'
import { assistant, deskFiles, testProject, tool, unwrapped } from '../project/test-project.ts'

function casesIn(xml: string): Record<string, string> {
  const [suite] = parseXml(xml).children
  return Object.fromEntries(
    (suite?.children ?? []).map(({ attributes, children }: Element) => [
      attributes.name ?? '',
      children.map(({ name }) => name).join() || 'passed',
    ]),
  )
}

test('--junit: done and unchanged resources pass', async () => {
  const project = await testProject(deskFiles)
  await project.apply('--junit', 'report.xml')
  const all = { 'tool/book': 'passed', 'assistant/desk': 'passed' }
  expect(casesIn(await project.read('report.xml'))).toEqual(all)
  await project.remove('report.xml')
  await project.run('apply', '--junit', 'report.xml')
  expect(casesIn(await project.read('report.xml'))).toEqual(all)
})

test('--junit: failures fail, what was skipped is skipped', async () => {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') })
  project.service.next('POST tool/book', { status: 422, json: { message: 'no <b> & "c"' } })
  expect((await project.apply('--junit', 'report.xml')).exitCode).toBe(8)
  const xml = await project.read('report.xml')
  expect(casesIn(xml)).toEqual({
    'tool/a': 'system-out',
    'tool/book': 'failure',
    'assistant/desk': 'skipped',
  })
  expect(parseXml(xml).children[0]?.children[1]?.children[0]?.attributes.message).toContain('no <b> & "c"')
})

test('--junit: of invalid input, each file with an error fails', async () => {
  const project = await testProject({
    ...deskFiles,
    'assistants/bad.yaml': assistant('Bad', [], 'idleTimeout: 3\n'),
  })
  expect((await project.apply('--junit', 'report.xml')).exitCode).toBe(3)
  const xml = await project.read('report.xml')
  expect(casesIn(xml)).toEqual({ 'assistants/bad.yaml': 'failure' })
  expect(parseXml(xml).children[0]?.children[0]?.children[0]?.text).toContain(
    'assistants/bad.yaml:2:14: error',
  )
})

test('--junit: a report that cannot be written hides no result and exits with 8', async () => {
  const project = await testProject(deskFiles)
  const report = ['--junit', 'no/such/folder/report.xml', '--json']
  const result = await project.apply(...report)
  expect(result.exitCode).toBe(8)
  expect(result.stderr).toContain('warning: cannot write no/such/folder/report.xml')
  expect(result.stderr).toContain('error: all is applied, but the report could not be written')
  expect(JSON.parse(result.stdout).done).toHaveLength(2)
  const again = await project.apply(...report)
  expect(again.exitCode).toBe(8)
  expect(JSON.parse(again.stdout).unchanged).toHaveLength(2)
})

test('--junit: a report that cannot be written does not change a failure', async () => {
  const project = await testProject(deskFiles, { CALLYARD_API_KEY: undefined })
  const result = await project.apply('--junit', 'no/such/folder/report.xml')
  expect(result.exitCode).toBe(4)
  expect(result.stderr).toContain('warning: cannot write no/such/folder/report.xml')
})

test.each([
  ['no key', { CALLYARD_API_KEY: undefined }, ['--yes'], 'unauthorized', 4],
  ['nobody to ask', {}, [], 'usage', 2],
  ['no base URL', { CALLYARD_BASE_URL: undefined }, ['--yes'], 'usage', 2],
  ['no such plan', {}, ['none.json'], 'usage', 2],
  ['another base URL', { CALLYARD_BASE_URL: 'http://127.0.0.1:9' }, ['--yes'], 'conflict', 9],
])(
  '--junit reports an error before the first test as the only case: %s',
  async (_, env, more, kind, exitCode) => {
    const project = await testProject(deskFiles)
    if (kind === 'conflict') await project.apply()
    Object.assign(project.env, env)
    const result = await project.run('apply', '--junit', 'report.xml', ...more)
    expect(result.exitCode).toBe(exitCode)
    const root = parseXml(await project.read('report.xml'))
    expect(root.attributes).toMatchObject({
      name: 'callyard apply default',
      tests: '1',
      failures: '1',
    })
    const [failing, ...others] = root.children[0]?.children ?? []
    expect(others).toEqual([])
    expect(failing?.attributes).toEqual({ classname: 'apply', name: 'default' })
    const failure = failing?.children[0]
    const said = /error: (.*?)(\n(?:hint|usage): .*)?\n$/s.exec(result.stderr)
    expect(failure).toMatchObject({
      name: 'failure',
      attributes: { type: kind, message: said?.[1] },
      text: expect.stringContaining(said?.[1] ?? 'nothing'),
    })
  },
)

test.each([
  ['--target', 'eu'],
  ['--profile', 'eu'],
])('--junit: the target of an error is the one that was asked for with %s', async (...asked) => {
  const project = await testProject(deskFiles)
  expect((await project.run('apply', '--junit', 'report.xml', ...asked)).exitCode).toBe(2)
  const [suite] = parseXml(await project.read('report.xml')).children
  expect(suite?.children[0]?.attributes).toEqual({ classname: 'apply', name: 'eu' })
})

test('--junit: the target of an error is that of the saved plan', async () => {
  const project = await testProject(deskFiles)
  await project.run('plan', '--target', 'eu', '--out', 'plan.json')
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  const result = await project.apply('plan.json', '--junit', 'report.xml')
  expect(result.exitCode).toBe(9)
  const [suite] = parseXml(await project.read('report.xml')).children
  expect(suite?.children).toMatchObject([
    { attributes: { classname: 'apply', name: 'eu' }, children: [{ attributes: { type: 'conflict' } }] },
  ])
})

test('in GitHub Actions, findings point at file and line on stderr; stdout stays clean', async () => {
  const project = await testProject(
    { ...deskFiles, 'assistants/bad.yaml': assistant('Bad', [], 'idleTimeout: 3\n') },
    { GITHUB_ACTIONS: 'true' },
  )
  const result = await project.apply('--json')
  expect(result.exitCode).toBe(3)
  expect(result.stderr).toMatch(
    /^::error file=assistants\/bad\.yaml,line=2,col=14,title=callyard apply%3A out-of-range::idleTimeout is 3/m,
  )
  expect(JSON.parse(result.stdout)).toMatchObject({ error: { exitCode: 3 } })
  expect(result.stdout).not.toContain('::error')
})

test('in GitHub Actions, what was not done points at its file', async () => {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') }, { GITHUB_ACTIONS: 'true' })
  project.service.next('POST tool/book', {
    status: 422,
    json: { message: 'first\n::error file=x::forged, 100%' },
  })
  const result = await project.apply()
  expect(result.exitCode).toBe(8)
  const commands = result.stderr.split('\n').filter(line => line.trimStart().startsWith('::'))
  expect(commands.filter(line => !line.startsWith('::warning file=tools/a.yaml'))).toEqual([
    expect.stringMatching(
      /^::error file=tools\/book\.yaml,line=1,col=1,title=callyard apply%3A failed::tool\/book failed: /,
    ),
    expect.stringMatching(
      /^::warning file=assistants\/desk\.yaml,.*::assistant\/desk skipped: it needs tool\/book/,
    ),
    expect.stringMatching(
      /^::error title=callyard apply%3A partial::2 of 3 resources are not applied%0Ahint: /,
    ),
  ])
  expect(result.stdout).not.toMatch(/^\s*::/m)
})

test('in GitHub Actions, an error without a file is annotated without one', async () => {
  const project = await testProject(deskFiles, { GITHUB_ACTIONS: 'true', CALLYARD_API_KEY: undefined })
  const { stderr } = await project.apply()
  expect(stderr.match(/^::error .*$/gm)).toEqual([
    expect.stringMatching(/^::error title=callyard apply%3A unauthorized::.*%0Ahint: /),
  ])
})

test('warnings of unused files are annotated too', async () => {
  const project = await testProject({ 'tools/a.yaml': tool('a') }, { GITHUB_ACTIONS: 'true' })
  const { stderr } = await project.run('plan')
  expect(stderr).toMatch(
    /^::warning file=tools\/a\.yaml,title=callyard plan%3A unused::no file refers to tool\/a/m,
  )
})

test('prints a plain line per finished resource without a terminal', async () => {
  const project = await testProject(deskFiles)
  const { stdout, stderr } = await project.apply()
  expect(stderr).toContain('✓ created tool/book (t-book)\n✓ created assistant/desk (a-Desk)\n')
  expect(stdout).toBe('Target default: 2 created.\n')
  expect(stdout + stderr).not.toContain('\u001b')
})

test('hostile text of the service is shown, not obeyed', async () => {
  const project = await testProject(deskFiles)
  project.service.next('POST tool/book', { status: 422, json: { message: 'a\u001b[2J\u202eb' } })
  const { stdout, stderr } = await project.apply()
  expect(unwrapped(stdout)).toContain('a\\x1b[2J\\u202eb')
  expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/)
})

test('--quiet says only how it ended', async () => {
  const project = await testProject(deskFiles)
  expect(await project.apply('--quiet')).toEqual({
    exitCode: 0,
    stdout: 'Target default: 2 created.\n',
    stderr: '',
  })
})
