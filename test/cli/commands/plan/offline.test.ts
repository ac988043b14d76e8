import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import {
  appliedProject,
  assistant,
  deskFiles,
  everythingIn,
  testProject,
  tool,
  upToDate,
} from '../project/test-project.ts'

const faq = 'knowledgeBaseId: kb1\nfaq: [{ question: A, answer: a }]\n'

test.each([
  [[], [0, 0, 0]],
  [['--json'], [0, 0, 0]],
  [['--exit-code'], [7, 0, 7]],
  [
    ['--target', 'other', '--new-target', '--exit-code'],
    [7, 7, 7],
  ],
])(
  'plan %j sends nothing and writes nothing: new, unchanged and changed projects end with %j',
  async (more, [fresh, unchanged, changed]) => {
    const config = await temporaryFolder()
    const project = await testProject(
      { ...deskFiles, 'knowledge-bases/faq.yaml': faq },
      { CALLYARD_CONFIG_DIR: config },
    )
    // A plan without changes is remembered in callyard's own folder.
    const folders = async () => [
      Object.entries(await everythingIn(project.folder)).filter(([name]) => !name.startsWith('.callyard')),
      await everythingIn(config),
    ]
    const planned = async (exitCode: number | undefined) => {
      const [before, asked] = [await folders(), project.service.requestNames.length]
      expect((await project.run('plan', ...more)).exitCode).toBe(exitCode)
      expect(await folders()).toEqual(before)
      expect(project.service.requestNames).toHaveLength(asked)
    }
    await planned(fresh)
    await project.apply()
    await planned(unchanged)
    await project.write('tools/book.yaml', tool('book', 'async: true\n'))
    await project.write('assistants/desk.yaml', assistant('Desk', [], 'idleTimeout: 20\n'))
    await project.write('knowledge-bases/faq.yaml', faq.replace('answer: a', 'answer: b'))
    await project.remove('assistants/desk.yaml')
    await planned(changed)
  },
)

test('needs neither key nor base URL', async () => {
  const none = { CALLYARD_API_KEY: undefined, CALLYARD_BASE_URL: undefined }
  const project = await testProject(deskFiles, none)
  const result = await project.run('plan')
  expect(result).toEqual({
    exitCode: 0,
    stdout: [
      'Plan for target default',
      '',
      '+ tool/book  tools/book.yaml',
      '+ assistant/desk  assistants/desk.yaml',
      '',
      'Plan: 2 to create.',
      '',
    ].join('\n'),
    stderr: '',
  })
})

test('without a base URL it still compares with what the target holds', async () => {
  const project = await appliedProject()
  project.env.CALLYARD_BASE_URL = undefined
  project.env.CALLYARD_API_KEY = undefined
  expect((await project.run('plan')).stdout).toMatch(upToDate('2 resources'))
})

test('outside of a project: 2 with a hint', async () => {
  const cli = await testCli({ 'tools/book.yaml': tool('book') })
  for (const command of ['plan', 'apply']) {
    const result = await cli.run(command)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain('no callyard.yaml in this folder or a parent folder')
    expect(result.stderr).toContain('hint: change into a project folder, or create one: callyard init')
  }
})

test('an empty project is up to date', async () => {
  const project = await testProject({})
  expect(await project.run('plan', '--exit-code')).toMatchObject({
    exitCode: 0,
    stdout: 'Up to date: no resources of target default.\n',
  })
})

test('--exit-code: 7 while changes pend, 0 when none do; without it, 0', async () => {
  const project = await testProject(deskFiles)
  const pending = await project.run('plan', '--exit-code')
  expect(pending.exitCode).toBe(7)
  expect(pending.stdout).toContain('Plan: 2 to create.')
  expect(pending.stderr).toBe('error: changes are pending for 2 resources\nhint: callyard apply\n')
  const other = await project.run('plan', '--exit-code', '--target', 'eu')
  expect(other.stderr).toContain('hint: callyard apply --target eu\n')
  expect((await project.run('plan')).exitCode).toBe(0)
  await project.apply()
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('exits with 8 for blocked resources, with and without --exit-code, but not for orphaned ones', async () => {
  const project = await appliedProject()
  await project.write('assistants/desk.yaml', assistant('Desk', ['book'], 'idleTimeout: 20\n'))
  await project.write('tools/new.yaml', tool('new'))
  for (const flags of [[], ['--exit-code'], ['--json']]) {
    const blocked = await project.run('plan', ...flags)
    expect(blocked.exitCode).toBe(8)
    expect(blocked.stdout).toContain('assistant/desk')
    expect(blocked.stderr).toContain('assistant/desk is blocked')
  }
  await project.remove('tools/new.yaml')
  await project.remove('assistants/desk.yaml')
  const orphaned = await project.run('plan', '--exit-code')
  expect(orphaned.exitCode).toBe(0)
  expect(orphaned.stdout).toContain('? assistant/desk')
})

test('--json is one document with everything, pending or not', async () => {
  const project = await appliedProject({ ...deskFiles, 'knowledge-bases/faq.yaml': faq })
  await project.write('tools/book.yaml', tool('book', 'async: true\n'))
  await project.write('tools/new.yaml', tool('new'))
  await project.write('assistants/desk.yaml', assistant('Desk', ['book', 'new']))
  const { stdout, exitCode } = await project.run('plan', '--json', '--exit-code')
  expect(exitCode).toBe(8)
  expect(JSON.parse(stdout)).toEqual({
    target: 'default',
    baseUrl: `${project.service.baseUrl}/`,
    lastApply: { serial: 1, at: expect.any(String), by: expect.any(String) },
    access: { variables: [], files: [], outsideFiles: [], commands: [], hosts: [] },
    actions: [
      {
        address: 'tool/book',
        action: 'update',
        file: 'tools/book.yaml',
        id: 't-book',
        changes: [{ path: ['async'], kind: 'added', after: true, notes: [] }],
        needs: [],
      },
      { address: 'tool/new', action: 'create', file: 'tools/new.yaml', changes: [], needs: [] },
      {
        address: 'kb/faq',
        action: 'unchanged',
        file: 'knowledge-bases/faq.yaml',
        changes: [],
        entries: [],
        unchangedEntries: 1,
        needs: [],
      },
      {
        address: 'assistant/desk',
        action: 'blocked',
        file: 'assistants/desk.yaml',
        id: 'a-Desk',
        changes: [
          {
            path: ['assistantToolIds'],
            kind: 'changed',
            before: ['${tool:book}'],
            after: ['${tool:book}', '${tool:new}'],
            notes: [],
          },
        ],
        code: 'no-assistant-update',
        reason: 'the interface cannot update assistants',
        choices: [
          {
            code: 'replace-assistants',
            id: 'a-Desk',
            hint: expect.stringContaining('assistants: replace'),
          },
          { code: 'declare-endpoint', method: 'PATCH', hint: expect.stringContaining('endpoints:') },
        ],
        needs: ['tool/book', 'tool/new'],
      },
    ],
  })
})
