import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createDraft } from '../../../../../src/cli/commands/call/chat/terminal.ts'
import { paint, type Text } from '../../../../../src/lib/text/text.ts'

test('draws the words of a fast model together, once per frame', async () => {
  const { draft, frame, drawn } = open()
  for (let word = 1; word <= 1000; word++) draft(` word${word}`)
  expect(drawn()).toHaveLength(0)
  await frame()
  expect(drawn()).toHaveLength(1)
  expect(drawn()[0]).toContain('word1000')
  draft(' more')
  await frame()
  expect(drawn()[1]).toContain('word1000 more')
})

test('removes what is over immediately, and a pending frame does not restore it', async () => {
  const { draft, frame, drawn } = open()
  draft('We are')
  draft(undefined)
  expect(drawn()).toEqual([''])
  await frame()
  expect(drawn().at(-1)).toBe('')
  draft('open')
  await frame()
  expect(drawn().at(-1)).toContain('open')
  expect(drawn().at(-1)).not.toContain('We are')
})

function open() {
  const drawings: string[] = []
  const due: (() => void)[] = []
  const draft = createDraft(
    {
      ...{ width: 60, lines: Readable.from([]), close() {}, aside() {} },
      show({ above = '' }: { above?: Text }) {
        drawings.push(paint(above, { color: false }))
      },
    },
    { sleep: () => new Promise<void>(resolve => due.push(resolve)) },
  )
  return {
    draft,
    drawn: () => drawings,
    async frame() {
      for (const pass of due.splice(0)) pass()
      await Promise.resolve()
    },
  }
}
