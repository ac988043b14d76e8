import { expect } from 'vitest'
import type { TestSandbox } from '../start-test-sandbox.ts'
import type { Sink } from '../webhook-sink.ts'

export const to = '+12025550101'
export const from = '+12025550102'

export async function createAssistant(sandbox: TestSandbox, fields: Record<string, unknown>) {
  const { status, body } = await sandbox.send('POST', '/assistants/v1/assistants', {
    name: 'Desk',
    ...fields,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** Places a call and gives its id, while it runs. */
export async function begin(sandbox: TestSandbox, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await sandbox.send('POST', '/calls/v1/conversations', {
    userNumber: to,
    assistantNumber: from,
    ...fields,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toEqual({ sid: expect.stringMatching(/^CC-[0-9a-f-]{36}$/) })
  return String(body.sid)
}

/** Places a call and waits until it is over. */
export async function place(sandbox: TestSandbox, fields: Record<string, unknown> = {}): Promise<string> {
  const id = await begin(sandbox, fields)
  await sandbox.idle()
  return id
}

export interface Said {
  readonly role: string
  readonly text: string
  readonly timestamp: string
  readonly interrupted?: true
}

/** The call as its control URL shows it. */
export async function recordOf(sandbox: TestSandbox, id: string) {
  const { body } = await sandbox.send('GET', `/calls/v1/conversations/${id}/control`)
  return body as Record<string, unknown> & { readonly messages: readonly Said[] }
}

/** `role: text` of every message, as the webhooks carried it. */
export const transcript = (sink: Sink, id: string) =>
  sink
    .of(id)
    .findLast(({ type }) => type === 'conversation-update')
    ?.messages?.map(({ role, text }) => `${role}: ${text}`)

/** The same from the record. */
export async function saidIn(sandbox: TestSandbox, id: string): Promise<string[]> {
  return (await recordOf(sandbox, id)).messages.map(({ role, text }) => `${role}: ${text}`)
}
