import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { expect, onTestFinished, test } from 'vitest'
import { openExec } from '../../../../src/cli/commands/webhook/open-handlers.ts'
import { type TailFlags, withTailFlags } from '../../../../src/cli/commands/webhook/tail-flags.ts'
import type { MessageChange } from '../../../../src/events/conversation/index.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { testContext } from '../../../helpers/test-context.ts'

const patience = 20_000
const message: MessageChange = {
  kind: 'message',
  callId: 'CC-1',
  messageId: 'm-1',
  role: 'user',
  text: 'Hello \u202e\x7f',
  timestamp: undefined,
}

function parse(...argv: string[]): TailFlags {
  const command = withTailFlags(new Command().exitOverride().configureOutput({ writeErr: () => undefined }))
  return command.parse(argv, { from: 'user' }).opts()
}

async function start(
  script: string,
  { json = false, flags = [] }: { json?: boolean; flags?: string[] } = {},
) {
  const cwd = await temporaryFolder({ 'take.mjs': script })
  const context = testContext({ json, cwd })
  const exec = await openExec(parse('--exec', `${process.execPath} take.mjs`, ...flags), context)
  if (exec === undefined) throw new Error('--exec was given')
  onTestFinished(async () => void (await exec.close(0)))
  return { exec, context, cwd }
}

test('a program reads the line that --json prints', async () => {
  const { exec, context, cwd } = await start(`
import { writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
writeFileSync('read', await buffer(process.stdin))
`)
  exec.run(message)
  await exec.close(patience)
  const line = await readFile(join(cwd, 'read'), 'utf8')
  const json = testContext({ json: true })
  json.output.event(message, () => undefined)
  expect(line).toBe(json.written.stdout)
  expect(line).toContain('\\u202e')
  expect(context.written).toEqual({ stdout: '', stderr: '' })
})

test('shows its output on stderr, escaped', async () => {
  const { exec, context } = await start('console.log("\\x1b[2Jone"); console.error("two\\u202e")')
  exec.run(message)
  await exec.close(patience)
  expect(context.written.stdout).toBe('')
  expect(context.written.stderr.trimEnd().split('\n').toSorted()).toEqual([
    'exec  \\x1b[2Jone',
    'exec  two\\u202e',
  ])
})

test('its failure is reported with the message; with --json on stdout too', async () => {
  const { exec, context } = await start('console.error("no\\x07table\\nat all"); process.exit(3)', {
    json: true,
  })
  exec.run(message)
  expect(await exec.close(patience)).toMatchObject({ failed: 1 })
  expect(context.written.stderr).toContain(
    'warning: --exec failed for message m-1 of call CC-1: exit code 3\n  no\\x07table\n  at all\n',
  )
  expect(JSON.parse(context.written.stdout)).toEqual({
    kind: 'exec-failed',
    callId: 'CC-1',
    messageId: 'm-1',
    reason: 'exit code 3',
    stderr: 'no\x07table\nat all',
  })
})

test('no foreign text starts a line of stderr', async () => {
  const { exec, context } = await start('console.error("x\\nerror: forged\\rerror: forged"); process.exit(3)')
  const forged = '1\nerror: forged\terror: forged'
  exec.run({ ...message, callId: forged, messageId: forged })
  await exec.close(patience)
  expect(context.written.stderr).toContain('forged')
  expect(context.written.stderr).not.toMatch(/^error/m)
  expect(context.written.stderr).toContain(
    'for message 1\\nerror: forged\\terror: forged of call 1\\nerror:: exit code 3\n',
  )
})

test('lists more than twenty failures of a kind only with --json', async () => {
  const context = testContext({ json: true })
  const exec = await openExec(parse('--exec', 'exit 3'), context)
  for (let id = 1; id <= 25; id++) exec?.run({ ...message, messageId: String(id) })
  expect(await exec?.close(patience)).toMatchObject({ failed: 25 })
  const told = jsonLines(context.written.stdout)
  expect(told.map(({ messageId }) => messageId)).toEqual(
    Array.from({ length: 25 }, (_, index) => String(index + 1)),
  )
  expect(context.written.stderr.match(/--exec failed for/g)).toHaveLength(20)
  expect(context.written.stderr).toContain(
    'warning: further failures of --exec with exit code 3 are only counted\n  to see each one, pass --json\n',
  )
})

test('reports a program that is behind', async () => {
  const { exec, context } = await start('setInterval(() => {}, 1000)')
  for (let id = 1; id <= 10_001; id++) exec.run(message)
  expect(context.written).toEqual({
    stdout: '',
    stderr:
      'warning: --exec is behind: 10000 messages are waiting; new ones are skipped until it has caught up\n',
  })
})

test('the flags are those of a program', async () => {
  expect(parse('--exec', 'take', '--exec-concurrency', '8', '--exec-timeout', '2m')).toMatchObject({
    exec: 'take',
    execConcurrency: 8,
    execTimeout: 120_000,
  })
  expect(await openExec(parse(), testContext())).toBeUndefined()
  for (const flags of [
    ['--exec-concurrency', '2'],
    ['--exec-timeout', '1s'],
  ]) {
    const cli = await testCli()
    const { exitCode, stderr } = await cli.run('webhook', 'tail', '--port', '0', ...flags)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`${flags[0]} requires --exec`)
  }
  expect(() => parse('--exec', ' ')).toThrow(/empty/)
  expect(() => parse('--exec-concurrency', '0')).toThrow(/whole number from 1 to 64/)
})
