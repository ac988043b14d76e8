import type { Command } from '@commander-js/extra-typings'
import { Flag, type OptionsOf, withReportFlags } from '../../cli/flags/flag.ts'
import { withTestModelFlags } from '../../cli/flags/llm-flags.ts'
import { collect, integerParser } from '../../cli/flags/option-parsers.ts'

/** Adds the flags of `test`. */
export function withTestFlags(command: Command) {
  const running = command
    .argument('[path...]', 'Test files, folders or glob patterns (default: the project’s)')
    .optionsGroup('RUN')
    .option('-t, --name <part>', 'Run tests whose name or id has this part')
    .addOption(new Flag('--tag <tag>', 'Run tests with this tag').repeatable(collect))
    .addOption(new Flag('--skip-tag <tag>', 'Leave out tests with this tag').repeatable(collect))
    .option('--no-live', 'Skip live tests')
    .option('--watch', 'Run what a changed file touches, until q is pressed')
    .option('--bail', 'Stop after the first test that does not pass')
    .option('--jobs <n>', 'Tests at once (default: the number of cores)', parseCount)
    .option('--repeat <n>', 'Run each test this often', parseCount)
    .option('--pass <k>', 'Of --repeat, how often a test must pass (default: each time)', parseCount)
  const asking = withTestModelFlags(running.optionsGroup('MODELS'))
  const compared = asking
    .optionsGroup('COVERAGE AND VERSIONS')
    .option('--coverage', 'Show what of the project no test went through')
    .option('--min <percent>', 'Fail when less of the project is covered', integerParser(1, 100))
    .option('--against <version>', 'Compare with the project as a version in git has it')
  return withReportFlags(
    compared
      .optionsGroup('REPORTS')
      .option('--report <file>', 'Write a page with verdicts, transcripts and coverage (HTML)'),
  )
}

const maxRuns = 1000

const parseCount = integerParser(1, maxRuns)

export type TestOptions = OptionsOf<typeof withTestFlags>
