import { parentPort } from 'node:worker_threads'
import { checks, type Questions } from './checks.ts'

export interface CheckRequest<Name extends keyof Questions> {
  readonly check: Name
  readonly question: Questions[Name]
}

function respond<Name extends keyof Questions>({ check, question }: CheckRequest<Name>): void {
  parentPort?.postMessage(checks[check](question))
}

parentPort?.on('message', respond)
parentPort?.postMessage('ready')
