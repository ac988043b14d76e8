/** `import … from 'callyard'`: checks files, and receives webhooks in tests. Each function loads what it needs on its first call. */
import { backgroundClock } from '../lib/clock.ts'
import type { Finding, JsonObject, WebhookReceiver } from './public-types.ts'
import type { JsonSchemaOptions, KindName, ReceiveOptions, ValidateOptions } from './resources.ts'

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
  options?: JsonSchemaOptions,
): Promise<JsonObject> {
  const { schemaOf } = await import('./json-schemas.ts')
  return schemaOf(kind, options)
}
