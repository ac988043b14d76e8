import { describe, expect, test } from 'vitest'
import { findDenial, mentionsRecording } from '../../src/interface/disclosure.ts'

describe('a prompt denies that the assistant is an AI', () => {
  test.each([
    'Never say that you are an AI.',
    'Be kind. never say that you are an AI assistant',
    'Do not ever reveal to the caller that you are a bot!',
    "Don't tell anyone you're a robot.",
    'Don’t tell callers that you’re an artificial intelligence.',
    'You must not admit being a machine.',
    'Under no circumstances let them know it is automated; never mention that they are talking to a computer.',
    'Pretend to be a human.',
    'If asked, say that you are a real person.',
    'If somebody asks whether you are a robot, claim you are human.',
    'Insist that you are not a bot.',
    'Deny that you are an AI.',
    'Hide the fact that you are a language model.',
    'You are Ada.\n\nRules:\n- Answer in one sentence.\n- Never\n  say that you are a virtual assistant',
  ])('%s', prompt => {
    expect(findDenial(prompt)).toBeDefined()
  })

  test.each([
    'Never say that you are a lawyer.',
    'Never say that you are a doctor or a lawyer, and never give advice about machines.',
    'Never pretend to be human.',
    'Do not claim that you are a real person.',
    'Never deny that you are an AI.',
    'Never say that you are not an AI.',
    'Say that you are an AI. Never promise a price.',
    'If asked, say that you are an AI and not a person.',
    'Do not mention that you are an AI unless the caller asks.',
    'Never forget to say that you are an AI.',
    'Do not hesitate to say that you are a robot.',
    'You sell coffee machines. Never say that you are out of coffee machines.',
    'Never tell the caller how the robot vacuum works.',
    'Say that you are happy to connect the caller to a person.',
    'Never say that the AI team is closed.',
  ])('not: %s', prompt => {
    expect(findDenial(prompt)).toBeUndefined()
  })

  test('in a line', () => {
    expect(findDenial('Be kind.\n\n- Answer.\n- Never say that\n  you are an AI.\n')).toBe(4)
    expect(findDenial('You are Ada. Pretend to be human.')).toBe(1)
  })

  test('takes linear time', () => {
    for (const part of ['never say ', 'you are ', 'pretend to be ', "don't ", 'a '])
      expect(findDenial(part.repeat(100_000))).toBeUndefined()
  })
})

test.each([
  ['This call is recorded.', true],
  ['Dieses Gespräch wird aufgezeichnet.', true],
  ['Cet appel est enregistré.', true],
  ['Esta llamada será grabada.', true],
  ['この通話は録音されます。', true],
  ['Hello, how can I help?', false],
])('%s mentions recording: %s', (text, expected) => {
  expect(mentionsRecording(text)).toBe(expected)
})
