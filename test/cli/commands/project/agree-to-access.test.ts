import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'
import { testProject } from './test-project.ts'

const hooked = (host: string) =>
  `name: Desk\nassistantServer: { url: "https://${host}/\${env:HOOK_TOKEN}" }\n`
const question = /uses, for the first time on this machine:/

/** A project whose assistant names a host and a variable. */
const desk = async () => {
  const project = await testProject(
    { 'assistants/desk.yaml': hooked('hooks.acme.io') },
    { HOOK_TOKEN: 's3cret', T: 'tool' },
  )
  const applyWith = (...answers: string[]) => {
    project.type(...answers)
    return project.run('apply')
  }
  return { ...project, applyWith }
}

describe('the first time a project reads a variable or refers to a host', () => {
  test('apply lists them on a terminal and asks; a no sends nothing', async () => {
    const project = await desk()
    const result = await project.applyWith('n')
    expect(result).toMatchObject({ exitCode: 130, stdout: '' })
    expect(result.stderr).toMatch(question)
    expect(result.stderr).toContain(project.folder)
    expect(result.stderr).toMatch(/environment +HOOK_TOKEN\n +hosts +hooks\.acme\.io\n/)
    expect(result.stderr).toContain('Cancelled; nothing was sent')
    expect(result.stderr).not.toContain('s3cret')
    expect(project.service.requests).toEqual([])
    expect((await project.applyWith('n')).stderr).toMatch(question)
  })

  test('a yes is kept, and not asked for again', async () => {
    const project = await desk()
    expect(await project.applyWith('y', 'n')).toMatchObject({ exitCode: 130 })
    const again = await project.applyWith('n')
    expect(again.stderr).not.toMatch(question)
    expect(again.stderr).toContain('Cancelled')
  })

  test.each([
    ['a new host', 'assistants/desk.yaml', hooked('other.acme.io'), 'other.acme.io', 'HOOK_TOKEN'],
    [
      'a new variable',
      'tools/t.yaml',
      'type: function\nfunction: { name: "${env:T:-t}" }\n',
      'T',
      'hooks.acme.io',
    ],
    [
      'a new included file',
      'tools/t.yaml',
      'type: function\nfunction: { name: "${file:../t.txt}" }\n',
      't.txt',
      'hooks.acme.io',
    ],
  ])('%s is asked for, and nothing else', async (_, file, content, asked, known) => {
    const project = await desk()
    await project.applyWith('y', 'n')
    await project.write('t.txt', 't')
    await project.write(file, content)
    const { stderr } = await project.applyWith('n')
    const [, list = ''] = stderr.split(question)
    expect(list).toMatch(new RegExp(` ${asked}\n`))
    expect(list).not.toContain(known)
  })

  test('keeps the consent for what is removed and added again', async () => {
    const project = await desk()
    await project.applyWith('y', 'n')
    await project.write('assistants/desk.yaml', 'name: Desk\n')
    await project.applyWith('n')
    await project.write('assistants/desk.yaml', hooked('hooks.acme.io'))
    expect((await project.applyWith('n')).stderr).not.toMatch(question)
  })

  test('with --no-input, as without a terminal, variables and hosts need no confirmation', async () => {
    const project = await desk()
    const argv = ['assistant', 'create', 'assistants/desk.yaml', '--no-input']
    for (const terminal of [true, false])
      expect((await project.runWith({ terminal }, ...argv)).stderr).not.toMatch(/--yes|for the first time/)
  })

  test.each([[['--yes']], [['--yes', '--json']], [['--yes', '--no-input']]])(
    '%j is not asked',
    async argv => {
      const project = await desk()
      project.type('unasked')
      const { exitCode, stderr } = await project.run('apply', ...argv)
      expect({ exitCode, asked: question.test(stderr) }).toEqual({ exitCode: 0, asked: false })
    },
  )

  test('a script is not asked', async () => {
    const project = await desk()
    const { exitCode, stderr } = await project.run('assistant', 'create', 'assistants/desk.yaml')
    expect({ exitCode, asked: question.test(stderr) }).toEqual({ exitCode: 0, asked: false })
  })
})

test('hosts of this machine and example hosts need no question', async () => {
  const project = await testProject({
    'assistants/a.yaml': 'name: A\nassistantServer: { url: "http://127.0.0.1:4011/" }\n',
    'assistants/b.yaml': 'name: B\nassistantServer: { url: "https://hooks.example.com/" }\n',
  })
  project.type('y')
  const result = await project.run('apply')
  expect(result.stderr).not.toMatch(question)
  expect(result.exitCode).toBe(0)
})

const single = {
  'elsewhere/a.yaml': hooked('hooks.acme.io'),
  'elsewhere/t.yaml': 'type: function\nserver: { url: https://tools.acme.io/ }\n',
  'elsewhere/change.yaml': 'server: { url: https://tools.acme.io/ }\n',
  'elsewhere/kb.yaml': 'knowledgeBaseId: k1\nfaq: [{ question: "${env:HOOK_TOKEN}", answer: A }]\n',
  'elsewhere/over.yaml': 'welcomeMessage: "${env:HOOK_TOKEN}"\n',
}
const numbers = ['--from', '+12025550100', '--to', '+12025550123']

test.each([
  [['assistant', 'create', 'elsewhere/a.yaml'], 'hooks.acme.io'],
  [['tool', 'create', 'elsewhere/t.yaml'], 'tools.acme.io'],
  [['tool', 'update', 't1', 'elsewhere/change.yaml'], 'tools.acme.io'],
  [['faq', 'push', 'elsewhere/kb.yaml'], 'HOOK_TOKEN'],
  [['call', 'start', ...numbers, '--assistant', 'elsewhere/a.yaml'], 'hooks.acme.io'],
  [['call', 'start', ...numbers, '--overrides', 'elsewhere/over.yaml'], 'HOOK_TOKEN'],
  [
    ['call', 'connect', '--phone-number-id', 'p1', '--to', '+12025550123', '--assistant', 'elsewhere/a.yaml'],
    'hooks.acme.io',
  ],
  [['call', 'chat', 'elsewhere/a.yaml'], 'hooks.acme.io'],
])('%j asks for a file outside of a project too, and not with --yes', async (argv, listed) => {
  const cli = await testCli(single, { env: { HOOK_TOKEN: 's3cret' } })
  cli.type('n')
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 130, stdout: '' })
  expect(result.stderr).toMatch(question)
  expect(result.stderr).toContain(listed)
  expect(result.stderr).toContain(join(cli.folder, 'elsewhere'))
  expect(cli.requests).toEqual([])
  cli.type('unasked')
  expect((await cli.run(...argv, '--yes')).stderr).not.toMatch(question)
})

test.each([
  [['validate', 'elsewhere/t.yaml', '--kind', 'tool']],
  [['call', 'start', ...numbers, '--assistant', 'elsewhere/a.yaml', '--dry-run']],
  [['faq', 'push', 'elsewhere/kb.yaml', '--dry-run']],
])('%j sends nothing, and does not ask', async argv => {
  const cli = await testCli(single, { env: { HOOK_TOKEN: 's3cret' } })
  cli.type('unasked')
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 0 })
  expect(result.stderr).not.toMatch(question)
})

test('lists the hosts of callyard.yaml’s base URL and profile', async () => {
  const env: Record<string, string | undefined> = { CALLYARD_BASE_URL: undefined }
  const cli = await testCli(
    { 'callyard.yaml': 'profile: theirs\n', 'tools/t.yaml': 'type: function\n' },
    { env },
  )
  const added = await cli.runWith(
    { input: 'key-of-theirs' },
    ...['profile', 'add', 'theirs', '--base-url', 'https://calls.acme.io', '--api-key-stdin'],
  )
  expect(added.exitCode).toBe(0)
  cli.type('n')
  const { exitCode, stderr } = await cli.run('tool', 'create', 'tools/t.yaml')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 130,
    stderr: expect.stringMatching(/hosts +calls\.acme\.io/),
  })
  const plan = await cli.run('plan', '--json')
  expect(JSON.parse(plan.stdout).access).toEqual({
    variables: [],
    files: [],
    outsideFiles: [],
    commands: [],
    hosts: ['calls.acme.io'],
  })
})

test('keeps consents in their owner’s file, and asks again if it is damaged', async () => {
  const config = (await testCli()).folder
  const project = await testProject(
    { 'assistants/desk.yaml': hooked('hooks.acme.io') },
    { HOOK_TOKEN: 's3cret', CALLYARD_CONFIG_DIR: config },
  )
  project.type('y', 'n')
  await project.run('apply')
  const [name = ''] = await readdir(join(config, 'agreed'))
  const file = join(config, 'agreed', name)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).not.toContain('s3cret')
  await writeFile(file, '{')
  project.type('n')
  expect((await project.run('apply')).stderr).toMatch(question)
})
