import * as z from 'zod/mini'
import { inlineAssistantFields } from '../../interface/assistant.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { createVariables } from '../../interface/variables.ts'
import { textsIn } from '../../lib/json.ts'
import { saysPhrase } from '../../lib/text/words.ts'
import { idleMessage } from '../../sandbox/index.ts'
import type { Expectation, TestCase } from '../test-case.ts'
import type { ObservedCall } from '../verdict.ts'
import type { Coverage } from './coverage-schema.ts'

/** Something in a file that a test can exercise. */
export type CoverableItem = ReturnType<typeof createItem>

/**
 * Items are covered if they are called, used as a reply, set, said by a caller, forwarded to or heard; prompts if a model read them;
 * analyses if they are expected.
 */
type ItemKind = Coverage['files'][number]['uncovered'][number]['kind']

/** `name` is a tool, variable, question, phrase or target; empty for kinds that occur once. */
export function createItem(kind: ItemKind, name: string, path: FieldPath, isCovered: boolean) {
  return { kind, name, path, isCovered }
}

export interface CallsOfAssistant {
  readonly tests: readonly TestCase[]
  readonly calls: readonly ObservedCall[]
}

/** Assistant fields (interface.md 2.1) that a call can exercise. */
const shape = z.pick(z.object(inlineAssistantFields({})), {
  endCallPhrases: true,
  callForwardData: true,
  idleTimeout: true,
  maxIdleMessagesInSequence: true,
  userInterruptionAckPlan: true,
  assistantAnalysis: true,
  assistantSystemPrompt: true,
})

type Assistant = z.infer<typeof shape>

/** Lists the coverable items of a valid assistant file. */
export function listAssistantItems(value: unknown, callsOfAssistant: CallsOfAssistant): CoverableItem[] {
  const assistant = shape.parse(value)
  return [
    createItem('assistant', '', [], callsOfAssistant.calls.length > 0),
    ...promptItems(assistant, callsOfAssistant),
    ...variableItems(value, callsOfAssistant),
    ...endPhraseItems(assistant, callsOfAssistant),
    ...forwardItems(assistant, callsOfAssistant),
    ...idleItems(assistant, callsOfAssistant),
    ...interruptionItems(assistant, callsOfAssistant),
    ...analysisItems(assistant, callsOfAssistant),
  ]
}

/** Rules, which reply without a model, read no prompt. */
function promptItems({ assistantSystemPrompt: prompt = '' }: Assistant, { tests }: CallsOfAssistant) {
  if (prompt.trim() === '') return []
  const isRead = tests.some(({ model }) => model !== 'none')
  return [createItem('prompt', '', ['assistantSystemPrompt'], isRead)]
}

/** Locates each variable at its first use. It is covered if a call sets it, through the test or the assistant's own overrides. */
function variableItems(value: unknown, { calls }: CallsOfAssistant): CoverableItem[] {
  const paths = new Map<string, FieldPath>()
  for (const [path, text] of textsIn(value)) {
    const { fill, unset } = createVariables({})
    fill(text)
    for (const name of unset) if (!paths.has(name)) paths.set(name, path)
  }
  const isSet = (name: string) => calls.some(({ record }) => record.unsetVariables?.includes(name) !== true)
  return Array.from(paths, ([name, path]) => createItem('variable', name, path, isSet(name)))
}

/** A phrase is covered if it ended the call: the caller's last line contains it and the assistant hung up. */
function endPhraseItems({ endCallPhrases = [] }: Assistant, { calls }: CallsOfAssistant): CoverableItem[] {
  const last = calls.flatMap(({ record: { callEndTriggerBy, messages = [] } }) => {
    const line = messages.findLast(({ role }) => role === 'user')
    return callEndTriggerBy === 'assistant' && line !== undefined ? [line.text] : []
  })
  const isSaid = (phrase: string) => last.some(line => saysPhrase(line, [phrase]))
  return endCallPhrases.map((phrase, index) =>
    createItem('end-phrase', phrase, ['endCallPhrases', index], isSaid(phrase)),
  )
}

function forwardItems({ callForwardData }: Assistant, { calls }: CallsOfAssistant): CoverableItem[] {
  const forwards = calls.map(({ record }) => record.forwardedTo).filter(to => to !== undefined)
  const isList = Array.isArray(callForwardData)
  return [callForwardData ?? []].flat().map(({ name, phoneNumber, extension }, index) => {
    const isCovered = forwards.some(
      to => to.name === name && to.phoneNumber === phoneNumber && to.extension === extension,
    )
    const path = ['callForwardData', ...(isList ? [index] : [])]
    return createItem('forward', name ?? phoneNumber ?? extension ?? '', path, isCovered)
  })
}

/** An assistant with default idle settings has nothing to test. */
function idleItems(assistant: Assistant, callsOfAssistant: CallsOfAssistant): CoverableItem[] {
  const field = (['idleTimeout', 'maxIdleMessagesInSequence'] as const).find(
    name => assistant[name] !== undefined,
  )
  if (field === undefined) return []
  return [createItem('idle-message', '', [field], listSpokenTexts(callsOfAssistant).has(idleMessage))]
}

function interruptionItems(
  { userInterruptionAckPlan: plan }: Assistant,
  callsOfAssistant: CallsOfAssistant,
): CoverableItem[] {
  if (plan?.enabled !== true) return []
  const spokenTexts = listSpokenTexts(callsOfAssistant)
  return (plan.phrases ?? []).map((phrase, index) =>
    createItem(
      'interruption-phrase',
      phrase,
      ['userInterruptionAckPlan', 'phrases', index],
      spokenTexts.has(phrase),
    ),
  )
}

function listSpokenTexts({ calls }: CallsOfAssistant): ReadonlySet<string> {
  return new Set(
    calls.flatMap(({ turns }) => turns.flatMap(({ messages }) => messages.map(({ text }) => text))),
  )
}

function analysisItems({ assistantAnalysis = {} }: Assistant, { tests }: CallsOfAssistant): CoverableItem[] {
  const expected = new Set(tests.flatMap(({ expect }) => expect.flatMap(listAnalysisFields)))
  return Object.entries(assistantAnalysis)
    .filter(([, part]) => part?.enabled === true)
    .map(([name]) => createItem('analysis', name, ['assistantAnalysis', name], expected.has(name)))
}

function listAnalysisFields(expectation: Expectation): string[] {
  if (expectation.kind !== 'analysis' || expectation.matcher.kind !== 'object') return []
  return Object.keys(expectation.matcher.fields)
}
