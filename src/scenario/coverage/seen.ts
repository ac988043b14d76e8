import { join, relative, sep } from 'node:path'
import { kinds } from '../../interface/kinds.ts'
import type { ObservedCall } from '../observed-call.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'

/** What the calls of the tests of one project showed. */
export interface SeenInProject {
  /** Names of the tools that were called. */
  readonly tools: ReadonlySet<string>
  /** Questions of the entries that were the answer. */
  readonly questions: ReadonlySet<string>
  callsOf(assistantFile: string, folder: string): CallsOfAssistant
}

export interface CallsOfAssistant {
  readonly tests: readonly TestCase[]
  readonly calls: readonly ObservedCall[]
}

export function seenInProject(folder: string, results: readonly TestResult[]): SeenInProject {
  const tools = new Set<string>()
  const questions = new Set<string>()
  const byAssistant = new Map<string, { tests: TestCase[]; calls: ObservedCall[] }>()
  for (const { test, attempts } of results) {
    if (test.project !== folder || attempts.length === 0) continue
    const calls = attempts.map(({ call }) => call)
    for (const turn of calls.flatMap(({ turns }) => turns)) {
      for (const { name } of turn.tools) tools.add(name)
      for (const { hits, used } of turn.searches) {
        const [best] = hits
        if (used && best !== undefined) questions.add(best.entry.question)
      }
    }
    if (!('name' in test.assistant)) continue
    const known = byAssistant.get(test.assistant.name) ?? { tests: [], calls: [] }
    byAssistant.set(test.assistant.name, known)
    known.tests.push(test)
    known.calls.push(...calls)
  }
  return {
    tools,
    questions,
    callsOf: (file, folder) => byAssistant.get(nameOf(file, folder)) ?? { tests: [], calls: [] },
  }
}

/** `assistants/sales/desk.yaml` of a project is `sales/desk`. */
function nameOf(file: string, folder: string): string {
  return relative(join(folder, kinds.assistant.folder), file)
    .replaceAll(sep, '/')
    .replace(/\.[^./]+$/, '')
}
