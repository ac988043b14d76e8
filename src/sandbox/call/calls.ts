import type { Clock } from '../../context.ts'
import { inlineAssistantSchema } from '../../interface/assistant.ts'
import { type Vocabulary, withDefaults } from '../../interface/vocabulary.ts'
import type { WebhookStatus } from '../../interface/words.ts'
import { analyse } from '../analysis/analysis.ts'
import type { Log } from '../events.ts'
import type { ConnectCallBody, StartCallBody } from '../http/call-bodies.ts'
import { Problem } from '../problem.ts'
import type { StoredCall, StoredRecord } from '../records/entries.ts'
import type { PhoneLine, PhoneLines } from '../records/phone-numbers.ts'
import type { Records } from '../records/records.ts'
import type { Responder } from '../reply/responder.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import { conversationUpdate, statusUpdate, toWebhookMessage } from '../webhooks/webhook-messages.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import type { CallState } from './call-engine.ts'
import { type CallIntervention, type RunningCall, runCall } from './call-runner.ts'

/** Places calls and keeps those that run. */
export interface Calls {
  /** interface.md 4.1. */
  start(body: StartCallBody): Promise<StoredCall>
  /** interface.md 4.2. */
  connect(body: ConnectCallBody): Promise<StoredCall>
  /** The state of a call, running or over, as the control URL shows it. @throws Problem 404 */
  state(id: string): unknown
  /** @throws Problem 404 for an unknown call, 409 for one that does not talk */
  intervene(id: string, intervention: CallIntervention): void
  /** Resolves when no call runs. */
  idle(): Promise<void>
  /** Ends every call; each still sends its last status. */
  endAll(): Promise<void>
}

interface CallsOptions {
  readonly records: Records
  readonly lines: PhoneLines
  readonly delivery: Delivery
  readonly respond: Responder
  readonly clock: Clock
  readonly pace: number
  readonly vocabulary: Vocabulary
  readonly log: Log
  readonly newId: () => string
  /** Known once the server listens. */
  readonly baseUrl: () => string
}

interface Placement {
  readonly line: PhoneLine
  readonly direction: 'inbound' | 'outbound'
  readonly customer: StoredCall['customer']
  readonly body: Pick<StartCallBody, 'assistant' | 'assistantId' | 'assistantOverrides' | 'metadata'>
}

export function createCalls(options: CallsOptions): Calls {
  const { records, lines, delivery, clock, log, newId, baseUrl, vocabulary } = options
  const running = new Map<string, RunningCall>()

  const place = async ({ line, direction, customer, body }: Placement) => {
    const id = `CC-${newId()}`
    const assistant = chooseAssistant(line, body)
    const behaviour = behaviourOf({
      callId: id,
      assistant,
      overrides: body.assistantOverrides,
      metadata: body.metadata,
    })
    const now = new Date(clock.now()).toISOString()
    const controlUrl = `${baseUrl()}/calls/v1/conversations/${id}/control`
    const call: StoredCall = {
      id,
      teamId: records.team.teamId,
      ...(typeof assistant._id === 'string' ? { assistantId: assistant._id } : {}),
      ...(line.phoneNumberId === undefined ? {} : { phoneNumberId: line.phoneNumberId }),
      direction,
      createdAt: now,
      updatedAt: now,
      customer,
      status: 'queued',
      ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
      phoneVendor: vocabulary['<phone_vendor_1>'] ?? '<phone_vendor_1>',
      phoneVendorDetails: {
        from: direction === 'outbound' ? line.number : customer.number,
        to: direction === 'outbound' ? customer.number : line.number,
        [`${vocabulary['<vendor>'] ?? '<vendor>'}ml`]: '<Response/>',
        responseType: 'stream',
        statusCallback: `${baseUrl()}/calls/v1/conversations/${id}/status`,
        statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      },
      monitor: { controlUrl },
    }
    await records.save({ kind: 'call', record: call })
    run(call, assistant, behaviour)
    return call
  }

  const chooseAssistant = (line: PhoneLine, { assistant, assistantId }: Placement['body']) => {
    if (assistant !== undefined) return withDefaults(inlineAssistantSchema(vocabulary), assistant)
    if (assistantId === undefined) return line.defaultAssistant()
    const found: StoredRecord | undefined = records.store.assistant(assistantId)
    if (found !== undefined) return found
    throw new Problem(404, `there is no assistant with the id ${JSON.stringify(assistantId)}`, {
      hint: 'use an _id that Create assistant answered',
    })
  }

  const run = (call: StoredCall, assistant: Readonly<Record<string, unknown>>, behaviour: Behaviour) => {
    const outbox = delivery.outbox(call.id, behaviour.webhooks)
    let current = call
    for (const name of behaviour.unsetVariables) {
      log({ kind: 'warning', callId: call.id, message: `the variable {{${name}}} is not set` })
    }
    const statusChanged = (status: WebhookStatus, state: CallState) => {
      current = {
        ...current,
        ...outcome(status, state, behaviour, call.metadata),
        updatedAt: new Date(clock.now()).toISOString(),
      }
      if (status !== 'queued') records.keep({ kind: 'call', record: current })
      outbox.send(statusUpdate({ call: current, assistant }))
      log({ kind: 'call', callId: call.id, status })
    }
    const runningCall = runCall(behaviour, {
      ...options,
      statusChanged,
      conversationGrew: state => outbox.send(conversationUpdate({ call: current }, state.messages)),
      failed: error =>
        log({ kind: 'warning', callId: call.id, message: `no reply was made: ${String(error)}` }),
    })
    running.set(call.id, runningCall)
    void runningCall.ended.then(() => running.delete(call.id))
  }

  const find = (id: string) => {
    const call = records.store.call(id)
    if (call !== undefined) return call
    throw new Problem(404, `there is no call with the id ${JSON.stringify(id)}`)
  }
  const idle = async () => {
    while (running.size > 0) await Promise.all([...running.values()].map(({ ended }) => ended))
  }
  return {
    start: body =>
      place({
        line: lines.byNumber(body.assistantNumber),
        direction: 'outbound',
        customer: { number: body.userNumber },
        body,
      }),
    connect: body =>
      place({
        line: lines.byId(body.phoneNumberId),
        direction: body.direction,
        customer: body.customer,
        body,
      }),
    state(id) {
      const call = find(id)
      const messages = running.get(id)?.state.messages.map(toWebhookMessage)
      return { ...call, ...(messages === undefined ? {} : { messages }) }
    },
    intervene(id, intervention) {
      const { status } = find(id)
      const call = running.get(id)
      if (call === undefined || (intervention.type === 'say' && call.state.phase !== 'ongoing')) {
        throw new Problem(
          409,
          `the call is ${call === undefined ? 'over' : status}; nothing can be done to it now`,
        )
      }
      call.intervene(intervention)
    },
    idle,
    async endAll() {
      for (const call of running.values()) call.intervene({ type: 'hang-up', by: 'system' })
      await idle()
    },
  }
}

/** What a status change adds to the record; the end also makes the analysis. */
function outcome(
  status: WebhookStatus,
  state: CallState,
  { analysis, assistantName }: Behaviour,
  metadata: StoredCall['metadata'],
): Partial<StoredCall> {
  const startAt = state.startedAt === undefined ? {} : { startAt: new Date(state.startedAt).toISOString() }
  if (status !== 'finished') return { ...startAt, status }
  return {
    ...startAt,
    status: 'completed',
    ...(state.endedAt === undefined ? {} : { endAt: new Date(state.endedAt).toISOString() }),
    ...(state.endedBy === undefined ? {} : { callEndTriggerBy: state.endedBy }),
    analysis: analyse(analysis, { state, assistantName, metadata }),
  }
}
