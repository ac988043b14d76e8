import type { Command } from '@commander-js/extra-typings'
import { Flag, type OptionsOf } from '../../shell/flags/flag.ts'
import { withTestModelFlags } from '../../shell/flags/llm-flags.ts'
import { collect, integerParser } from '../../shell/flags/option-parsers.ts'
import { outFlags } from '../../shell/flags/out-flag.ts'

/** Adds the flags of `test`. */
export function withTestFlags(command: Command) {
  const running = command
    .argument('[path...]', 'Test files, folders or glob patterns (default: the project’s)')
    .optionsGroup('SELECTION AND RUNS')
    .option('-t, --name <part>', 'Run tests whose name or id contains this text')
    .addOption(new Flag('--tag <tag>', 'Run only tests with this tag').repeatable(collect))
    .addOption(new Flag('--skip-tag <tag>', 'Skip tests with this tag').repeatable(collect))
    .addOption(new Flag('--no-live', 'Skip live tests').rare())
    .option('--watch', 'Rerun affected tests when files change (q quits)')
    .option('--bail', 'Stop after the first test that does not pass')
    .option('--concurrency <n>', 'Tests to run in parallel (default: number of cores)', parseCount)
    .addOption(new Flag('--repeat <n>', 'Number of times to run each test').rare().argParser(parseCount))
    .addOption(
      new Flag('--pass <k>', 'Number of --repeat runs that must pass (default: all)')
        .rare()
        .argParser(parseCount),
    )
  const asking = withTestModelFlags(running.optionsGroup('MODELS'))
  const covered = asking
    .optionsGroup('COVERAGE')
    .option('--coverage', 'Show which parts of the project no test covers')
    .addOption(
      new Flag('--min-coverage <percent>', 'Fail if coverage is below this percentage')
        .rare()
        .argParser(integerParser(1, 100)),
    )
  return covered
    .optionsGroup('REPORTS')
    .addOption(
      outFlags('Write a page with transcripts (.html), JUnit (.xml) or SARIF (.sarif)', [
        'html',
        'junit',
        'sarif',
      ]),
    )
}

const maxRuns = 1000

const parseCount = integerParser(1, maxRuns)

export type TestOptions = OptionsOf<typeof withTestFlags>

export function hasPage(out: TestOptions['out'] = []): boolean {
  return out.some(({ format }) => format === 'html')
}
