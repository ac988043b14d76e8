import { benchCalls } from './calls.ts'
import { benchCallsWithoutId, benchConversation } from './conversation.ts'
import { benchForward } from './forward.ts'
import { benchPlan } from './plan.ts'
import { benchReceiver } from './receiver.ts'
import { benchStartup } from './startup.ts'

/** One row of the table that `npm run bench` prints. */
export interface Row {
  readonly what: string
  readonly ratio: number
  readonly target: string
  readonly detail: string
}

/** Runs every bench; all ratios are taken between things measured in the same run. */
export async function bench(bin: string): Promise<void> {
  const receiver = await benchReceiver()
  const calls = await benchCalls()
  const forward = await benchForward()
  const plan = await benchPlan(bin)
  const rows: Row[] = [
    ...benchStartup(bin),
    ...receiver.map(({ name, ratio, target, bare, receiver: rate }) => ({
      what: name,
      ratio,
      target,
      detail: `${rate}/s; bare node:http: ${bare}/s`,
    })),
    ...benchConversation(),
    ...benchCallsWithoutId(),
    ...forward,
    ...calls,
    ...plan,
  ]
  console.log('| what | ratio | target | measured |\n|---|---|---|---|')
  for (const { what, ratio, target, detail } of rows) {
    console.log(`| ${what} | ${ratio.toFixed(2)} | ${target} | ${detail} |`)
  }
}
