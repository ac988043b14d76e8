import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { browserPage } from './scripts/browser-page.js'
import { programTags } from './test/helpers/programs.ts'
import { SkippedTestsReporter } from './test/helpers/skipped-tests.ts'

const tags = programTags()

/** Share of the tests that run in process, between those that wait. The rest ends the run: small tests keep all processors busy. */
const shareBetween = 0.8

/** Distributes the tests of processes and brokers, which wait half of the time, over the run. */
class WaitingTestsApart extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => /\/test\/(e2e|relay)\//.test(moduleId)
    const waiting = sorted.filter(waits)
    const others = sorted.filter(file => !waits(file))
    const each = Math.floor((shareBetween * others.length) / Math.max(waiting.length, 1))
    const mixed = waiting.flatMap(file => [file, ...others.splice(0, each)])
    return [...mixed, ...others]
  }
}

export default defineConfig({
  // The starter files are imported as text; the bundle does the same (scripts/build.js).
  plugins: [
    browserPage(),
    {
      name: 'import-as-text',
      enforce: 'pre',
      load: id =>
        /\.(yaml|csv|txt)$/.test(id)
          ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`
          : undefined,
    },
  ],
  test: {
    // One project: each further one transforms all of the source again, and has workers of its own that load it again.
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/helpers/temporary-files.ts',
    setupFiles: 'test/helpers/own-temporary-files.ts',
    tags,
    reporters: ['default', new SkippedTestsReporter(tags)],
    sequence: { sequencer: WaitingTestsApart },
    // The files of a worker share its modules and its browser: loading the source for each took a third of the time.
    isolate: false,
    // The heap of a worker holds all of the source: with V8's default of 16 MB, its young generation is collected for a tenth of the time.
    // All processors are busy, so threads that help to collect it only take turns.
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A busy machine may need longer than the default of a second: the only timeout is that of the test.
    expect: { poll: { timeout: 300_000 } },
    // Half of the time they wait for processes and servers.
    maxWorkers: availableParallelism() * 2,
    // The tests decide for themselves what their commands see.
    env: { CI: '', NO_COLOR: '', HTTPS_PROXY: '', HTTP_PROXY: '' },
  },
})
