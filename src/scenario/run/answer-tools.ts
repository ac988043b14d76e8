import type { WorldOptions } from '../../sandbox/index.ts'
import type { TestCase } from '../test-case.ts'

type AnswerTool = NonNullable<WorldOptions['answerTool']>

/**
 * The answers of one run of a test, one after the other and the last one again and again. A tool without one answers by its
 * arguments: the server of a tool is asked only where the test says so.
 */
export function toolAnswersOf({ tools }: Pick<TestCase, 'tools'>): AnswerTool {
  const asked = new Map<string, number>()
  return ({ name }) => {
    const answers = Object.hasOwn(tools, name) ? (tools[name] ?? []) : []
    const before = asked.get(name) ?? 0
    asked.set(name, before + 1)
    return answers[Math.min(before, answers.length - 1)] ?? noAnswer
  }
}

const noAnswer = { kind: 'simulated', reason: 'the test gives no answer for it', after: 0 } as const
