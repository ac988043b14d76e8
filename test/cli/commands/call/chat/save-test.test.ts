import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readChatLine } from '../../../../../src/cli/commands/call/chat/lines.ts'
import { starterProject } from '../../../../../src/cli/commands/starter-project.ts'
import { testCli } from '../../../../helpers/test-cli.ts'

const chat = async (input: string, files: Readonly<Record<string, string>> = {}) => {
  const cli = await testCli({ ...starterProject(), ...files })
  const result = await cli.runWith({ input }, 'call', 'chat', 'front-desk', '--var', 'name=Ada', '--json')
  return { cli, ...result }
}

test('/save-test writes the call so far, and the whole call after its end: both pass', async () => {
  const lines = [
    'When are you open?',
    '/say-nothing 25',
    '/save-test hours',
    'Book me in for Friday',
    '/interrupt Wait',
    'Goodbye',
    '/save-test made/whole',
  ]
  const { cli, exitCode, stdout } = await chat(`${lines.join('\n')}\n`)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('{"kind":"test-saved","file":"tests/hours.test.yaml","turns":3,"expectations":4}')
  expect(await cli.read('tests/hours.test.yaml')).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/schemas\/test\.schema\.json\n/,
  )
  expect(await cli.read('tests/made/whole.test.yaml')).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/\.\.\/schemas\//,
  )
  expect(parse(await cli.read('tests/hours.test.yaml'))).toMatchObject({
    assistant: 'front-desk',
    variables: { name: 'Ada' },
    turns: [
      { expect: { says: 'AI front desk of Spoke and Chain' } },
      { user: 'When are you open?', expect: { says: 'open Monday to Friday from nine to six' } },
      { user: '/say-nothing 25', expect: { says: 'Are you still there' } },
    ],
  })
  const whole = parse(await cli.read('tests/made/whole.test.yaml'))
  expect(whole.turns.map(({ user }: { user?: string }) => user)).toEqual([
    ...[
      undefined,
      'When are you open?',
      '/say-nothing 25',
      'Book me in for Friday',
      '/interrupt Wait',
      'Goodbye',
    ],
  ])
  expect(whole.turns[3].expect.calls).toEqual({ 'book-appointment': { day: '2026-01-02' } })
  expect(whole.turns[5].expect.ends).toBe('assistant')
  expect(await cli.run('test', 'tests/hours.test.yaml', 'tests/made')).toMatchObject({ exitCode: 0 })
})

test('reports that an existing test is not replaced', async () => {
  const { cli, exitCode } = await chat('Hello\n/save-test hours\n', { 'tests/hours.test.yaml': '# mine\n' })
  expect(exitCode).toBe(2)
  expect(await cli.read('tests/hours.test.yaml')).toBe('# mine\n')
})

test('outside a project, a test has no folder', async () => {
  const cli = await testCli({ 'desk.yaml': 'name: Desk\n' })
  const input = 'Hello\n/save-test x\n'
  const { exitCode, stderr } = await cli.runWith({ input }, 'call', 'chat', 'desk.yaml')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('not in a project')
})

test.each(['/save-test', '/save-test ../x', '/save-test a b', '/save-test /etc/x', '/save-test .x'])(
  '%s is not a valid name for a test',
  line => {
    expect(readChatLine(line)).toMatchObject({ kind: 'problem' })
  },
)

test('accepts a given file extension', () => {
  expect(readChatLine('/save-test a/b.test.yaml')).toEqual({ kind: 'save-test', name: 'a/b' })
})
