import type { Clock } from '../../context.ts'
import { type OutboundTarget, withoutSecrets } from '../outbound.ts'
import type { CallTool, ToolOutcome, ToolUse } from './call-tool.ts'
import type { FunctionToolRecord } from './function-tool-record.ts'
import type { ToolAnswer, ToolClient } from './tool-client.ts'

/** What the function tools of one call need of it. */
export interface FunctionToolWorld {
  readonly client: ToolClient
  readonly clock: Clock
  readonly pace: number
  /** interface.md 2.9: the call object, as it is now. */
  call(): unknown
  readonly customer: unknown
}

/**
 * interface.md 2.5: a tool whose server is called, with
 * `{ message: { type: 'tool-call', call, customer, toolCall: { id, name, arguments } } }`. A synchronous one waits for the
 * answer, JSON that the model is told. An asynchronous one is accepted at once. A call that ends stops no request:
 * what was asked for may be done by then.
 */
export function createFunctionTool(tool: FunctionToolRecord, world: FunctionToolWorld): CallTool {
  const { name, description, parameters, messages, target } = tool
  return {
    name,
    description,
    parameters,
    async run(run, use) {
      if ('fault' in target) {
        speak(messages.failed, use.say, use)
        return failed(`tool ${name} ${target.fault}`, `the tool ${target.fault}`)
      }
      speak(messages.start, use.say, use)
      const body = {
        message: {
          type: 'tool-call',
          call: world.call(),
          customer: world.customer,
          toolCall: { id: run.id, name, arguments: run.arguments },
        },
      }
      const ask = () => world.client.post(target, body)
      if (!tool.async) return spoken(tool, target, ask, use.say, use, world)
      use.later(spoken(tool, target, ask, use.sayLater, use, world))
      return { content: '{"status":"accepted"}' }
    },
  }
}

/** Asks, and says what belongs to how it goes. */
async function spoken(
  { name, messages }: FunctionToolRecord,
  target: OutboundTarget,
  ask: () => Promise<ToolAnswer>,
  say: ToolUse['say'],
  use: ToolUse,
  { clock, pace }: FunctionToolWorld,
): Promise<ToolOutcome> {
  const answered = new AbortController()
  for (const { text, after } of messages.delayed) {
    const late = clock.sleep(after / (pace === 0 ? 1 : pace), answered.signal)
    late.then(
      () => answered.signal.aborted || speak(text, say, use),
      () => {},
    )
  }
  const answer = await ask()
  answered.abort()
  const outcome = outcomeOf(name, target, answer)
  speak(outcome.failure === undefined ? messages.complete : messages.failed, say, use)
  return outcome
}

/** Nothing is said when the call is over. */
function speak(text: string | undefined, say: ToolUse['say'], { signal }: ToolUse): void {
  if (text !== undefined && !signal.aborted) say(text)
}

function outcomeOf(name: string, { url }: OutboundTarget, answer: ToolAnswer): ToolOutcome {
  const fault = faultOf(answer)
  if (fault !== undefined) {
    return failed(`tool ${name}: its server ${fault} (${withoutSecrets(url)})`, `the tool's server ${fault}`)
  }
  return { content: 'text' in answer && answer.text.trim() !== '' ? answer.text : '{}' }
}

function faultOf(answer: ToolAnswer): string | undefined {
  if ('fault' in answer) return answer.fault
  const { status, text } = answer
  if (status < 200 || status > 299) return `answered ${status}`
  if (text.trim() === '') return status === 204 ? undefined : `answered ${status} with an empty body`
  return isJson(text) ? undefined : `answered ${status} with what is no JSON`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function failed(failure: string, error: string): ToolOutcome {
  return { content: JSON.stringify({ error }), failure }
}
