import { jsonLines } from '../../../helpers/json-lines.ts'
import type { RunExtra, TestCli } from '../../../helpers/test-cli.ts'

/** Verbs of `batch` in a test CLI. */
export function batchCommands(cli: TestCli, extra: RunExtra = {}) {
  const batch = (verb: string, ...argv: string[]) => cli.runWith(extra, 'batch', verb, ...argv)
  return {
    cli,
    batch,
    /** Runs a verb with `--json`. `data` is its document, or the lines of a run. */
    async json(verb: string, ...argv: string[]) {
      const { exitCode, stdout, stderr } = await batch(verb, ...argv, '--json')
      const isDocument = stdout.trim().startsWith('{\n')
      return { exitCode, stderr, data: isDocument ? JSON.parse(stdout) : jsonLines(stdout) }
    },
  }
}

/** Queues responses to requests that place calls. */
export function acceptCalls(cli: TestCli, ...ids: string[]): void {
  for (const id of ids) cli.answer('POST', '/calls/v1/conversations', { json: { sid: id } })
}
