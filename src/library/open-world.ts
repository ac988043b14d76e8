import * as z from 'zod/mini'
import { parseCallerLine } from '../files/formats/caller-script.ts'
import { formatFieldPath } from '../interface/check.ts'
import { seeSchema } from '../interface/finding.ts'
import { isObject } from '../lib/json.ts'
import { lazy } from '../lib/lazy.ts'
import { readDuration } from '../lib/text/date-time.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import { Problem, placeCheckedCall, type World as RoomWorld } from '../sandbox/index.ts'
import type { SandboxProject } from './apply-project.ts'
import { toCall, type WebhookLog } from './call-result.ts'
import { checkOptions, toPlain, toPublicError } from './errors.ts'
import { createProcessHold } from './process-hold.ts'
import type { CallOptions, World } from './public-sandbox.ts'
import { CallyardError, type JsonObject } from './public-types.ts'
import { callOptionsSchema, requestFilterSchema } from './sandbox-options.ts'

/** Reserved for examples: no person has them. */
const numbers = { from: '+12025550100', to: '+12025550123' }

const paceSchema = lazy(() => z.strictObject({ pace: z.number().check(z.minimum(0)) }))

interface WorldParts {
  readonly baseUrl: string
  readonly project: SandboxProject | undefined
  readonly webhooks: WebhookLog
  close(): Promise<void>
  /** True if the server is closed. */
  isClosed(): boolean
}

/** A world of the service as a test sees it. @throws what applying the project throws */
export async function createWorld(
  world: RoomWorld,
  { baseUrl, project, webhooks, ...parts }: WorldParts,
): Promise<World> {
  const ids = Object.fromEntries((await project?.applyTo(world)) ?? [])
  const waiting = new Map<string, { readonly end: () => void; readonly drop: (reason: string) => void }>()
  let closing: Promise<void> | undefined
  const processHold = createProcessHold()
  /** In a frozen world a call waits for an `advance`, which a failed test may never make. */
  const holdWhileTimePasses = createProcessHold(() => !world.clock.frozen)

  world.subscribe(event => {
    if (event.kind === 'clock') holdWhileTimePasses.update()
    else if (event.kind === 'call') {
      const { observation } = event
      if (observation.kind === 'status' && observation.status === 'finished')
        waiting.get(observation.callId)?.end()
    } else if (event.kind === 'reset' || event.kind === 'restored') {
      webhooks.clear()
      for (const { drop } of waiting.values()) drop(event.kind)
    }
  })
  const ended = (id: string) =>
    new Promise<void>((resolve, reject) => {
      const { status } = world.calls.state(id)
      if (status === 'completed' || status === 'forwarded') return resolve()
      const drop = (reason: string) =>
        reject(
          new CallyardError('dropped', `call: the world was ${reason} while the call ${id} was in progress`),
        )
      waiting.set(id, { end: resolve, drop })
    }).finally(() => waiting.delete(id))
  const assertOpen = (owner: string) => {
    if (closing !== undefined || parts.isClosed()) throw sandboxClosed(owner)
  }
  const close = () => {
    closing ??= processHold.during(parts.close)
    return closing
  }
  return {
    baseUrl,
    apiKey: world.team.apiKey,
    teamId: world.team.teamId,
    ids,
    call: (options = {}) =>
      holdWhileTimePasses.during(async () => {
        assertOpen('call')
        const schema = callOptionsSchema(world.vocabulary)
        checkOptions(schema, options, 'call')
        const callOptions = schema.parse(toPlain(options, 'call'))
        const body = { ...assistantOf(callOptions.assistant, ids, world), ...bodyOf(callOptions) }
        const { id } = await placeCheckedCall(world, body).catch(error => {
          throw problemError(error, 'call')
        })
        await ended(id)
        await webhooks.sent(id)
        return toCall(world.calls.state(id), webhooks.of(id))
      }),
    calls: () => world.calls.list().map(record => toCall(record, webhooks.of(record.id))),
    now: () => world.clock.now(),
    async advance(time) {
      assertOpen('advance')
      const milliseconds = typeof time === 'string' ? readDuration(time) : time
      if (milliseconds === undefined || !Number.isFinite(milliseconds)) {
        const timeText = typeof time === 'string' ? JSON.stringify(time) : time
        throw new CallyardError('wrong-format', `advance: time is ${timeText}`, {
          field: 'time',
          hint: 'pass milliseconds, or a duration such as 90s, 1.5h or 2d',
        })
      }
      await processHold.during(() =>
        world.clock.advance(milliseconds).catch(async error => {
          throw await toPublicError(error)
        }),
      )
    },
    freeze(on = true) {
      checkOptions(z.strictObject({ on: z.boolean() }), { on }, 'freeze')
      world.clock.freeze(on)
    },
    setPace(pace) {
      checkOptions(paceSchema(), { pace }, 'setPace')
      world.clock.setPace(pace)
    },
    fault(rule) {
      assertOpen('fault')
      try {
        const { id } = world.faults.add(rule)
        return { id, remove: () => void world.faults.remove(id) }
      } catch (error) {
        throw problemError(error, 'fault', 'the rule')
      }
    },
    clearFaults: () => world.faults.clear(),
    requests(filter = {}) {
      checkOptions(requestFilterSchema(), filter, 'requests')
      return world.requests.list(filter)
    },
    idle: () => holdWhileTimePasses.during(world.idle),
    snapshot: async () => world.snapshot(),
    async restore(snapshot) {
      assertOpen('restore')
      await world.restore(snapshot).catch(error => {
        throw problemError(error, 'restore', 'the snapshot')
      })
    },
    async reset() {
      assertOpen('reset')
      await world.reset()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

export function sandboxClosed(owner: string): CallyardError {
  return new CallyardError('closed', `${owner}: the sandbox is closed`)
}

/** Resolves an assistant by its name in the project or its id, or returns it as given. @throws CallyardError `not-found` */
function assistantOf(
  assistantOption: CallOptions['assistant'],
  ids: World['ids'],
  { store }: RoomWorld,
): { readonly assistantId?: string; readonly assistant?: JsonObject } {
  if (assistantOption === undefined) return {}
  if (typeof assistantOption !== 'string') return { assistant: assistantOption }
  const named = [`assistant/${assistantOption}`, assistantOption].find(address => Object.hasOwn(ids, address))
  const assistantId = named === undefined ? assistantOption : ids[named]
  if (assistantId !== undefined && store.assistant(assistantId) !== undefined) return { assistantId }
  const names = Object.keys(ids).flatMap(address =>
    address.startsWith('assistant/') ? [address.slice('assistant/'.length)] : [],
  )
  const suggestion = didYouMean(assistantOption, names)
  const available = names.length === 0 ? 'the sandbox has no project' : `available: ${names.join(', ')}`
  throw new CallyardError('not-found', `call: unknown assistant ${JSON.stringify(assistantOption)}`, {
    field: 'assistant',
    hint: suggestion === undefined ? available : `did you mean ${suggestion}?`,
  })
}

/** Create call (interface.md 4.1), but for the assistant. @throws CallyardError for a line of the caller that cannot be */
function bodyOf({ caller, variables, overrides, metadata, to, from }: CallOptions): JsonObject {
  const lines = caller === undefined ? undefined : [caller].flat()
  for (const [index, line] of (lines ?? []).entries()) {
    const parsed = parseCallerLine(line)
    if ('turn' in parsed) continue
    const field = typeof caller === 'string' ? 'caller' : `caller[${index}]`
    throw new CallyardError('not-allowed', `call: ${field}: ${parsed.problem}`, {
      field,
      hint: parsed.hint,
    })
  }
  const dynamicVariables = { ...objectIn(overrides, 'dynamicVariables'), ...variables }
  const hasVariables = Object.keys(dynamicVariables).length > 0
  return {
    userNumber: to ?? numbers.to,
    assistantNumber: from ?? numbers.from,
    metadata: lines === undefined ? metadata : { ...metadata, caller: lines },
    assistantOverrides: hasVariables ? { ...overrides, dynamicVariables } : overrides,
  }
}

function objectIn(object: JsonObject | undefined, key: string): JsonObject {
  const value = object?.[key]
  return isObject(value) ? value : {}
}

/** Fields of Create call → the options of `call` that they come from. */
const optionNames: Readonly<Record<string, string>> = {
  userNumber: 'to',
  assistantNumber: 'from',
  assistantId: 'assistant',
  assistantOverrides: 'overrides',
}

/** Converts a problem of the sandbox to an error of the library that refers to the argument as `subject`. Returns other errors unchanged. */
function problemError(thrown: unknown, owner: string, subject = 'options'): unknown {
  if (!(thrown instanceof Problem)) return thrown
  const { hint, findings: [finding] = [] } = thrown.options
  if (finding === undefined)
    return new CallyardError(codesOfStatus[thrown.status] ?? 'refused', `${owner}: ${thrown.message}`, {
      hint,
    })
  const { code, path, message } = finding
  const [first = '', ...rest] = path
  const option = optionNames[first] ?? first
  const field = path.length === 0 ? undefined : formatFieldPath([option, ...rest])
  const optionMessage = message.replace(String(first), String(option)).replace(/^the document\b/, subject)
  return new CallyardError(code, `${owner}: ${optionMessage}`, {
    field,
    hint: finding.hint === seeSchema ? undefined : finding.hint?.replace('the document', subject),
  })
}

const codesOfStatus: Readonly<Record<number, string>> = { 404: 'not-found', 409: 'dropped', 503: 'closed' }
