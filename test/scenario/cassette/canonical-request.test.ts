import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatMessage, ChatRequest } from '../../../src/sandbox/model/index.ts'
import { canonicalizeRequest, hashRequest } from '../../../src/scenario/cassette/canonical-request.ts'
import { createEnvPlaceholders } from '../../../src/scenario/cassette/env-placeholders.ts'
import { runs } from '../../helpers/every-case.ts'
import { arbitraryRequest } from './arbitrary-requests.ts'

const plain = createEnvPlaceholders(new Map())
const hashOf = (request: ChatRequest, model = 'small', placeholders = plain) =>
  hashRequest(canonicalizeRequest(request, { model, placeholders }))

describe('the hash of a request', () => {
  test('ignores tool call ids, key order and trailing white space', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.constantFrom('', ' ', '\t ', '\r'), (request, blanks) => {
        const now = {
          ...request,
          messages: request.messages.map(message => renamed(message, blanks)),
          tools: request.tools.map(({ name, description, parameters }) => ({
            parameters: reversed(parameters),
            description: withBlanks(description, blanks),
            name,
          })),
        }
        expect(hashOf(now)).toBe(hashOf(request))
      }),
    )
  })

  test('changes with everything else', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), (request, choice) => {
        const changed = changesOf(request)
        const now = changed[choice % changed.length] ?? request
        expect(hashOf(now)).not.toBe(hashOf(request))
      }),
      { numRuns: runs(300) },
    )
  })

  test('changes with the model name', () => {
    fc.assert(fc.property(arbitraryRequest, request => hashOf(request, 'large') !== hashOf(request)))
  })

  test.each([
    ['{"count":12345678901234567890}', '{"count":12345678901234567891}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":1}', '{"a":"1"}'],
    ['[1,2]', '[2,1]'],
    ['{', '{}'],
    ['', '{}'],
  ])('tells the arguments %s from %s', (one, other) => {
    expect(hashOf(calling(one))).not.toBe(hashOf(calling(other)))
  })

  test.each([
    ['{"a":1,"b":[2]}', '{ "b": [ 2 ],\n "a": 1 }'],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, `${'['.repeat(5000)}${']'.repeat(5000)} `],
  ])('takes the arguments %.20s and %.20s for the same', (one, other) => {
    expect(hashOf(calling(one))).toBe(hashOf(calling(other)))
  })

  test('ignores environment values', () => {
    const asked = (shop: string): ChatRequest => ({
      messages: [
        { role: 'system', content: `You are the front desk of ${shop}.` },
        { role: 'user', content: `Is this ${shop}?` },
      ],
      tools: [{ name: 'book', description: `Book at ${shop}`, parameters: { title: shop } }],
      temperature: 0,
      maxTokens: 256,
    })
    const from = (shop: string) =>
      hashOf(asked(shop), 'small', createEnvPlaceholders(new Map([['SHOP', shop]])))
    expect(from('Harbor Bikes')).toBe(from('Cycles (Ltd.) $&'))
    expect(from('Harbor Bikes')).not.toBe(hashOf(asked('Harbor Bikes')))
  })
})

function calling(given: string): ChatRequest {
  const toolCalls = [{ id: 'a', name: 'book', arguments: given }]
  return {
    messages: [{ role: 'assistant', content: '', toolCalls }],
    tools: [],
    temperature: 0,
    maxTokens: 1,
  }
}

function renamed(message: ChatMessage, blanks: string): ChatMessage {
  if (message.role === 'tool')
    return {
      ...message,
      toolCallId: `call_${message.toolCallId}`,
      content: respelled(message.content, blanks),
    }
  const content = withBlanks(message.content, blanks)
  if (message.role !== 'assistant' || message.toolCalls === undefined) return { ...message, content }
  return {
    ...message,
    content,
    toolCalls: message.toolCalls.map(call => ({
      arguments: respelled(call.arguments, blanks),
      name: call.name,
      id: `call_${call.id}`,
    })),
  }
}

function withBlanks(words: string, blanks: string): string {
  return words.replaceAll('\n', `${blanks}\n`) + blanks
}

/** JSON with its keys in another order; other text with blanks at its line ends. */
function respelled(words: string, blanks: string): string {
  try {
    const value: unknown = JSON.parse(words)
    if (typeof value === 'object' && value !== null) return JSON.stringify(reversed(value), null, 1)
  } catch {
    // No JSON.
  }
  return withBlanks(words, blanks)
}

function reversed<Value>(value: Value): Value
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

/** The request with one thing changed that a model sees. */
function changesOf(request: ChatRequest): ChatRequest[] {
  const { messages, tools, temperature, maxTokens } = request
  return [
    { ...request, temperature: temperature + 0.1 },
    { ...request, maxTokens: maxTokens + 1 },
    {
      ...request,
      answerSchema: {
        name: 'judgement',
        schema: { ...request.answerSchema?.schema, more: true, another: [] },
      },
    },
    { ...request, messages: [...messages, { role: 'user', content: '' }] },
    { ...request, tools: [...tools, { name: 'more', description: '', parameters: {} }] },
    ...tools.map((tool, index) => ({
      ...request,
      tools: tools.with(index, { ...tool, name: `${tool.name}x` }),
    })),
    ...tools.map((tool, index) => ({
      ...request,
      tools: tools.with(index, { ...tool, description: `x${tool.description}` }),
    })),
    ...tools.map((tool, index) => ({
      ...request,
      tools: tools.with(index, { ...tool, parameters: { ...tool.parameters, more: true, another: [] } }),
    })),
    ...messages.map((message, index) => ({
      ...request,
      messages: messages.with(index, { ...message, content: `x${message.content}` }),
    })),
    ...messages.flatMap((message, index) =>
      message.role === 'assistant' && message.toolCalls !== undefined
        ? [
            {
              ...request,
              messages: messages.with(index, {
                ...message,
                toolCalls: message.toolCalls.map(call => ({ ...call, arguments: `x${call.arguments}` })),
              }),
            },
          ]
        : [],
    ),
  ]
}
