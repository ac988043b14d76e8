import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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
