import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from 'sarif'
import { describe, expect, test } from 'vitest'
import { type Element, parseXml } from '../../../helpers/parse-xml.ts'
import { expectJunit, parseSarif } from '../../../helpers/report-schemas.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import {
  appliedProject,
  assistant,
  deskFiles,
  type TestProject,
  testProject,
  tool,
} from '../../commands/project/test-project.ts'

const both = ['--out', 'report.xml', '--out', 'report.sarif']

/** Both reports, as their readers take them. */
async function reportsOf({ read, folder }: Pick<TestCli, 'read' | 'folder'>) {
  const [xml, sarif] = [await read('report.xml'), await read('report.sarif')]
  await expectJunit(xml)
  // Nothing tells where the files lie on this machine.
  expect(xml + sarif).not.toContain(folder)
  const root = parseXml(xml)
  const [run] = parseSarif(sarif).runs
  const cases: readonly Element[] = root.children[0]?.children ?? []
  return { root, cases, run, results: run?.results ?? [] }
}

function placeOf({ ruleId, level, locations = [] }: Result): string {
  const { artifactLocation, region } = locations[0]?.physicalLocation ?? {}
  return `${artifactLocation?.uri}:${region?.startLine}:${region?.startColumn} ${level} ${ruleId}`
}

function verdicts(cases: readonly Element[]): Record<string, string> {
  return Object.fromEntries(
    cases.map(({ attributes, children }) => [
      attributes.name ?? '',
      children.map(({ name }) => name).join() || 'passed',
    ]),
  )
}

const bad = { ...deskFiles, 'assistants/bad.yaml': assistant('Bad', [], 'idleTimeout: 3\n') }

describe('validate', () => {
  test('reports each file with its time, even with findings', async () => {
    const cli = await testCli({ 'callyard.yaml': '', ...bad, 'tools/old.yaml': tool('old') })
    expect((await cli.run('validate', '.', ...both)).exitCode).toBe(3)
    const { cases, results, run } = await reportsOf(cli)
    expect(verdicts(cases)).toEqual({
      'assistants/bad.yaml': 'failure',
      'assistants/desk.yaml': 'passed',
      'callyard.yaml': 'passed',
      'tools/book.yaml': 'passed',
      'tools/old.yaml': 'passed',
    })
    for (const { attributes } of cases) expect(attributes.time).toMatch(/^\d+\.\d{3}$/)
    expect(cases[0]).toMatchObject({
      attributes: { classname: 'assistant' },
      children: [{ attributes: { type: 'out-of-range' } }],
    })
    expect(results.map(placeOf)).toEqual(['assistants/bad.yaml:2:14 error out-of-range'])
    expect(run).toMatchObject({
      automationDetails: { id: 'callyard/validate/' },
      invocations: [{ executionSuccessful: true }],
    })
  })

  test('prints warnings of a valid project and exits with 0', async () => {
    const cli = await testCli({ 'callyard.yaml': '', ...deskFiles, 'tools/old.yaml': tool('old') })
    expect((await cli.run('validate', '.', ...both)).exitCode).toBe(0)
    const { cases, results } = await reportsOf(cli)
    expect(verdicts(cases)).toMatchObject({ 'tools/old.yaml': 'system-out', 'tools/book.yaml': 'passed' })
    expect(results.map(placeOf)).toEqual(['tools/old.yaml:1:1 warning unused'])
  })

  test('reports non-files, a broken callyard.yaml, and unused arguments', async () => {
    const cli = await testCli({ 'callyard.yaml': 'asistants: replace\n', 'tools/book.yaml': tool('book') })
    expect((await cli.run('validate', 'tools', ...both)).exitCode).toBe(3)
    expect((await reportsOf(cli)).results.map(placeOf)).toEqual(['callyard.yaml:1:1 error unknown-key'])
    const other = await testCli()
    expect((await other.run('validate', 'none.yaml', 'no/*.yaml', ...both)).exitCode).toBe(3)
    const { cases, results } = await reportsOf(other)
    expect(verdicts(cases)).toEqual({ 'none.yaml': 'failure', 'no/*.yaml': 'failure' })
    expect(results.map(({ ruleId }) => ruleId)).toEqual(['missing-file', 'no-files'])
  })

  test('shows files relative to the repository, and files outside it without their folder', async () => {
    const cli = await testCli({
      'desk/assistants/bad.yaml': bad['assistants/bad.yaml'],
      'tools/t.yaml': 'type: function\nasink: 1\n',
    })
    await mkdir(join(cli.folder, 'desk/.git'))
    const run = (env: Record<string, string>) =>
      cli.runWith({ cwd: join(cli.folder, 'desk'), env }, 'validate', 'assistants', '../tools', ...both)
    const placesOf = async () =>
      (await reportsOf({ ...cli, read: file => cli.read(join('desk', file)) })).results.map(placeOf)
    await run({})
    expect(await placesOf()).toEqual([
      'assistants/bad.yaml:2:14 error out-of-range',
      't.yaml:2:1 error unknown-key',
    ])
    for (const name of ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR']) {
      await run({ [name]: cli.folder })
      expect(await placesOf()).toEqual([
        'desk/assistants/bad.yaml:2:14 error out-of-range',
        'tools/t.yaml:2:1 error unknown-key',
      ])
    }
    await run({ GITHUB_WORKSPACE: '/elsewhere' })
    expect((await placesOf())[0]).toBe('assistants/bad.yaml:2:14 error out-of-range')
  })

  test.each([
    ['tools/book.yaml', 'a resource'],
    ['tools/new.json', 'what would be a resource'],
    ['callyard.yaml', 'the settings'],
    ['callyard.lock.yaml', 'the lockfile'],
    ['other.yaml', 'a file that is checked'],
  ])('writes over no input: %s', async file => {
    const files = { 'callyard.yaml': '', ...deskFiles, 'other.yaml': tool('other') }
    const cli = await testCli(files)
    const argv = file === 'other.yaml' ? ['other.yaml', '--kind', 'tool'] : ['.']
    const result = await cli.run('validate', ...argv, '--out', `sarif:${file}`, '--out', 'report.xml')
    expect(result.exitCode).toBe(2)
    expect(result.stderr).toContain(`--out ${file} would overwrite`)
    expect(await readdir(cli.folder)).not.toContain('report.xml')
    if (file in files)
      expect(await cli.read(file)).toBe(Object.entries(files).find(([name]) => name === file)?.[1])
  })
})

describe('plan', () => {
  test('changes that are pending pass, also where they end it with 7', async () => {
    const project = await testProject(deskFiles)
    expect((await project.run('plan', '--exit-code', ...both)).exitCode).toBe(7)
    const { root, cases, results, run } = await reportsOf(project)
    expect(root.attributes.name).toBe('callyard plan default')
    expect(verdicts(cases)).toEqual({ 'tool/book': 'passed', 'assistant/desk': 'passed' })
    for (const { attributes } of cases) expect(attributes.time).toMatch(/^\d+\.\d{3}$/)
    expect(results).toEqual([])
    expect(run?.automationDetails?.id).toBe('callyard/plan/default/')
  })

  test('exits with 8 for blocked resources with the choices at their files', async () => {
    const project = await blockedProject()
    expect((await project.run('plan', ...both)).exitCode).toBe(8)
    const { cases, results } = await reportsOf(project)
    expect(verdicts(cases)).toEqual({ 'tool/book': 'passed', 'assistant/desk': 'failure' })
    expect(results.map(placeOf)).toEqual(['assistants/desk.yaml:1:1 error blocked'])
    expect(results[0]?.message.text).toContain('\nhint: ')
  })

  test('exits with 3 for invalid input; anything else is a failure of the command', async () => {
    const project = await testProject(bad)
    expect((await project.run('plan', ...both)).exitCode).toBe(3)
    const invalid = await reportsOf(project)
    expect(verdicts(invalid.cases)).toEqual({ 'assistants/bad.yaml': 'failure' })
    expect(invalid.results.map(placeOf)).toEqual(['assistants/bad.yaml:2:14 error out-of-range'])
    expect((await project.run('plan', '--profile', 'none', ...both)).exitCode).toBe(3)
    await project.remove('assistants/bad.yaml')
    expect((await project.run('plan', '--profile', 'none', ...both)).exitCode).toBe(2)
    const failed = await reportsOf(project)
    expect(verdicts(failed.cases)).toEqual({ none: 'failure' })
    expect(failed.run?.invocations).toMatchObject([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          { descriptor: { id: 'usage' }, message: { text: expect.stringContaining('none') } },
        ],
      },
    ])
  })
})

test.each([
  [['validate', '.'], 0],
  [['plan'], 0],
  [['apply', '--yes'], 0],
])('%s writes the same report whether or not it exists, and leaves no other file', async (argv, exitCode) => {
  const project = await testProject(deskFiles)
  const junit = ['--out', 'out/report.xml']
  await mkdir(join(project.folder, 'out'))
  const first = await project.run(...argv, ...junit)
  expect(first).toMatchObject({ exitCode })
  await chmod(join(project.folder, 'out/report.xml'), 0o666)
  await symlink('report.xml', join(project.folder, 'out/link.xml'))
  expect(await project.run(...argv, '--out', 'out/link.xml')).toMatchObject({ exitCode })
  expect((await readdir(join(project.folder, 'out'))).toSorted()).toEqual(['link.xml', 'report.xml'])
  expect((await stat(join(project.folder, 'out/report.xml'))).mode & 0o777).toBe(0o666)
  await expectJunit(await project.read('out/report.xml'))
})

test('a report that cannot be written hides no findings and exits with 8 if there are none', async () => {
  const project = await testProject(deskFiles)
  for (const argv of [['validate', '.'], ['plan']]) {
    const result = await project.run(...argv, '--out', 'sarif:/dev/full')
    expect(result.exitCode).toBe(8)
    expect(result.stderr).toContain('warning: cannot write /dev/full')
    expect(result.stderr).toContain(', but the report could not be written')
  }
  await project.write('tools/book.yaml', 'type: none\n')
  for (const argv of [['validate', '.'], ['plan']])
    expect((await project.run(...argv, '--out', 'junit:/dev/full')).exitCode).toBe(3)
})

test.each([
  ['validate', ['validate', '.', '--out', 'x.xml', '--out', 'sarif:./x.xml']],
  ['plan', ['plan', '--out', 'junit:./x.xml', '--out', 'json:x.xml']],
])('%s writes no two things into one file', async (_, argv) => {
  const project = await testProject(deskFiles)
  const result = await project.run(...argv)
  expect(result.exitCode).toBe(2)
  expect(result.stderr).toMatch(/--out \S*x\.xml and --out \S*x\.xml are the same file/)
  expect(await project.exists('x.xml')).toBe(false)
})

test('no report contains values from the environment', async () => {
  const value = 'canary-4711-value'
  const references = Object.fromEntries(
    ['name', 'assistantLLMUrl', 'assistantProvider', 'idleTimeout', 'asink'].map(field => [
      field,
      '${env:CANARY}',
    ]),
  )
  const project = await testProject(
    {
      'assistants/bad.json': JSON.stringify(references),
      'tools/t.yaml': `type: \${env:CANARY}\nserver: { url: "x \${env:CANARY}" }\nfunction: { name: "\${env:CANARY}" }\n`,
      'knowledge-bases/k.yaml':
        'knowledgeBaseId: ${env:CANARY}\nfaq:\n  - { question: "${env:CANARY}", answer: a }\n  - { question: "${env:CANARY}", answer: b }\n',
    },
    { CANARY: value },
  )
  const reports = async () => (await project.read('report.xml')) + (await project.read('report.sarif'))
  for (const argv of [['validate', '.'], ['plan']]) {
    expect((await project.run(...argv, ...both)).exitCode).toBe(3)
    expect(await reports()).toContain('assistants/bad.json')
    expect(await reports()).not.toContain(value)
  }
  await project.remove('assistants/bad.json')
  await project.remove('knowledge-bases/k.yaml')
  await project.write('tools/t.yaml', 'type: function\nfunction: { name: "${env:CANARY}" }\n')
  project.service.next(`POST tool/${value}`, { status: 422, json: { message: `${value} is taken` } })
  expect((await project.apply('--out', 'report.xml')).exitCode).toBe(5)
  expect(await project.read('report.xml')).toContain('is taken')
  expect(await project.read('report.xml')).not.toContain(value)
})

async function blockedProject(): Promise<TestProject> {
  const project = await appliedProject()
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  return project
}
