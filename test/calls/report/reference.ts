import fc from 'fast-check'

/** A made-up call: what happened, from which its events and, independently, its figures follow. */
export interface MadeCall {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startAt: number
  readonly assistant: string
  readonly from: string
  readonly messages: readonly MadeMessage[]
  readonly hasTimes: boolean
  readonly tools: readonly { readonly name: string; readonly ms: number; readonly fails: boolean }[]
  readonly end: 'answered' | 'busy' | 'none'
  readonly endedBy: 'user' | 'assistant' | 'system'
  readonly tailMs: number
  readonly success: string | undefined
  readonly data: Readonly<Record<string, unknown>> | undefined
}

interface MadeMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** After the message before it. */
  readonly gapMs: number
}

const callerLines = [
  'When are you open?',
  'when are you open on Monday?',
  'Where is the workshop?',
  'I want to book a repair',
  'ok',
  'please stop calling me',
]
const brokenLine = 'We could do that on Tuesday or'

const assistantLines = [
  brokenLine,
  'Hello, how can I help?',
  'We are open from nine to six.',
  'I do not know that, sorry.',
  'Booked for Tuesday.',
]

const message = fc.oneof(
  fc.record({
    role: fc.constant('user' as const),
    text: fc.constantFrom(...callerLines),
    gapMs: fc.integer({ min: 0, max: 12_000 }),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.constantFrom(...assistantLines),
    gapMs: fc.integer({ min: 0, max: 12_000 }),
  }),
)

const madeCall = fc.record({
  startAt: fc.integer({ min: 0, max: 3 * 24 * 60 }).map(minutes => Date.UTC(2026, 2, 1) + minutes * 60_000),
  assistant: fc.constantFrom('Front desk', 'Night desk'),
  from: fc.constantFrom('+12025550100', '+12025550101'),
  messages: fc.array(message, { maxLength: 8 }),
  hasTimes: fc.boolean(),
  tools: fc.array(
    fc.record({
      name: fc.constantFrom('book', 'find'),
      ms: fc.integer({ min: 0, max: 5000 }),
      fails: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  end: fc.constantFrom('answered' as const, 'answered' as const, 'busy' as const, 'none' as const),
  endedBy: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
  tailMs: fc.integer({ min: 0, max: 9000 }),
  success: fc.constantFrom(undefined, 'pass', 'fail', '8', '3', '70%', 'who knows'),
  data: fc.constantFrom(
    undefined,
    { persons: 2, topic: 'repair' },
    { persons: 4, topic: 'hours', inner: { wants: ['a', 'b'] } },
    { persons: 2.5 },
  ),
})

/** Several calls with different ids. */
export const madeCalls: fc.Arbitrary<readonly MadeCall[]> = fc
  .array(madeCall, { minLength: 1, maxLength: 12 })
  .map(calls =>
    calls.map((call, index) => ({
      ...call,
      id: `CC-${String(index).padStart(8, '0')}`,
      // Nobody speaks on a busy line.
      messages: call.end === 'busy' ? [] : call.messages.map(withoutSilence(call.tools.length > 0)),
      tools: call.end === 'busy' || call.messages.length === 0 ? [] : call.tools,
    })),
  )

/** A pause in which a tool ran does not count as silence of the caller, so calls with tools have only short pauses. */
function withoutSilence(hasTools: boolean) {
  return (message: MadeMessage) => (hasTools ? { ...message, gapMs: Math.min(message.gapMs, 7000) } : message)
}

/** Times of the messages: when each ended. */
export function timesOf({ startAt, messages }: MadeCall): number[] {
  let at = startAt
  return messages.map(({ gapMs }) => {
    at += gapMs
    return at
  })
}

export function endOf(call: MadeCall): number {
  return (timesOf(call).at(-1) ?? call.startAt) + call.tailMs
}

/** The events of a call in the order of the service, each with the time of its arrival. */
export function eventsOf(call: MadeCall): { readonly at: number; readonly body: unknown }[] {
  const { id, startAt, assistant, from, messages, hasTimes, tools, end, endedBy, success, data } = call
  const times = timesOf(call)
  const fields = { id, direction: 'outbound', assistantNumber: from, userNumber: '+12025550123' }
  const items = messages.map(({ role, text }, index) => ({
    messageId: `${id}-${index}`,
    role,
    text,
    ...(hasTimes && { timestamp: new Date(times[index] ?? 0).toISOString() }),
  }))
  const answered = { ...fields, status: 'ongoing', startAt: new Date(startAt).toISOString() }
  const event = (at: number, type: string, more: object) => ({
    at,
    body: { message: { type, assistant: { name: assistant }, ...more } },
  })
  const endAt = endOf(call)
  const analysis = { successEvaluation: success ?? null, structuredData: data ?? null }
  return [
    event(startAt, 'status-update', { call: { ...fields, status: 'queued' } }),
    ...items.map((_, index) =>
      event(times[index] ?? 0, 'conversation-update', {
        call: answered,
        messages: items.slice(0, index + 1),
      }),
    ),
    ...tools.flatMap(({ name, ms, fails }, index) => {
      const at = startAt + index * 10_000
      return [
        event(at, 'tool-call', { call: answered, toolCall: { id: `t${index}`, name, arguments: {} } }),
        event(at + ms, 'tool-result', {
          call: answered,
          toolCall: { id: `t${index}`, name, ...(fails ? { error: 'timed out' } : { result: 'done' }) },
        }),
      ]
    }),
    ...(end === 'none'
      ? []
      : [
          event(endAt, 'status-update', {
            call:
              end === 'busy'
                ? {
                    ...fields,
                    status: 'finished',
                    phoneCallStatus: 'busy',
                    endAt: new Date(endAt).toISOString(),
                  }
                : {
                    ...answered,
                    status: 'finished',
                    endAt: new Date(endAt).toISOString(),
                    callEndTriggerBy: endedBy,
                  },
          }),
          event(endAt + 2000, 'status-update', {
            call: { ...fields, status: 'finished', ...(end === 'busy' && { phoneCallStatus: 'busy' }) },
            analysis: end === 'busy' ? {} : analysis,
          }),
        ]),
  ]
}

interface Turn {
  readonly role: string
  readonly from: number
  readonly until: number
}

/** Turns by the rule of docs/reports.md: a message ends at its time, and begins as long before as it takes to say 15 characters a second. */
function turnsOf(call: MadeCall): Turn[] {
  const times = timesOf(call)
  return call.messages.map(({ role, text }, index) => {
    const until = times[index] ?? 0
    const before = index === 0 ? call.startAt : (times[index - 1] ?? 0)
    return { role, from: Math.max(before, until - speechMs(text)), until }
  })
}

/** Answers by the rule of docs/reports.md, looking at all tools for each turn. */
function answersOf(call: MadeCall): number[] {
  const tools = call.tools.map(({ ms }, index) => {
    const from = call.startAt + index * 10_000
    return { from, until: from + ms }
  })
  const isRunningAt = (at: number) => tools.some(({ from, until }) => from < at && until > at)
  const answers: number[] = []
  let question: Turn | undefined
  let early: Turn | undefined
  const answer = ({ from }: Turn) => {
    answers.push(from - (question?.until ?? 0))
    question = undefined
  }
  for (const turn of turnsOf(call)) {
    if (turn.role === 'user') {
      if (question !== undefined && early !== undefined && !isRunningAt(turn.from)) answer(early)
      if (question === undefined || !isRunningAt(turn.from)) question = turn
      early = undefined
    } else if (question !== undefined) {
      if (!tools.some(({ from, until }) => from < turn.until && until > turn.from)) answer(turn)
      else if (!isRunningAt(turn.from)) early ??= turn
    }
  }
  return answers
}

function speechMs(text: string): number {
  return Math.max(400, Math.round((text.length / 15) * 1000))
}

/** Samples of each metric, by a slow computation that shares no code with src/calls/report. */
export function referenceSamples(calls: readonly MadeCall[]): Map<string, (number | boolean | string)[]> {
  const samplesByName = new Map<string, (number | boolean | string)[]>()
  const add = (name: string, ...samples: readonly (number | boolean | string)[]) => {
    if (samples.length > 0) samplesByName.set(name, [...(samplesByName.get(name) ?? []), ...samples])
  }
  for (const call of calls) {
    const { messages, end, endedBy, hasTimes, tools, success, data, startAt } = call
    const textsOf = (role: string) => messages.filter(part => part.role === role).map(({ text }) => text)
    const hasWords = messages.length > 0
    if (end !== 'none') {
      // A completed call without messages tells nothing about the phone.
      add('outcome', end === 'busy' ? 'busy' : hasWords ? 'answered' : 'unclear')
      if (end === 'answered') add('ended-by', endedBy)
      if (end === 'answered') add('duration', endOf(call) - startAt)
      add('transferred', false)
    }
    const minutes = (endOf(call) - startAt) / 60_000
    if (hasWords && end === 'answered' && minutes > 0)
      for (const side of ['assistant', 'user'])
        add(`${side}-wpm`, textsOf(side).flatMap(text => text.match(/\w+/g) ?? []).length / minutes)
    if (hasWords && hasTimes) {
      const turns = turnsOf(call)
      add('first-word', (turns[0]?.from ?? 0) - startAt)
      const speech = (role: string) =>
        turns.filter(turn => turn.role === role).reduce((sum, { from, until }) => sum + until - from, 0)
      const total = speech('assistant') + speech('user')
      if (total > 0) add('talk-share', speech('assistant') / total)
      for (const [index, turn] of turns.entries())
        if (turn.role === 'assistant' && turns[index - 1]?.role === 'user')
          add('reply', turn.from - (turns[index - 1]?.until ?? 0))
      if (tools.length > 0) add('answer', ...answersOf(call))
      const ends = [startAt, ...turns.map(({ until }) => until)]
      const starts = [...turns.map(({ from }) => from), end === 'answered' ? endOf(call) : (ends.at(-1) ?? 0)]
      const gaps = starts.map((start, index) => start - (ends[index] ?? 0)).filter(gap => gap > 4000)
      add('silence', ...gaps)
      add('silent', gaps.length > 0)
    }
    for (const { name, ms, fails } of tools) {
      add('tools', name)
      add('tool', ms)
      add(`tool.${name}`, ms)
      add('tool-failed', fails)
      add(`tool-failed.${name}`, fails)
    }
    if (end === 'answered') {
      const score = { '8': 8, '3': 3, '70%': 7 }[success ?? '']
      if (score !== undefined) add('score', score)
      if (score !== undefined || success === 'pass' || success === 'fail')
        add('success', success === 'pass' || (score ?? 0) >= 5)
      if (data?.persons !== undefined) add('data.persons', Number(data.persons))
      if (data?.topic !== undefined) add('data.topic', String(data.topic))
      if (data?.inner !== undefined) add('data.inner.wants', 'a', 'b')
    }
    if (hasWords || (end === 'answered' && (success !== undefined || data !== undefined)))
      add('opted-out', textsOf('user').includes('please stop calling me'))
    if (!hasWords) continue
    add('unanswered', isUnanswered(call))
    add('repeated', isRepeated(call))
    const cut = countInterruptions(call)
    add('interruptions', cut)
    add('interrupted', cut > 0)
  }
  return samplesByName
}

/** Lines of the caller that follow each other are one turn, of which the last question counts, else all of it. */
function askedIn(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return undefined
  const whole = texts.join(' ')
  return (
    whole
      .match(/[^.!?]+\?/g)
      ?.at(-1)
      ?.trim() ?? whole
  )
}

/** A caller who says nothing for eight seconds takes a turn too. */
function isAfterSilence({ messages, hasTimes }: MadeCall, index: number): boolean {
  const [before, message] = [messages[index - 1], messages[index]]
  if (!hasTimes || before?.role !== 'assistant' || message?.role !== 'assistant') return false
  return message.gapMs - Math.max(speechMs(before.text), speechMs(message.text)) >= 8000
}

function callerTurns(call: MadeCall): { readonly asked: string; readonly replies: string[] }[] {
  const turns: { texts: string[]; replies: string[] }[] = []
  const { messages } = call
  for (const [index, { role, text }] of messages.entries()) {
    if (isAfterSilence(call, index)) turns.push({ texts: [], replies: [] })
    if (role === 'user' && messages[index - 1]?.role !== 'user') turns.push({ texts: [], replies: [] })
    const last = turns.at(-1)
    if (role === 'user') last?.texts.push(text)
    else last?.replies.push(text)
  }
  return turns.flatMap(({ texts, replies }) => {
    const question = askedIn(texts)
    return question === undefined ? [] : [{ asked: question, replies }]
  })
}

function isUnanswered(call: MadeCall): boolean {
  const { success, end } = call
  const turns = callerTurns(call)
  const hasFailed = end === 'answered' && (success === 'fail' || success === '3')
  return (
    turns.some(({ replies }) => replies.includes('I do not know that, sorry.')) ||
    (hasFailed && turns.some(({ asked: question }) => question.endsWith('?')))
  )
}

/** Words of each question that carry meaning. */
const meaning: Readonly<Record<string, readonly string[]>> = {
  'When are you open?': ['open'],
  'when are you open on Monday?': ['open', 'Monday'],
  'Where is the workshop?': ['workshop'],
}

/** Two questions are the same if they share three fifths of their meaning. */
function isRepeated({ messages }: MadeCall): boolean {
  const questions = messages
    .filter(({ role, text }) => role === 'user' && text.endsWith('?'))
    .map(({ text }) => new Set(meaning[text]))
  return questions.some((one, index) =>
    questions.slice(index + 1).some(other => {
      const common = [...one].filter(word => other.has(word)).length
      return common / (one.size + other.size - common) >= 0.6
    }),
  )
}

/** A line that breaks off, which the caller followed while it would still have been spoken. */
function countInterruptions({ messages, hasTimes }: MadeCall): number {
  return messages.filter(({ role, text, gapMs }, index) => {
    const before = messages[index - 1]
    const isCutOff = before?.role === 'assistant' && before.text === brokenLine
    return role === 'user' && isCutOff && hasTimes && speechMs(text) - gapMs > 100
  }).length
}
