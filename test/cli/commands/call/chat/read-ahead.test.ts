import { expect, test } from 'vitest'
import { readAhead } from '../../../../../src/cli/commands/call/chat/piped.ts'

const source = (lines: AsyncIterable<string>) => ({ lines, close() {} })

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

test('does not treat an open input as complete, and loses no line', async () => {
  let come = () => {}
  const coming = new Promise<void>(resolve => {
    come = resolve
  })
  const slow = async function* () {
    yield 'one'
    await coming
    yield 'two'
  }
  let passed = () => {}
  const sleep = () =>
    new Promise<void>(resolve => {
      passed = resolve
    })
  const ahead = readAhead(source(slow()), { sleep })
  await Promise.resolve()
  passed()
  const { all: known, lines } = await ahead
  expect(known).toBeUndefined()
  come()
  expect(await all(lines)).toEqual(['one', 'two'])
})

test('an input without end is not read for ever, and loses no line', async () => {
  let read = 0
  const endless = async function* () {
    while (true) yield String(read++)
  }
  const { all: known, lines } = await readAhead(source(endless()), {
    sleep: (_, signal) => new Promise(resolve => signal?.addEventListener('abort', () => resolve())),
  })
  expect(known).toBeUndefined()
  expect(read).toBeLessThan(20_000)
  const first: string[] = []
  for await (const line of lines) if (first.push(line) === 10_010) break
  expect(first).toEqual(Array.from({ length: 10_010 }, (_, number) => String(number)))
})
