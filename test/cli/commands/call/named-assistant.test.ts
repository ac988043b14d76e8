import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentOf } from '../../../helpers/folders.ts'
import { knowledgeBaseText } from '../../../helpers/resources.ts'
import {
  appliedProject,
  assistant,
  deskFiles,
  type TestProject,
  testProject,
} from '../project/test-project.ts'

const start = ['call', 'start', '--yes', '--from', '+12025550100', '--to', '+12025550123'] as const
const dryRun = [...start, '--dry-run', '--json'] as const

const applied = (files: Readonly<Record<string, string>> = {}) => appliedProject({ ...deskFiles, ...files })

async function bodyOf(project: TestProject, ...argv: string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await project.run(...dryRun, ...argv)
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  const { userNumber, assistantNumber, ...rest } = JSON.parse(stdout).body
  return rest
}

test.each([
  ['--assistant', 'desk'],
  ['--assistant', 'assistant/desk'],
  ['--assistant', 'a-Desk'],
  ['--assistant', 'a-De'],
  ['--assistant-id', 'desk'],
  ['--assistant-id', 'a-De'],
])('%s %s is the deployed assistant, by its id', async (flag, asked) => {
  const project = await applied()
  expect(await bodyOf(project, flag, asked)).toEqual({ assistantId: 'a-Desk' })
})

test('an id is found without the entries in the lockfile, which a plan reads', async () => {
  const project = await applied({ 'knowledge-bases/faq.yaml': knowledgeBaseText('faq', 3) })
  const lockfile = join(project.folder, 'callyard.lock.yaml')
  const damaged = String(await contentOf(lockfile)).replace(/(?<=entries:\n.*: ).*/, '[5]')
  await project.write('callyard.lock.yaml', damaged)
  for (const argv of [
    ['--assistant', 'desk'],
    ['--assistant-id', 'a-De'],
  ])
    expect(await bodyOf(project, ...argv)).toEqual({ assistantId: 'a-Desk' })
  expect(await project.run('plan')).toMatchObject({
    exitCode: 9,
    stderr: expect.stringMatching(/callyard\.lock\.yaml:\d+:\d+ cannot be used/),
  })
  // A conflict among the entries is found by everybody.
  await project.write('callyard.lock.yaml', damaged.replace(/(?<=entries:\n)/, '<<<<<<< main\n'))
  expect(await project.run(...dryRun, '--assistant', 'desk')).toMatchObject({ exitCode: 9 })
})

test('sends a file inline, even next to a name', async () => {
  const project = await applied()
  const inline = { name: 'Desk', assistantToolIds: ['t-book'] }
  expect(await bodyOf(project, '--assistant', 'assistants/desk.yaml')).toEqual({ assistant: inline })
  await project.write('desk', 'name: A file without extension\n')
  expect(await bodyOf(project, '--assistant', 'desk')).toEqual({
    assistant: { name: 'A file without extension' },
  })
})

test('an id that the lockfile does not have is recognized by its digits', async () => {
  const project = await applied()
  expect(await bodyOf(project, '--assistant', '6650f0c2')).toEqual({ assistantId: '6650f0c2' })
  expect(await bodyOf(project, '--assistant-id', 'anything')).toEqual({ assistantId: 'anything' })
})

test.each([
  ['dsk', 'did you mean desk?'],
  ['desk.yaml', 'did you mean desk?'],
  ['assistants/dsk.yaml', 'did you mean assistants/desk.yaml?'],
  ['assistant/dsk', 'did you mean desk?'],
  ['reception', 'assistants/ has desk; pass an id of the service with --assistant-id'],
])('--assistant %s has a suggestion', async (asked, hint) => {
  const project = await applied()
  const sent = project.service.requestNames.length
  const { exitCode, stderr } = await project.run(...start, '--assistant', asked)
  expect(exitCode).toBe(asked.endsWith('.yaml') ? 3 : 2)
  expect(stderr).toContain(`assistant "${asked}" not found: no such file, and no such name in the project`)
  expect(stderr).toContain(hint)
  expect(project.service.requestNames).toHaveLength(sent)
})

test('an address that is no assistant has no empty hint', async () => {
  const project = await testProject({})
  const { exitCode, stderr } = await project.run(...start, '--assistant-id', 'assistant/desk')
  expect(exitCode).toBe(2)
  expect(stderr).toBe('error: assistant "assistant/desk" not found: no such name in the project\n')
})

test('rejects a missing assistant before the first question', async () => {
  const project = await applied()
  project.type('never asked')
  const { exitCode, stderr } = await project.run('call', 'start', '--assistant', 'dsk')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('did you mean desk?')
})

test('suggests how to deploy or send what was never deployed', async () => {
  const project = await testProject(deskFiles)
  for (const more of [[], ['--follow']]) {
    const { exitCode, stderr } = await project.run(...start, '--assistant', 'desk', ...more)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('callyard.lock.yaml has no assistant/desk at target default')
    expect(stderr).toContain(
      'create it there: callyard apply; or send the file unchanged: --assistant assistants/desk.yaml',
    )
  }
})

test('two assistants are wrong usage', async () => {
  const project = await applied()
  const { exitCode, stderr } = await project.run(...start, '--assistant', 'desk', '--assistant-id', 'a1')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('the assistant desk and the id a1 cannot be used together')
})

test('--follow sends a named assistant’s file inline with the ids of the target', async () => {
  const project = await applied()
  project.service.next('POST assistant/undefined', { status: 422, json: { message: 'no' } })
  await project.run(...start, '--assistant', 'desk', '--follow')
  expect(project.service.requests.at(-1)?.body).toMatchObject({
    assistant: {
      name: 'Desk',
      assistantToolIds: ['t-book'],
      assistantServer: { url: expect.stringContaining('http://127.0.0.1:') },
    },
  })
  expect(project.service.requests.at(-1)?.body).not.toHaveProperty('assistantId')
})

test('--follow of a file that has changed since says which fields, and what to do', async () => {
  const project = await applied()
  const sent = project.service.requestNames.length
  await project.write(
    'assistants/desk.yaml',
    assistant('Desk', [], 'welcomeMessage: Hello\nassistantPredefinedTools: { endCall: true }\n'),
  )
  const { exitCode, stderr, stdout } = await project.run(
    ...[...start, '--assistant', 'desk', '--follow', '--json'],
  )
  expect(exitCode).toBe(9)
  expect(stderr).toContain(
    'assistants/desk.yaml differs from assistant/desk at target default in callyard.lock.yaml: ' +
      'welcomeMessage, assistantPredefinedTools, assistantToolIds; nothing was sent',
  )
  expect(stderr).toContain(
    'apply it first: callyard apply; or send it unchanged: --assistant assistants/desk.yaml',
  )
  expect(JSON.parse(stdout).error.fields).toEqual([
    'welcomeMessage',
    'assistantPredefinedTools',
    'assistantToolIds',
  ])
  expect(project.service.requestNames).toHaveLength(sent)
})

test('the form asks for the assistant: what is deployed, files that are not, and the number’s default', async () => {
  const project = await applied()
  await project.write('assistants/night.yaml', assistant('Night'))
  const answers = ['+1 202 555 0100', '+12025550123']
  project.type(...answers, 'desk')
  const desk = await project.run('call', 'start', '--dry-run')
  expect(desk.stdout).toContain('"assistantId": "a-Desk"')
  project.type(...answers, 'assistants/night.yaml')
  const night = await project.run('call', 'start', '--dry-run')
  expect(night.stdout).toContain('"name": "Night"')
  project.type(...answers, 'the default assistant of the number')
  const { stdout } = await project.run('call', 'start', '--dry-run')
  expect(stdout).not.toContain('"assistant"')
  expect(stdout).not.toContain('assistantId')
})

test('--follow asks for the assistant where a person can be asked', async () => {
  const project = await applied()
  project.type('+12025550100', '+12025550123', 'desk', 'y')
  project.service.next('POST assistant/undefined', { status: 422, json: { message: 'no' } })
  const { exitCode } = await project.run('call', 'start', '--follow')
  expect(exitCode).toBe(5)
  expect(project.service.requests.at(-1)?.body).toMatchObject({ assistant: { name: 'Desk' } })
  project.type('desk', 'y')
  project.service.next('POST assistant/undefined', { status: 422, json: { message: 'no' } })
  expect(await project.run(...start, '--follow')).toMatchObject({ exitCode: 5 })
})

test('without a base URL nothing is asked', async () => {
  const project = await testProject(deskFiles, { CALLYARD_BASE_URL: undefined })
  project.type('never asked')
  const { exitCode, stderr } = await project.run('call', 'start')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('no base URL is set')
})

test('a variable that no text uses is reported: of the file, its tools and its knowledge bases', async () => {
  const project = await applied({
    'tools/book.yaml':
      'type: function\nfunction: { name: book }\nmessages: [{ type: request-start, content: "For {{day}}" }]\n',
    'knowledge-bases/faq.yaml':
      'knowledgeBaseId: kb1\nfaq: [{ question: Where?, answer: "In {{the \\"place\\"}}", id: f1 }]\n',
    'assistants/desk.yaml': assistant(
      'Desk',
      ['book'],
      'welcomeMessage: Hello {{name}}\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["${kb:faq}"]\n',
    ),
  })
  const used = ['--var', 'name=Ada', '--var', 'day=Monday', '--var', 'the "place"=town']
  for (const asked of ['desk', 'assistants/desk.yaml']) {
    const fine = await project.run(...start, '--dry-run', '--assistant', asked, ...used)
    expect(fine.stderr).toBe('Nothing was sent.\n')
    const { exitCode, stderr } = await project.run(
      ...[...start, '--dry-run', '--assistant', asked, '--var', 'nmae=Ada', '--var', 'size=9'],
    )
    expect(exitCode).toBe(0)
    expect(stderr).toContain(
      'warning: --var nmae has no effect: no text in assistants/desk.yaml uses {{nmae}}',
    )
    expect(stderr).toContain('did you mean name?')
    expect(stderr).toContain('they use {{name}}, {{day}}\n')
    expect(stderr).toContain('warning: {{the "place"}} is left to the service')
  }
})

test('of an assistant whose tools exist only at the service reports no variable', async () => {
  const project = await testProject({ 'desk.yaml': 'name: Desk\nassistantToolIds: [t1]\n' })
  const { stderr } = await project.run(...start, '--dry-run', '--assistant', 'desk.yaml', '--var', 'a=1')
  expect(stderr).toBe('Nothing was sent.\n')
})
