import type { ToolAnswerFile } from '../../interface/scenario.ts'
import { readDuration } from '../../lib/text/date-time.ts'
import type { TestCase, TestToolAnswer } from '../test-case.ts'
import type { ReadingRow } from './read-expectations.ts'
import type { WrittenTest } from './written-test.ts'

/** What tools answer in a test, by the names of their functions. */
export async function readTools(
  { file, placeOf }: Pick<WrittenTest, 'file' | 'placeOf'>,
  { fill, facts, findings }: ReadingRow,
): Promise<TestCase['tools']> {
  const tools = new Map<string, { readonly written: string; readonly answers: readonly TestToolAnswer[] }>()
  for (const [written, given] of Object.entries(file.tools ?? {})) {
    const path = ['tools', written]
    const found = (await facts?.functionOf(written)) ?? { name: written, isPredefined: false }
    if (!('name' in found)) {
      findings.add(placeOf(path, 'key'), 'unknown-reference', 'unknown-tool', {
        name: written,
        ...found,
      })
      continue
    }
    if (found.isPredefined)
      findings.add(placeOf(path, 'key'), 'not-allowed', 'tool-predefined', { name: written })
    const other = tools.get(found.name)?.written
    if (other !== undefined)
      findings.add(placeOf(path, 'key'), 'duplicate', 'tool-twice', { name: written, other })
    const readAnswer = (answer: ToolAnswerFile, index?: number): TestToolAnswer => {
      const text = fill.text(answer.after ?? '0ms')
      const after = readDuration(text)
      if (after === undefined) {
        const place = placeOf([...path, ...(index === undefined ? [] : [index]), 'after'])
        findings.add(place, 'wrong-format', 'bad-duration', { value: text, row: fill.rowOf(answer.after) })
      }
      return { after: after ?? 0, ...kindOf(answer) }
    }
    const kindOf = ({ fails, passthrough, returns }: ToolAnswerFile) => {
      if (passthrough === true) return { kind: 'passthrough' } as const
      if (fails !== undefined) return { kind: 'fails', reason: fill.text(fails) } as const
      return { kind: 'returns', value: fill.value(returns) } as const
    }
    const answers = Array.isArray(given) ? given.map(readAnswer) : [readAnswer(given)]
    tools.set(found.name, { written, answers })
  }
  return Object.fromEntries([...tools].map(([name, { answers }]) => [name, answers]))
}
