import { randomUUID } from 'node:crypto'
import type { StoredCall } from '../files/formats/control-api.ts'
import { type Clock, startTimer } from '../lib/clock.ts'
import { webhookCall } from './call/webhook-messages.ts'
import {
  createJsonSender,
  headersTo,
  type JsonSender,
  maxToolResponseBytes,
  type SendResult,
  type SendTarget,
} from './outgoing/json-sender.ts'
import { fillArguments } from './reply/match-function-tool.ts'
import { checkArguments } from './schema-checks/run-check.ts'
import type { ToolArguments, ToolOutcome } from './tools/call-tool.ts'
import { createFunctionTool, whyNoServer } from './tools/function-tool.ts'
import { readFunctionTool } from './tools/function-tool-record.ts'

interface TryOptions {
  readonly clock: Clock
  readonly dryRun: boolean
  readonly signal: AbortSignal
  /** Milliseconds, instead of the tool's own. */
  readonly timeout?: number | undefined
}

export interface TriedTool {
  readonly target: SendTarget
  /** The headers that the target is sent, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Undefined: nothing was sent. */
  readonly answer: (SendResult & { readonly milliseconds: number }) | undefined
  /** Messages of the assistant in order, with the time since the tool was called. */
  readonly messages: readonly { readonly text: string; readonly milliseconds: number }[]
  /** Result for the model, and the reason of a failure. */
  readonly outcome: ToolOutcome
}

/** Reads a tool (interface.md 2.5) to call its server once as a call with a model does, without the call; `unusable`: why that cannot be. */
export function openTool(record: Readonly<Record<string, unknown>>) {
  const { tool, problems } = readFunctionTool(record)
  if (tool === undefined) return { unusable: problems.join('; '), problems: [] }
  const { name, target, parameters } = tool
  if ('fault' in target) return { unusable: `tool ${name} ${target.fault}`, problems }
  return {
    name,
    async: tool.async,
    /** Deviations from the file, one sentence each. */
    problems,
    /** Reason why there is no server to call. */
    noServer: whyNoServer(target),
    /** Why these arguments do not pass function.parameters; both undefined when they do. */
    check: (args: ToolArguments) => checkArguments(parameters, args),
    /** Returns sample arguments with all required fields; `from` is the current day. */
    sample: (from: Date): ToolArguments => fillArguments(parameters, '', from).arguments,
    async run(args: ToolArguments, options: TryOptions): Promise<TriedTool> {
      const { clock, signal, timeout } = options
      const timeoutSeconds = timeout === undefined ? target.timeoutSeconds : timeout / 1000
      const toolTarget = { ...target, timeoutSeconds }
      const startedAt = clock.now()
      const sender = createJsonSender({ clock, maxResponseBytes: maxToolResponseBytes })
      const abort = () => sender.giveUp('cancelled')
      signal.addEventListener('abort', abort, { once: true })
      const watcher = watch(sender, options)
      const messages: TriedTool['messages'][number][] = []
      const say = (text: string) => void messages.push({ text, milliseconds: clock.now() - startedAt })
      const { call, customer } = sampleCall(startedAt)
      const callTool = createFunctionTool(
        { ...tool, target: toolTarget },
        {
          sender: watcher.sender,
          after: (milliseconds, onTime) => startTimer(milliseconds, onTime, clock),
          duringExternalCall: work => work,
          call: () => webhookCall(call),
          customer,
          simulates: false,
        },
      )
      let later: Promise<ToolOutcome> | undefined
      try {
        const first = await callTool.run(
          { id: `call-${randomUUID()}`, name, arguments: args },
          {
            say,
            sayLater: say,
            later(work) {
              later = work
            },
          },
        )
        const { failure } = (await later) ?? first
        return {
          target: toolTarget,
          headers: headersTo(toolTarget),
          ...watcher.seen(),
          messages,
          outcome: { content: first.content, failure },
        }
      } finally {
        signal.removeEventListener('abort', abort)
        await sender.close()
      }
    },
  }
}

/** A sender that remembers the one exchange that it makes. */
function watch(sender: JsonSender, { clock, dryRun }: TryOptions) {
  let body: unknown
  let answer: TriedTool['answer']
  const watchedSender: JsonSender = {
    ...sender,
    async post(target, makeJson) {
      const json = makeJson()
      body = JSON.parse(json)
      if (dryRun) return { failure: 'nothing is sent', unsent: true }
      // The time is the server's, without that of loading the client.
      await import('undici')
      const startedAt = clock.now()
      const result = await sender.post(target, () => json)
      answer = { ...result, milliseconds: clock.now() - startedAt }
      return result
    },
  }
  return { sender: watchedSender, seen: () => ({ body, answer }) }
}

/** Returns a call in progress (interface.md 2.7) with reserved example numbers and host. */
function sampleCall(now: number): { readonly call: StoredCall; readonly customer: StoredCall['customer'] } {
  const id = `CC-${randomUUID()}`
  const at = new Date(now).toISOString()
  const customer = { number: '+12025550123' }
  return {
    customer,
    call: {
      id,
      customer,
      teamId: `team-${randomUUID()}`,
      direction: 'outbound',
      ...{ createdAt: at, updatedAt: at, startAt: at },
      status: 'ongoing',
      phoneVendor: '',
      phoneVendorDetails: { from: '+12025550100', to: customer.number },
      monitor: { controlUrl: `https://example.com/calls/v1/conversations/${id}/control` },
    },
  }
}
