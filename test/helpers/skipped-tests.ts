import type { TestTagDefinition } from 'vitest/config'
import type { TestCase } from 'vitest/node'
import type { Reporter } from 'vitest/reporters'

type SkippedTest = Pick<TestCase, 'tags' | 'result'>

/** Prints at the end of a run how many tests were skipped, and what is missing on this machine. */
export class SkippedTestsReporter implements Reporter {
  private readonly tags: readonly TestTagDefinition[]

  constructor(tags: readonly TestTagDefinition[]) {
    this.tags = tags
  }

  onTestRunEnd(modules: Parameters<NonNullable<Reporter['onTestRunEnd']>>[0]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests('skipped')])
    for (const line of skippedLines(tests, this.tags)) process.stdout.write(`${line}\n`)
  }
}

/** One line for each missing program, and for each note of a test. Tests that are skipped for another reason have none. */
export function skippedLines(tests: readonly SkippedTest[], tags: readonly TestTagDefinition[]): string[] {
  const counts = new Map<string, number>()
  for (const test of tests) {
    const reason = reasonOf(test, tags)
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts]
    .sort()
    .map(([reason, count]) => `${count} ${count === 1 ? 'test' : 'tests'} skipped: ${reason}`)
}

function reasonOf(test: SkippedTest, tags: readonly TestTagDefinition[]): string | undefined {
  const missing = tags.find(({ name, skip }) => skip === true && test.tags.includes(name))?.description
  if (missing !== undefined) return missing
  const result = test.result()
  return result.state === 'skipped' ? result.note : undefined
}
