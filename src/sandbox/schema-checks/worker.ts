import { parentPort } from 'node:worker_threads'
import { type CheckedData, checkData, compileSchema, type DataQuestion } from './check-data.ts'

/** What the worker is asked, by the name of the check, and what it answers. */
export interface Checks {
  readonly data: { readonly question: DataQuestion; readonly answer: CheckedData }
  readonly arguments: {
    readonly question: ArgumentsQuestion
    readonly answer: { readonly reason: string | undefined }
  }
}

export type Asked = {
  readonly [Name in keyof Checks]: { readonly check: Name; readonly question: Checks[Name]['question'] }
}[keyof Checks]

const answerOf = (asked: Asked) =>
  asked.check === 'data' ? checkData(asked.question) : { reason: checkArguments(asked.question) }

parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(answerOf(asked)))
parentPort?.postMessage('ready')

interface ArgumentsQuestion {
  /** A tool's function.parameters. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly values: unknown
}

/** Why these arguments do not pass the tool's parameters; undefined when they do. */
function checkArguments({ schema, values }: ArgumentsQuestion): string | undefined {
  const { $async: _, $schema: __, ...rest } = schema
  const compiled = compileSchema(rest)
  if ('reason' in compiled) return `its function.parameters cannot be used: ${compiled.reason}`
  if (compiled.validate(values)) return undefined
  const [error] = compiled.validate.errors ?? []
  const at = error?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  return `no arguments could be made for it: ${at === '' ? 'they' : at} ${error?.message ?? 'do not pass'}`
}
