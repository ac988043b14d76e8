import { expect, test } from 'vitest'
import { type Element, parseXml } from '../../../helpers/parse-xml.ts'
import { deskFiles, testProject, tool, unwrapped } from '../project/test-project.ts'

function casesIn(xml: string): Record<string, string> {
  const [suite] = parseXml(xml).children
  return Object.fromEntries(
    (suite?.children ?? []).map(({ attributes, children }: Element) => [
      attributes.name ?? '',
      children.map(({ name }) => name).join() || 'passed',
    ]),
  )
}

test('--out: done and unchanged resources pass', async () => {
  const project = await testProject(deskFiles)
  await project.apply('--out', 'report.xml')
  const all = { 'tool/book': 'passed', 'assistant/desk': 'passed' }
  expect(casesIn(await project.read('report.xml'))).toEqual(all)
  await project.remove('report.xml')
  await project.run('apply', '--out', 'report.xml')
  expect(casesIn(await project.read('report.xml'))).toEqual(all)
})

test('--out: failures fail, what was skipped is skipped', async () => {
  const project = await testProject({ ...deskFiles, 'tools/a.yaml': tool('a') })
  project.service.next('POST tool/book', { status: 422, json: { message: 'no <b> & "c"' } })
  expect((await project.apply('--out', 'report.xml')).exitCode).toBe(8)
  const xml = await project.read('report.xml')
  expect(casesIn(xml)).toEqual({
    'tool/a': 'system-out',
    'tool/book': 'failure',
    'assistant/desk': 'skipped',
  })
  expect(parseXml(xml).children[0]?.children[1]?.children[0]?.attributes.message).toContain('no <b> & "c"')
})

test('--out: a report that cannot be written hides no result and exits with 8', async () => {
  const project = await testProject(deskFiles)
  const result = await project.apply('--out', 'junit:/dev/full', '--json')
  expect(result.exitCode).toBe(8)
  expect(result.stderr).toContain('error: all is applied, but the report could not be written')
  expect(JSON.parse(result.stdout).done).toHaveLength(2)
})

test.each([
  ['no key', { CALLYARD_API_KEY: undefined }, ['--yes'], 'unauthorized', 'default'],
  ['nobody to ask', {}, [], 'usage', 'default'],
  ['an unknown target', {}, ['--target', 'eu', '--profile', 'none'], 'usage', 'eu'],
  ['an unknown profile', {}, ['--profile', 'eu'], 'usage', 'eu'],
  ['a saved plan for a target', {}, ['--yes', 'plan.json'], 'conflict', 'eu'],
])('--out: an error before the first request is the only case: %s', async (_, env, more, type, name) => {
  const project = await testProject(deskFiles)
  await project.run('plan', '--target', 'eu', '--out', 'plan.json')
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  Object.assign(project.env, env)
  const { stderr } = await project.run('apply', '--out', 'report.xml', ...more)
  const root = parseXml(await project.read('report.xml'))
  expect(root.attributes).toMatchObject({ name: `callyard apply ${name}`, tests: '1', failures: '1' })
  const [, message] = /error: (.*)/.exec(stderr) ?? []
  expect(root.children[0]?.children).toMatchObject([
    {
      attributes: { classname: 'apply', name },
      children: [{ attributes: { type, message }, text: expect.stringContaining(message ?? 'none') }],
    },
  ])
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
