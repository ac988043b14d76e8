import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startInstantService } from './instant-service.ts'
import { type RunOptions, runNode, type Sample } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, defineBench, type Figure } from './table.ts'
import { oneTestEach, writeTypicalProject } from './typical-project.ts'

const numbers = ['--from', '+12025550100', '--to', '+12025550123']
const assistant = 'boston/front-desk'

/** A project of the size that people have. */
const size = '40 assistants, 60 tools, 12 knowledge bases of 300 entries, 200 tests'

export const projectBench = defineBench({
  name: 'project',
  rows: {
    validate: { work: `project of ${size}: \`validate\``, unit: 'times', goal: atMost(12) },
    test: { work: 'the same project: one `test`', unit: 'times', goal: atMost(8) },
    tests: { work: 'the same project: `test` of all tests', unit: 'times', goal: atMost(25) },
    furtherTest: { work: 'the same project: each further test', unit: 'ms', goal: atMost(3) },
    callStart: { work: 'the same project: `call start` by name', unit: 'times', goal: atMost(5) },
    chat: { work: 'the same project: `call chat`, one question', unit: 'times', goal: atMost(8) },
    sandbox: { work: 'the same project: `sandbox exec -- true`', unit: 'times', goal: atMost(8) },
    validateGrowth: {
      work: '`validate` of ten times that project, against it',
      unit: 'times',
      goal: atMost(10),
    },
    testGrowth: { work: 'one `test` in ten times that project, against it', unit: 'times', goal: atMost(10) },
    testsGrowth: {
      work: '`test` of all tests of ten times that project, against it',
      unit: 'times',
      goal: atMost(10),
    },
    callStartGrowth: {
      work: '`call start` by name in ten times that project, against it',
      unit: 'times',
      goal: atMost(10),
    },
    plan: {
      work: '`plan` of ten times that project, unchanged, in a fresh clone',
      unit: 's',
      goal: atMost(2),
    },
  },
  async measure({ bin, folder, rounds }) {
    const service = await startInstantService()
    const open = async (times: number) => {
      const options = { cwd: join(folder, `of-${times}`), env: service.env, isProbed: false }
      await writeTypicalProject(options.cwd, times)
      await runNode([bin, 'apply', '--yes'], options)
      return options
    }
    const runs = (options: RunOptions) => {
      const run =
        (argv: readonly string[], more: Partial<RunOptions> = {}) =>
        () =>
          runNode([bin, ...argv], { ...options, ...more })
      return {
        validate: run(['validate', '.']),
        test: run(['test', 'tests/boston/front-desk/rental.test.yaml']),
        testEach: run(['test', ...oneTestEach()]),
        tests: run(['test']),
        callStart: run(['call', 'start', ...numbers, '--assistant', assistant, '--yes']),
        chat: run(['call', 'chat', assistant], { input: 'How do I clean the bell of a cargo bike?\n' }),
        sandbox: run(['sandbox', 'exec', '--project', '.', '--', 'true']),
        async plan() {
          // A clone has no plan that was kept.
          await rm(join(options.cwd, '.callyard', 'up-to-date.json'), { force: true })
          return run(['plan', '--exit-code', '--json'])()
        },
      }
    }
    try {
      const [one, ten] = [await open(1), await open(10)]
      const { validate, test, tests, callStart, plan } = runs(ten)
      const samples = await interleaved(rounds(7), {
        bare: () => runNode(['-e', '0'], one),
        ...runs(one),
      })
      const large = await interleaved(rounds(3), { validate, test, tests, callStart, plan })
      const secondsIn = (all: readonly Sample[]) => all.map(({ seconds }) => seconds)
      const of = (name: keyof typeof samples) => median(secondsIn(samples[name]))
      const ratio = (name: keyof typeof samples): Figure => ({
        value: medianRatio(secondsIn(samples[name]), secondsIn(samples.bare)),
        detail: `${(of(name) * 1000).toFixed(0)} ms; node -e 0: ${(of('bare') * 1000).toFixed(0)} ms`,
      })
      const growth = (name: keyof typeof large): Figure => {
        const seconds = median(secondsIn(large[name]))
        return { value: seconds / of(name), detail: `${seconds.toFixed(2)} s` }
      }
      const further = 200 - oneTestEach().length
      return {
        validate: ratio('validate'),
        test: ratio('test'),
        tests: ratio('tests'),
        furtherTest: { value: ((of('tests') - of('testEach')) * 1000) / further },
        callStart: ratio('callStart'),
        chat: ratio('chat'),
        sandbox: ratio('sandbox'),
        validateGrowth: growth('validate'),
        testGrowth: growth('test'),
        testsGrowth: growth('tests'),
        callStartGrowth: growth('callStart'),
        plan: { value: median(secondsIn(large.plan)), detail: `${of('plan').toFixed(2)} s at one time` },
      }
    } finally {
      service.close()
    }
  },
})

/** Writes the project, applied to a sandbox that has ended: with its lockfile, and the ids of entries in its files. */
export async function writeAppliedProject(folder: string, times: number, bin: string): Promise<void> {
  await writeTypicalProject(folder, times)
  await runNode([bin, 'sandbox', 'exec', '--', process.execPath, bin, 'apply', '--yes'], { cwd: folder })
}
