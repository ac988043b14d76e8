import { readSuccess } from '../../interface/success-evaluation.ts'
import { isObject } from '../../lib/json.ts'
import { combinePhrases, extractTerms, hasWords, saysPhrase, toWords } from '../../lib/text/words.ts'
import { fallbackLines } from '../../sandbox/index.ts'
import { matchesText } from '../expect/text.ts'
import type { TextMatcher } from '../test-case.ts'
import type { GapReason } from './gap-schema.ts'
import type { ReplayableCall } from './replayable-call.ts'

/** A caller's question without a helpful reply. */
export interface UnansweredQuestion {
  readonly text: string
  /** Id or name of the call. */
  readonly call: string
  readonly reason: GapReason
}

/** Common phrases for "I do not know". Only letters and digits are compared. */
const usualPhrases = [
  'i have no information',
  ...combinePhrases(
    ['i do not', 'i dont'],
    ['know', 'have information', 'have that information', 'have any information', 'have an answer'],
  ),
  ...combinePhrases(['i cannot', 'i cant'], ['answer', 'help you with that', 'help with that']),
  ...combinePhrases(['i am', 'im'], ['not sure', 'unable to', 'not able to']),
  ...combinePhrases(['i did not', 'i didnt'], ['understand', 'get that']),
]

/** Returns a test for fallback replies: any of `matchers`; by default the sandbox's own lines and common English phrases. */
export function createFallbackTest(matchers: readonly TextMatcher[] | undefined): (line: string) => boolean {
  if (matchers !== undefined) return line => matchers.some(matcher => matchesText(matcher, line))
  return line => fallbackLines.includes(line) || saysPhrase(line, usualPhrases)
}

/** Finds the questions of one call without a helpful reply, each once. `call` is its id or name. */
export function findGaps(
  { steps, analysis }: ReplayableCall,
  call: string,
  isFallback = createFallbackTest(undefined),
): UnansweredQuestion[] {
  const reasonByQuestion = new Map<string, GapReason>()
  let last: string | undefined
  for (const step of steps) {
    if (step.kind === 'caller') last = extractQuestion(step.line)
    else if (step.kind === 'said' && last !== undefined && isFallback(step.text)) {
      reasonByQuestion.set(last, 'fallback')
    }
  }
  const { questions, isFlagged } = findUnanswered(analysis?.structuredData)
  for (const question of questions)
    if (!reasonByQuestion.has(question)) reasonByQuestion.set(question, 'data')
  if (reasonByQuestion.size === 0 && (isFlagged || readSuccess(analysis?.successEvaluation).passed === false))
    for (const question of listQuestions(steps.flatMap(step => (step.kind === 'caller' ? [step.line] : []))))
      reasonByQuestion.set(question, isFlagged ? 'data' : 'success')
  return Array.from(reasonByQuestion, ([text, reason]) => ({ text, call, reason }))
}

/** Returns the last question of each line that has one, in order. */
export function listQuestions(lines: readonly string[]): string[] {
  return lines.flatMap(line => {
    const question = extractQuestion(line)
    return question !== undefined && isQuestion(question) ? [question] : []
  })
}

const maxQuestion = 300

/** Returns the last question of a line or else the whole line; undefined for keys and silence. */
function extractQuestion(line: string): string | undefined {
  if (/^\/(say-nothing|keys|hangup)\b/.test(line)) return undefined
  const text = line.replace(/^\/interrupt /, '').replace(/^\/\//, '/')
  const question = (lastQuestion(text) ?? text).trim()
  // No character has more than two units: the rest of a long text is not split.
  const start = [...question.slice(0, 2 * maxQuestion)].slice(0, maxQuestion).join('')
  return hasWords(question) ? start : undefined
}

/** Returns the last sentence that ends with a question mark, in one pass from the end. */
function lastQuestion(text: string): string | undefined {
  if (!/[?？]/.test(text)) return undefined
  for (let end = text.length - 1; end > 0; end -= 1) {
    if (!isMark(text[end], '?？') || isMark(text[end - 1], marks)) continue
    let start = end
    while (start > 0 && !isMark(text[start - 1], marks)) start -= 1
    return text.slice(start, end + 1)
  }
  return undefined
}

const marks = '.!?？。！'
const isMark = (character = ' ', among: string) => among.includes(character)

const questionWords =
  /^(what|when|where|which|who|whom|whose|why|how|do|does|did|is|are|was|were|can|could|will|would|should|may|have|has)\b/i

function isQuestion(text: string): boolean {
  return /[?？]$/.test(text) || (questionWords.test(text) && extractTerms(text).size > 0)
}

const unansweredName =
  /un-?answered|not_?-?answered|open_?-?questions?|unresolved|missing_?-?information|knowledge_?-?gaps?/i

/** Finds open questions in the data. `isFlagged` is true if the data only tell that some exist. */
function findUnanswered(data: unknown): {
  readonly questions: readonly string[]
  readonly isFlagged: boolean
} {
  const questions: string[] = []
  let isFlagged = false
  const collect = (value: unknown) => {
    if (Array.isArray(value)) for (const item of value) collect(item)
    else if (isObject(value)) for (const inner of Object.values(value)) collect(inner)
    else if (typeof value === 'string' && !/^\s*(none|no|false|n\/a|nothing|0)?\s*$/i.test(value)) {
      if (toWords(value).length > 1) questions.push([...value.trim()].slice(0, maxQuestion).join(''))
      else isFlagged = true
    } else if (value === true || (typeof value === 'number' && value > 0)) isFlagged = true
  }
  const look = (value: unknown) => {
    if (typeof value === 'string' && unansweredName.test(value)) isFlagged = true
    else if (Array.isArray(value)) for (const item of value) look(item)
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) (unansweredName.test(name) ? collect : look)(inner)
  }
  look(data)
  return { questions, isFlagged }
}
