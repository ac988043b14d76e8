import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attributeLines } from '../helpers/attribute-lines.ts'
import { conversationUpdate, message, statusUpdate } from '../helpers/events.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { recordedLine } from '../helpers/recordings.ts'
import { runBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

const [one, other, third] = ['66ec90c7', '7d3f2c1e', '51fa429b'].map(
  begin => `CC-${begin}-0000-4000-8000-000000000001`,
) as [string, string, string]

/** Each text begins with the short id of its call. */
const lines: readonly (readonly [callId: string, words: string])[] = [
  [one, 'speaks alone'],
  [other, 'joins'],
  [third, 'joins as well'],
  [one, 'speaks among three, at such length that the line is wrapped in a terminal of eighty columns'],
  [other, 'answers'],
  [one, 'end'],
  [third, 'speaks below the summary of another call'],
  [other, 'does so too'],
  [third, 'end'],
  [other, 'is left alone, below the summary of another call'],
  [other, 'end'],
]

test('each line of three interleaved calls shows its call by an id that --call accepts', async () => {
  const folder = await temporaryFolder()
  const said = new Map<string, ReturnType<typeof message>[]>()
  const events = lines.map(([callId, words], index) => {
    if (words === 'end') {
      const analysis = { summary: `${callId.slice(0, 11)} is over` }
      return statusUpdate(callId, 'finished', { analysis })
    }
    const messages = [...(said.get(callId) ?? []), message(`m${index}`, `${callId.slice(0, 11)} ${words}`)]
    said.set(callId, messages)
    return conversationUpdate(callId, ...messages)
  })
  const begun = [one, other].map(callId => statusUpdate(callId, 'ongoing'))
  const recording = [begun[0], events[0], begun[1], ...events.slice(1)]
  await writeFile(join(folder, 'calls.ndjson'), recording.map(event => recordedLine(event)).join(''))

  const terminal = startInTerminal(['webhook', 'replay', 'calls.ndjson'], { cwd: folder })
  expect(await terminal.exitCode).toBe(0)
  const shown = attributeLines(terminal.screen)
  for (const { call, words } of shown) {
    const [about] = /CC-\w+/.exec(words) ?? []
    if (about !== undefined) expect(call).toBe(about)
  }
  expect(shown.filter(({ words }) => words.includes('CC-'))).toHaveLength(lines.length)
  expect(shown).toContainEqual({ call: 'CC-7d3f2c1e', words: 'continues' })

  const colors = [...terminal.screen.matchAll(/(\u001b\[\d+m)(CC-\w+) *\u001b/g)].map(
    ([, color, tag]) => `${tag} ${color}`,
  )
  expect(new Set(colors).size).toBe(3)
  expect(new Set(colors.map(color => color.split(' ')[1])).size).toBe(3)
  const columns = new Set(shown.flatMap(({ column = 0 }) => (column === 0 ? [] : [column])))
  expect([...columns]).toEqual(['CC-66ec90c7 '.length])

  for (const call of new Set(shown.map(({ call = '' }) => call))) {
    const asked = await runBin(['webhook', 'show', 'calls.ndjson', '--call', call], { cwd: folder })
    expect(asked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(call) })
  }
})
