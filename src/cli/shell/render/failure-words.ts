import { byCase } from '../../../lib/by-case.ts'
import { stringifyJson } from '../../../lib/json.ts'
import { count } from '../../../lib/text/count.ts'
import type {
  Comparison,
  ExpectedCall,
  Failure,
  FailureCode,
  FailureDetails,
  ObservedTool,
  RequestDifference,
  SpokenMessage,
  TextMatcher,
  ValueMatcher,
} from '../../../scenario/index.ts'
import type { FailureWords } from '../../../scenario/results/index.ts'

/** The words for a failure: a sentence of bounded length, what was expected and what happened. */
export function failureWords(failure: Failure): FailureWords {
  return formatFailure(failure.code, failure.details)
}

function formatFailure<Code extends FailureCode>(code: Code, details: FailureDetails[Code]): FailureWords {
  return words[code](details)
}

const words: { readonly [Code in FailureCode]: (details: FailureDetails[Code]) => FailureWords } = {
  'not-said': ({ text, messages }) =>
    ofText('the assistant did not say', textMatcher(text), saidText(messages)),
  'not-heard': ({ text, messages }) =>
    ofText('the caller did not hear', textMatcher(text), saidText(messages, 'heard')),
  'said-unwanted': ({ text, messages }) => ({
    ...ofText('the assistant said', textMatcher(text), saidText(messages)),
    expected: `not ${textMatcher(text)}`,
  }),
  'not-exactly': ({ text, messages }) => ({
    message: `the assistant did not say exactly ${short(stringifyJson(text))}`,
    expected: text,
    actual: saidText(messages),
  }),
  'not-called': ({ tool, arguments: expected, called }) => ({
    message: `${tool} was not called`,
    expected: expectedCall({ tool, arguments: expected }),
    actual: callsText(called),
  }),
  'wrong-arguments': ({ tool, arguments: expected, differs, actual, called }) => {
    const field = differs.length === 0 ? '' : `${differs.join('.')} `
    const argumentsText =
      actual === undefined && field !== ''
        ? `without ${field.trimEnd()}`
        : `with ${field}${short(valueText(actual))}`
    return {
      message: `${tool} was called ${argumentsText}; expected: ${short(valueMatcher(matcherAt(expected, differs)))}`,
      expected: expectedCall({ tool, arguments: expected }),
      actual: callsText(called),
    }
  },
  'called-unwanted': ({ tool, called }) => ({
    message: `${tool} was called`,
    expected: `${tool} is never called`,
    actual: callsText(called),
  }),
  'wrong-order': ({ calls, called }) => ({
    message:
      calls.length === 0
        ? `${count(called.length, 'tool call')}; expected: none`
        : `the tools were called in another order: ${short(called.map(({ name }) => name).join(', ')) || 'none'}; expected: ${short(calls.map(({ tool }) => tool).join(', '))}`,
    expected: calls.length === 0 ? 'no tool call' : calls.map(expectedCall).join('\n'),
    actual: callsText(called),
  }),
  'too-late': ({ of, milliseconds, actual }) => {
    const expected = `within ${spanText(milliseconds)}`
    const [none, did] = of === 'within' ? ['said nothing', 'replied'] : ['gave no answer', 'answered']
    if (actual === undefined) return instead(`the assistant ${none}`, expected, 'nothing')
    const after = `after ${spanText(actual)}`
    return instead(`the assistant ${did} ${after}`, expected, after)
  },
  'wrong-number': ({ of, comparison, actual }) => {
    const { amount, subject } = numbered[of]
    const expectedText = `${operatorWords[comparison.operator]} ${amount(comparison.amount)}`
    return instead(`${subject} ${amount(actual)}`, expectedText, amount(actual))
  },
  'wrong-end': ({ by, actual }) =>
    actual === undefined
      ? {
          message: `the call did not end here; expected: ended ${endedBy(by)}`,
          expected: endedBy(by),
          actual: 'the call continued',
        }
      : instead(`the call was ended ${endedBy(actual)}`, endedBy(by), endedBy(actual)),
  'not-known': ({ question, used }) => {
    const expectedText = short(stringifyJson(question))
    if (used.length === 0) return instead('no FAQ entry was used', question, 'no FAQ entry', expectedText)
    const others = short(used.map(usedQuestion => stringifyJson(usedQuestion)).join(', '))
    return instead(`another FAQ entry was used: ${others}`, question, used.join('\n'), expectedText)
  },
  'wrong-analysis': ({ differs, actual, matcher }) => {
    const field = ['analysis', ...differs].join('.')
    const actualText = actual === undefined ? 'missing' : short(valueText(actual))
    const expectedText = short(valueMatcher(matcherAt(matcher, differs)))
    return instead(`${field} is ${actualText}`, valueMatcher(matcher), valueText(actual), expectedText)
  },
  'judged-no': ({ sentence, reason }) => ({
    message: `the judge rejected ${short(stringifyJson(sentence))}: ${short(reason)}`,
    expected: sentence,
    actual: reason,
  }),
  'wrong-goal': ({ reached, reason }) => ({
    message: `the caller's goal was ${reached ? 'not reached' : 'reached'}: ${short(reason)}`,
    expected: reached ? 'the goal is reached' : 'the goal is not reached',
    actual: reason,
  }),
  'not-reached': ({ endedBy: by }) => ({
    message: `the call was over before this line${by === undefined ? '' : `: it was ended ${endedBy(by)}`}`,
    expected: 'the call reaches this line',
    actual: by === undefined ? 'the call was over' : `the call was ended ${endedBy(by)}`,
  }),
  'not-recorded': details => ({
    message: notRecorded(details),
    hint: 'record it: callyard test -u',
    expected: `a recorded response in ${details.cassette}`,
    actual: linesOf(
      details.difference.flatMap(({ lines }) => lines),
      'none',
    ),
  }),
  'model-failed': ({ reason }) => ({
    message: `the model failed: ${short(reason)}`,
    expected: 'a response of the model',
    actual: reason,
  }),
  'call-failed': ({ reason, hint }) => ({
    message: `the call of the test failed: ${short(reason)}`,
    hint,
    expected: 'a call',
    actual: reason,
  }),
}

function ofText(problem: string, expected: string, actual: string): FailureWords {
  return { message: `${problem} ${short(expected)}`, expected, actual }
}

/** `expectedText`: what was expected, in a sentence. */
function instead(problem: string, expected: string, actual: string, expectedText = expected): FailureWords {
  return { message: `${problem}; expected: ${expectedText}`, expected, actual }
}

function notRecorded({ role: of, difference, missing, turns }: FailureDetails['not-recorded']): string {
  const changed = difference.map(({ part }) => partWords[part]).join(' and ')
  const lost = `${missing} of ${count(turns, 'turn')} ${missing === 1 ? 'has' : 'have'}`
  if (of === 'assistant')
    return changed === ''
      ? `no response is recorded for this turn; ${lost} none`
      : `${changed} of this turn changed; ${lost} no recorded response`
  return changed === ''
    ? `no response of ${roleWords[of]} is recorded`
    : `${changed} of the request of ${roleWords[of]} changed; it has no recorded response`
}

const partWords: Readonly<Record<RequestDifference['part'], string>> = {
  prompt: 'the prompt',
  conversation: 'the conversation',
  tools: 'the tools',
  parameters: 'the parameters',
}

const roleWords: Readonly<Record<FailureDetails['not-recorded']['role'], string>> = {
  assistant: 'the assistant',
  analysis: 'the analysis',
  judge: 'the judge',
  caller: 'the simulated caller',
}

const numbered: Readonly<
  Record<FailureDetails['wrong-number']['of'], { subject: string; amount: (amount: number) => string }>
> = {
  words: { subject: 'the assistant said', amount: amount => count(amount, 'word') },
  silence: { subject: 'the silence lasted', amount: spanText },
  duration: { subject: 'the call lasted', amount: spanText },
  interruptions: { subject: 'the call had', amount: amount => count(amount, 'interruption') },
}

/** `by the assistant`. The service says what ended a call with one word. */
function endedBy(by: string): string {
  return by === 'forward' ? 'by being forwarded' : `by the ${by}`
}

/** Milliseconds as `1.25s`, or `2m 5s`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.round(milliseconds) / 1000
  if (seconds < 120) return `${seconds}s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}m${whole % 60 === 0 ? '' : ` ${whole % 60}s`}`
}

const operatorWords: Readonly<Record<Comparison['operator'], string>> = {
  '<': 'less than',
  '<=': 'at most',
  '>': 'more than',
  '>=': 'at least',
  '=': 'exactly',
}

function textMatcher(matcher: TextMatcher): string {
  return matcher.kind === 'contains' ? stringifyJson(matcher.text) : `/${matcher.pattern}/${matcher.flags}`
}

/** Formats a matcher like a test file. */
function valueMatcher(matcher: ValueMatcher): string {
  return byCase('kind', matcher, {
    any: () => 'any',
    equals: ({ value }) => valueText(value),
    pattern: ({ pattern, flags }) => `/${pattern}/${flags}`,
    compared: ({ operator, amount }) => `${operator} ${amount}`,
    object: ({ fields }) =>
      `{ ${Object.entries(fields)
        .map(([name, field]) => `${name}: ${valueMatcher(field)}`)
        .join(', ')} }`,
    list: ({ items }) => `[${items.map(valueMatcher).join(', ')}]`,
  })
}

/** Returns the matcher at a path in the value, or the whole matcher if it has none there. */
function matcherAt(matcher: ValueMatcher, path: readonly (string | number)[]): ValueMatcher {
  const [key, ...rest] = path
  if (key === undefined) return matcher
  const inner =
    matcher.kind === 'object' && Object.hasOwn(matcher.fields, key)
      ? matcher.fields[key]
      : matcher.kind === 'list'
        ? matcher.items[Number(key)]
        : undefined
  return inner === undefined ? matcher : matcherAt(inner, rest)
}

function expectedCall({ tool, arguments: expected }: ExpectedCall): string {
  return expected.kind === 'any' ? tool : `${tool} ${valueMatcher(expected)}`
}

function callsText(tools: readonly ObservedTool[]): string {
  return linesOf(
    tools.map(({ name, arguments: args }) => `${name} ${valueText(args)}`),
    'no tool call',
  )
}

function saidText(messages: readonly SpokenMessage[], part: 'text' | 'heard' = 'text'): string {
  return linesOf(
    messages.map(message => message[part]),
    'nothing',
  )
}

function linesOf(lines: readonly string[], none: string): string {
  return lines.length === 0 ? none : lines.join('\n')
}

function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : stringifyJson(value)
}

const maxShortLength = 120

/** Shortens a text for a sentence next to the whole text. */
function short(text: string): string {
  if (text.length <= maxShortLength) return text
  // No character is cut in two.
  return `${text.slice(0, maxShortLength).replace(/[\ud800-\udbff]$/, '')}…`
}
