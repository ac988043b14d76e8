/**
 * `import … from 'callyard'`: checks files, calls lists of people, and receives webhooks in tests. Importing it does nothing else; each function
 * loads what it needs when it is called first. The service itself is `callyard/sandbox`.
 */
import { backgroundClock } from '../lib/clock.ts'
import type { BatchPlan, BatchResult, PlanBatchOptions, RunBatchOptions } from './public-batch.ts'
import type {
  Finding,
  JsonObject,
  KindName,
  ReceiveOptions,
  ValidateOptions,
  WebhookReceiver,
} from './public-types.ts'

export type * from './public-batch.ts'
export type * from './public-types.ts'
export { CallyardError } from './public-types.ts'
export type * from './resources.ts'

/**
 * Checks resource files offline, as `callyard validate` does: files, folders and glob patterns; of a folder that holds a
 * callyard.yaml also what `plan` checks in it. No findings: all is well. Sends nothing.
 *
 * @example
 * const findings = await validate('desk')
 * for (const { file, line, column, message } of findings) console.log(`${file}:${line}:${column} ${message}`)
 *
 * @throws CallyardError for options that cannot be, and for a callyard.yaml that belongs to another user
 */
export async function validate(
  files: string | readonly string[],
  options?: ValidateOptions,
): Promise<Finding[]> {
  const { findingsIn } = await import('./validate.ts')
  return findingsIn(files, options)
}

/**
 * Starts a webhook receiver on this machine (interface.md 4.8). It accepts every JSON object and responds with 200.
 *
 * @example
 * const receiver = await receiveWebhooks()
 * after(() => receiver.close())
 * const sandbox = await startSandbox()
 * after(() => sandbox.close())
 * await sandbox.call({ assistant: { assistantServer: { url: receiver.url } } })
 * const last = await receiver.next({ type: 'status-update', status: 'finished' })
 *
 * @throws CallyardError `port-in-use`, `cannot-listen`, and for options that cannot be
 */
export async function receiveWebhooks(options?: ReceiveOptions): Promise<WebhookReceiver> {
  const { openWebhookReceiver } = await import('./receive-webhooks.ts')
  return openWebhookReceiver(options, backgroundClock)
}

/**
 * Returns the JSON Schema 2020-12 of a kind of file, as `callyard schema` prints it, or of a webhook event: plain data for any
 * validator. Texts in files may contain references such as `${env:NAME}`.
 *
 * @example
 * const ajv = new Ajv2020({ strict: false, validateFormats: false })
 * const isStatusUpdate = ajv.compile(await jsonSchema('status-update'))
 *
 * @throws CallyardError for an unknown kind
 */
export async function jsonSchema(
  kind: KindName | 'status-update' | 'conversation-update',
  options?: { readonly vocabulary?: Readonly<Record<string, string>> | undefined },
): Promise<JsonObject> {
  const { schemaOf } = await import('./json-schemas.ts')
  return schemaOf(kind, options)
}

/**
 * Checks people and settings of a batch, as `callyard call batch plan` does, and computes who is called when. Sends nothing, and
 * reads and writes no files.
 *
 * @example
 * const people = [{ phone: '+12025550110', first_name: 'Ada', tz: 'America/New_York' }]
 * const plan = await planBatch({ people, from: '+12025550100', window: { hours: '09:00-20:00' } })
 * for (const { row, column, message } of plan.findings) console.log(row, column, message)
 * console.log(plan.calls.first, plan.zones[0]?.opensAt)
 *
 * @throws CallyardError for options and settings that are not valid, by `field`
 */
export async function planBatch(options: PlanBatchOptions): Promise<BatchPlan> {
  const { planRows } = await import('./plan-batch.ts')
  return planRows(options, backgroundClock)
}

/**
 * Calls the people of a batch, as `callyard call batch run` does: each call is in the journal of `folder` before it is placed, so nobody
 * is called twice, also after a crash. Run it again with the same folder to continue. With `events`, people are called again, called
 * back or never called again, by the outcomes of their calls.
 *
 * @example
 * const receiver = await receiveWebhooks()
 * after(() => receiver.close())
 * const sandbox = await startSandbox()
 * after(() => sandbox.close())
 * const { people } = await runBatch({
 *   people: [{ phone: '+12025550110' }, { phone: '+12025550181' }],
 *   from: '+12025550100',
 *   folder: 'batches/reminders',
 *   service: sandbox.baseUrl,
 *   events: receiver,
 *   call: ({ from, to }) => sandbox.call({ from, to, assistant: { assistantServer: { url: receiver.url } } }),
 * })
 * for (const { id, status } of people) console.log(id, status)
 *
 * @throws CallyardError for options and settings that are not valid, by `field`; `no-outcomes` for settings that require `events`;
 * `conflict` if another run uses the folder, or if the batch was begun at another service; `events-ended`. And the error of `call`,
 * `onEvent` or `onOptOut` that has ended the run
 */
export async function runBatch(options: RunBatchOptions): Promise<BatchResult> {
  const { runOptions } = await import('./run-batch.ts')
  return runOptions(options, backgroundClock)
}
