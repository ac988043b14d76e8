import fc from 'fast-check'
import type { ChatMessage, ChatRequest } from '../../../src/sandbox/model/index.ts'

/** Words of several lines, with what JSON, YAML and terminals mind. */
const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom('open', 'nine', ' ', '\n', '\t', '"', '\\', '{', '${env:SHOP}', '\u202e', '\ud800'),
      {
        maxLength: 12,
      },
    )
    .map(parts => parts.join('')),
)
const json = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
const content = fc.oneof(
  words,
  json.map(value => JSON.stringify(value)),
)

const spoken = fc.oneof(
  fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content: words }),
  fc.record({ role: fc.constant('assistant' as const), content: words }),
)
/** A tool is called and returns a result. */
const toolUse = fc
  .tuple(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.array(fc.tuple(content, content), { minLength: 1, maxLength: 2 }),
    words,
  )
  .map(([name, calls, text]) => ({ kind: 'tools', name, calls, text }) as const)

/** A conversation with ids of tool calls as a model gives them. */
const messages = fc
  .array(fc.oneof(spoken, toolUse), { maxLength: 6 })
  .chain(parts => fc.tuple(fc.constant(parts), fc.uniqueArray(fc.uuid(), { minLength: 24, maxLength: 24 })))
  .map(([parts, ids]) => {
    const free = [...ids]
    return parts.flatMap((part): ChatMessage[] => {
      if (!('kind' in part)) return [part]
      const toolCalls = part.calls.map(([args]) => ({
        id: free.pop() ?? '',
        name: part.name,
        arguments: args,
      }))
      const answers = part.calls.map(([, content], index) => ({
        role: 'tool' as const,
        toolCallId: toolCalls[index]?.id ?? '',
        content,
      }))
      return [{ role: 'assistant', content: part.text, toolCalls }, ...answers]
    })
  })

export const arbitraryRequest: fc.Arbitrary<ChatRequest> = fc.record({
  messages,
  tools: fc.array(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,8}$/), description: words, parameters: json }),
    { maxLength: 3 },
  ),
  temperature: fc.constantFrom(0, 0.5, 1),
  maxTokens: fc.integer({ min: 1, max: 4096 }),
  answerSchema: fc.option(fc.record({ name: fc.constant('judgement'), schema: json }), { nil: undefined }),
})

export const arbitraryAnswer = fc.record({
  text: words.map(text => text.toWellFormed()),
  calls: fc.array(
    fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      arguments: content.map(text => text.toWellFormed()),
    }),
    { maxLength: 3 },
  ),
})
