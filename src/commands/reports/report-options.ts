import type { Command } from 'commander'

/** Files that a command writes beside what it prints, as they were given. */
export interface ReportOptions {
  readonly junit?: string
  readonly sarif?: string
}

/** The flags of a command whose findings are about lines of files. */
export function withReportOptions<C extends Command>(command: C): C {
  return command
    .option('--junit <file>', 'Write a JUnit report too')
    .option('--sarif <file>', 'Write the findings as SARIF too')
}
