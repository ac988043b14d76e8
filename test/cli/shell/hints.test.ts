import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { leafCommands } from '../../../src/cli/commands/help/command-help.ts'
import { commandHints } from '../../../src/cli/shell/command-hints.ts'
import { type AnyCommand, Flag } from '../../../src/cli/shell/flags/flag.ts'
import { withFindingHints, withHints } from '../../../src/cli/shell/hints.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import { apiHints } from '../../../src/service/api/index.ts'
import { buildTree } from '../commands/help/tree.ts'

const root = await buildTree()
const leaves = leafCommands(root)
const sandboxStart = leaves.find(
  command => command.name() === 'start' && command.parent?.name() === 'sandbox',
)

test('a hint names the flag of a command that has it, and commands as data', () => {
  const error = new CallyardError('unreachable', 'POST failed', { hint: apiHints.allowMoreTime })
  expect(withHints(error, sandboxStart)).toMatchObject({ hint: expect.stringContaining('--timeout 60s') })
  expect(withHints(error, undefined)).toBe(error)
  const rejected = new CallyardError('unauthorized', 'rejected', { hint: apiHints.checkApiKey })
  expect(withHints(rejected, undefined)).toMatchObject({
    hint: 'check which key is used: callyard profile show',
    next: [['profile', 'show']],
  })
  const outcome = { code: undefined, hint: apiHints.checkApiKey, address: 'tool/book' }
  expect(withFindingHints([outcome], undefined)).toEqual([
    { ...outcome, hint: 'check which key is used: callyard profile show' },
  ])
})

test('a hint is given the details of an error and the hint that it replaces', () => {
  const inUse = (isDiskFull: boolean) =>
    new CallyardError('usage', 'cannot use it', { code: 'journal-unusable', details: { isDiskFull } })
  expect(withHints(inUse(false), sandboxStart)).toMatchObject({ hint: expect.stringContaining('--data') })
  expect(withHints(inUse(true), sandboxStart)).toMatchObject({ hint: 'free disk space, then run again' })
  const trigger = leaves.find(command => command.name() === 'trigger')
  const unknown = new CallyardError('usage', 'cal: unknown', {
    code: 'field-unknown',
    hint: 'it has call; to send it anyway, allow unknown fields',
  })
  expect(withHints(unknown, trigger)).toMatchObject({
    hint: 'it has call; to send it anyway, pass --allow-unknown',
  })
})

const atTarget = ['apply', 'plan', 'faq push', 'tool update']
const runningCommand = new Command('apply')
  .option('--target <name>')
  .option('--profile <name>')
  .parse(['--target', 'prod', '--profile', 'work'], { from: 'user' })

test.each(Object.keys(commandHints))('the commands of %j go to the target and profile of the run', key => {
  for (const details of [
    { ...someDetails, inProject: undefined },
    { ...someDetails, target: undefined, outcome: 'done', inProject: { address: 'kb/faq', target: 'prod' } },
    { ...someDetails, applied: { address: 'kb/faq', target: 'prod' } },
  ]) {
    const error = new CallyardError('usage', 'failed', { code: key, details })
    const advised = withHints(error, runningCommand)
    const commands = advised.next.filter(words => atTarget.some(path => words.join(' ').startsWith(path)))
    for (const words of commands) {
      expect(words.join(' ')).toContain('--target prod --profile work')
      expect(advised.hint).toContain(words.slice(-4).join(' '))
    }
    for (const name of atTarget)
      expect(advised.hint?.split(`callyard ${name}`).length ?? 1).toBe(
        commands.filter(words => words.join(' ').startsWith(name)).length + 1,
      )
  }
})

const someDetails = {
  ...{ target: 'prod', recorded: 'other', address: 'kb/faq', holder: 'tool/b', id: 'x1', created: 'x2' },
  ...{
    lockfile: 'callyard.lock.yaml',
    journal: 'journal',
    file: 'tools/a.yaml',
    allowed: [],
    profile: 'work',
  },
  ...{ pushed: 'faq.csv', knowledgeBaseId: 'k1', isNamed: false, alone: true },
  open: [{ address: 'tool/a' }, { address: 'kb/faq', file: 'faq.csv' }],
  ...{ known: [], refused: [{ id: 'e1' }] },
  why: { code: 'fixed-fields', fields: ['server'] },
}

test('each hint is for a code or hint of a room', async () => {
  const keys = new Set(Object.keys(commandHints))
  for (const command of leaves)
    for (let each: AnyCommand | null = command; each !== null; each = each.parent)
      for (const option of each.options)
        if (option instanceof Flag) for (const key of Object.keys(option.hints)) keys.add(key)
  const files = (await readdir('src', { recursive: true })).filter(file => file.endsWith('.ts'))
  const texts = await Promise.all(files.map(file => readFile(join('src', file), 'utf8')))
  // Hints themselves are keys. A sentence may end with a list that is inserted.
  const isThrown = (key: string) => {
    const start = key.includes(' ') ? key.slice(0, 11) : `'${key}'`
    return texts.some(text => text.replaceAll(`'${key}':`, '').includes(start))
  }
  expect([...keys].filter(key => !isThrown(key))).toEqual([])
})
