import type { ToolRun } from '../../files/formats/call-observation.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { isExampleHost, withoutQuery } from '../../lib/net/address.ts'
import {
  type JsonSender,
  maxToolResponseBytes,
  type SendResult,
  type SendTarget,
} from '../outgoing/json-sender.ts'
import { type CallTool, type ToolOutcome, type ToolUse, toFailure } from './call-tool.ts'
import type { FunctionToolRecord } from './function-tool-record.ts'

type Speak = (text: string | undefined) => void

/** Replacement for the response of a tool's server, after this many milliseconds of the call. */
export type ToolReplacement = { readonly after: number } & (
  | { readonly kind: 'returns'; readonly value: unknown }
  | { readonly kind: 'fails'; readonly reason: string }
  /** The server is called anyway; an unreachable one is not simulated. */
  | { readonly kind: 'passthrough' }
  /** Simulated from the arguments, as without a server. */
  | { readonly kind: 'simulated'; readonly reason: string }
)

export interface FunctionToolDeps {
  readonly sender: JsonSender
  /** The time of the call: calls back after it, unless the function that it returns is called first. */
  after(milliseconds: number, onTime: () => void): () => void
  /** Lets this much of the call's time pass, less when the call is over before. */
  sleep?(milliseconds: number): Promise<void>
  /** Replaces the tool's server; undefined calls the server. */
  readonly answerTool?: ((run: ToolRun) => ToolReplacement | undefined) | undefined
  /** Time may be advanced while this server is asked, also by itself. */
  duringExternalCall<Result>(work: Promise<Result>): Promise<Result>
  /** Real time in milliseconds. */
  realTime?(): number
  /** Advances the call's time by the real time a server took, if the call does not run in real time. */
  passRealTime?(milliseconds: number): Promise<void>
  /** interface.md 2.9: the call object, as it is now. */
  call(): unknown
  readonly customer: unknown
  readonly simulates: boolean
}

/**
 * interface.md 2.5: a tool whose server is called, with
 * `{ message: { type: 'tool-call', call, customer, toolCall: { id, name, arguments } } }`. A synchronous tool waits for the response,
 * JSON for the model; plain text becomes a string. An asynchronous one is accepted at once. The end of a call does not abort a request,
 * because it may be done by then. If the call `simulates`, the result of a tool without a reachable server is made from its parameters.
 */
export function createFunctionTool(tool: FunctionToolRecord, deps: FunctionToolDeps): CallTool {
  const { name, description, parameters, messages, target } = tool
  const askServer = async (server: SendTarget, run: ToolRun, simulates: boolean): Promise<ToolOutcome> => {
    const body = {
      message: {
        type: 'tool-call',
        call: deps.call(),
        customer: deps.customer,
        toolCall: { id: run.id, name, arguments: run.arguments },
      },
    }
    const startedAt = deps.realTime?.() ?? 0
    const response = await deps.duringExternalCall(deps.sender.post(server, () => JSON.stringify(body)))
    await deps.passRealTime?.(countedTime((deps.realTime?.() ?? 0) - startedAt, messages.delayed))
    return simulates && 'failure' in response && response.unsent
      ? simulateFunctionTool(run, `its server failed: ${response.failure}`)
      : outcomeOf(name, server, response)
  }
  return {
    name,
    description,
    parameters,
    async run(run, use) {
      const replacement = deps.answerTool?.(run)
      const speakBy =
        (say: ToolUse['say']): Speak =>
        text => {
          if (text !== undefined) say(text)
        }
      const speak = speakBy(use.say)
      const noServer = whySimulated(target, replacement, deps)
      if (noServer !== undefined) {
        speak(messages.start)
        speak(messages.complete)
        return simulateFunctionTool(run, noServer)
      }
      const answer =
        replacementFor(name, replacement) ??
        ('fault' in target
          ? target
          : () => askServer(target, run, deps.simulates && replacement === undefined))
      if (typeof answer !== 'function') {
        speak(messages.failed)
        return toFailure(`tool ${name} ${answer.fault}`, `the tool ${answer.fault}`)
      }
      speak(messages.start)
      const ask = async (speak: Speak) => {
        const timers = messages.delayed.map(({ text, afterMs }) => deps.after(afterMs, () => speak(text)))
        if (replacement !== undefined && replacement.after > 0) await deps.sleep?.(replacement.after)
        const outcome = await answer()
        for (const cancel of timers) cancel()
        speak(outcome.failure === undefined ? messages.complete : messages.failed)
        return outcome
      }
      if (!tool.async) return ask(speak)
      use.later(ask(speakBy(use.sayLater)))
      return { content: '{"status":"accepted"}' }
    },
  }
}

/** Faster responses take no time in the call, so that runs are reproducible. */
const minCountedMs = 500
/** Elapsed time is rounded down to this. */
const countedStepMs = 100

function countedTime(elapsedMs: number, delayed: FunctionToolRecord['messages']['delayed']): number {
  const isSlow = elapsedMs >= Math.min(minCountedMs, ...delayed.map(({ afterMs }) => afterMs))
  return isSlow ? Math.floor(elapsedMs / countedStepMs) * countedStepMs : 0
}

/** Only the tool's arguments are known, so the result repeats them. */
function simulateFunctionTool(run: ToolRun, reason: string): ToolOutcome {
  const args = isObject(run.arguments) ? run.arguments : {}
  return { content: JSON.stringify({ ...args, simulated: true, reason }), simulated: true }
}

function whySimulated(
  target: FunctionToolRecord['target'],
  replacement: ToolReplacement | undefined,
  { simulates }: FunctionToolDeps,
): string | undefined {
  if (replacement?.kind !== 'simulated')
    return replacement === undefined && simulates ? whyNoServer(target) : undefined
  return whyNoServer(target) ?? ('fault' in target ? undefined : replacement.reason)
}

/** Returns undefined if the server must be called. */
function replacementFor(
  name: string,
  replacement: ToolReplacement | undefined,
): (() => ToolOutcome) | undefined {
  if (replacement?.kind === 'returns') return () => ({ content: JSON.stringify(replacement.value) ?? '{}' })
  if (replacement?.kind === 'fails')
    return () => toFailure(`tool ${name}: ${replacement.reason}`, replacement.reason)
  return undefined
}

/** Why no server is there, as far as the tool tells: no address, or a host that RFC 2606 keeps for examples. */
export function whyNoServer(target: FunctionToolRecord['target']): string | undefined {
  if ('fault' in target) return target.missing === true ? `it ${target.fault}` : undefined
  const { hostname } = new URL(target.url)
  return isExampleHost(hostname) ? `${hostname} is an example address` : undefined
}

function outcomeOf(name: string, { url }: SendTarget, answer: SendResult): ToolOutcome {
  const fault = faultOf(answer)
  if (fault !== undefined) {
    return toFailure(`tool ${name}: its server ${fault} (${withoutQuery(url)})`, `the tool's server ${fault}`)
  }
  const text = 'text' in answer ? answer.text : ''
  if (text.trim() === '') return { content: '{}' }
  return { content: parseJson(text) === undefined ? JSON.stringify(text) : text }
}

function faultOf(answer: SendResult): string | undefined {
  if ('failure' in answer) return `failed: ${answer.failure}`
  const { status, text, isCut } = answer
  if (isCut) return `responded with more than ${maxToolResponseBytes / 1024 / 1024} MB`
  if (status < 200 || status > 299) return `responded ${status}`
  if (text.trim() === '') return status === 204 ? undefined : `responded ${status} with an empty body`
  if (!isDocument(text) || parseJson(text) !== undefined) return undefined
  return `responded ${status} with ${/^\s*</.test(text) ? 'a page' : 'broken JSON'}`
}

/** True for HTML and for text that starts like JSON; anything else is plain text. */
function isDocument(text: string): boolean {
  return /^\s*(<!doctype|<html|\{|\[\s*[{["\]])/i.test(text)
}
