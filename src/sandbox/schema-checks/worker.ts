import { parentPort } from 'node:worker_threads'
import { type ArgumentsQuestion, checkArguments } from './check-arguments.ts'
import { type CheckedData, checkData, type DataQuestion } from './check-data.ts'

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
