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
    'If asked whether you are an AI, say no.',
    'When someone asks "are you a bot", deny it.',
    'You are a real person.',
    'You are Ada. You are human, not an AI.',
    'Under no circumstances disclose that you are an AI.',
    'Under no circumstances should you reveal that you are a bot.',
    'Never reveal you are automated.',
    'Sag niemals, dass du eine KI bist.',
    'Verraten Sie auf keinen Fall, dass Sie ein Bot sind.',
    'Du darfst nie zugeben, dass du ein Roboter bist.',
    'Gib dich als Mensch aus.',
    'Sage, dass du keine KI bist.',
    'Wenn jemand fragt, ob du eine KI bist, sag nein.',
    'Du bist ein echter Mensch.',
    'Nunca digas que eres una IA.',
    'No reveles a nadie que eres un bot.',
    'Finge ser humano.',
    'Di que no eres un robot.',
    'Si preguntan si eres una IA, di que no.',
    'Eres una persona real.',
    'Ne dis jamais que tu es une IA.',
    'Vous ne devez jamais révéler que vous êtes un robot.',
    'Fais semblant d’être humain.',
    'Dites que vous n’êtes pas un robot.',
    'Si on te demande si tu es une IA, réponds non.',
    'Tu es une vraie personne.',
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
    'If asked whether you are an AI, say yes.',
    'If asked whether you are a bot, say no more than that you are one.',
    'If asked whether you are a real person, say no.',
    'Do not pretend to be human.',
    'Under no circumstances deny that you are an AI.',
    'You are a human resources assistant.',
    'You are not a real person.',
    'Sag, dass du eine KI bist.',
    'Sag nie, dass du keine KI bist.',
    'Du darfst nie sagen, dass du ein Mensch bist.',
    'Gib dich nicht als Mensch aus.',
    'Wenn jemand fragt, ob du eine KI bist, sag ja.',
    'Verrate nie, dass die Maschine defekt ist.',
    'Nunca digas que no eres una IA.',
    'No finjas ser humano.',
    'Di que eres una IA.',
    'Nunca digas que eres una persona real.',
    'Si preguntan si eres una IA, di que sí.',
    'Ne dis jamais que tu n’es pas une IA.',
    'Ne fais pas semblant d’être humain.',
    'N’hésite pas à dire que tu es une IA.',
    'Si on te demande si tu es une IA, réponds oui.',
  ])('not: %s', prompt => {
    expect(findDenial(prompt)).toBeUndefined()
  })

  test('in a line', () => {
    expect(findDenial('Be kind.\n\n- Answer.\n- Never say that\n  you are an AI.\n')).toBe(4)
    expect(findDenial('You are Ada. Pretend to be human.')).toBe(1)
  })

  test('takes linear time', () => {
    for (const part of [
      'never say ',
      'you are ',
      'pretend to be ',
      "don't ",
      'a ',
      'if are you an ai ',
      'no digas ',
      'ne dis pas ',
      'sag nie ',
      'ob ',
    ])
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
