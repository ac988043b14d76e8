import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { glob } from 'tinyglobby'
import * as z from 'zod/mini'
import type { Attack } from './attack.ts'

/** Factor for the examples of each property. */
const runs = 10

const reportSchema = z.object({
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
})

export const cases: Attack = {
  about: `every case of the tables that npm test takes representatives of, and ${runs} times the examples of properties`,
  async run({ bin, folder, note }) {
    const root = join(dirname(bin), '..')
    const files = await filesWithMoreCases(root)
    note(`testing every case of ${files.length} files`)
    const report = join(await folder(), 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    // Longer than the longest of them takes alone: there is more of each.
    const limits = ['--testTimeout=600000', '--no-file-parallelism']
    const { exitCode } = await execa(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...limits, ...files],
      {
        cwd: root,
        env: { CALLYARD_TEST_CASES: 'every', CALLYARD_TEST_RUNS: String(runs) },
        // The table of all attacks is what stdout is for.
        stdio: ['ignore', process.stderr, process.stderr],
        reject: false,
      },
    )
    const { numTotalTests, testResults } = reportSchema.parse(JSON.parse(await readFile(report, 'utf8')))
    const failed = testResults.flatMap(({ name, status, assertionResults }) => {
      const names = assertionResults.flatMap(result => (result.status === 'failed' ? result.fullName : []))
      // A file that cannot be loaded has no tests.
      return names.length === 0 && status === 'failed' ? [name] : names
    })
    return [
      {
        what: 'every case',
        attacks: numTotalTests,
        lost: exitCode === 0 ? 0 : Math.max(1, failed.length),
        doubled: 0,
        late: 0,
        detail: failed.length === 0 ? 'lost: tests that failed' : `failed: ${failed.join('; ')}`,
      },
    ]
  },
}

async function filesWithMoreCases(root: string): Promise<readonly string[]> {
  const files = (await glob('test/**/*.test.ts', { cwd: root })).toSorted()
  const texts = await Promise.all(files.map(file => readFile(join(root, file), 'utf8')))
  return files.filter((_, index) => texts[index]?.includes("/every-case.ts'"))
}
