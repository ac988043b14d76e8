/** Sentences of a prompt. A line break inside a paragraph does not end one, a list item does. */
const sentenceEnd = /[.!?;]+\s|\n\s*(?:\n|[-*•\d])/

const machine =
  '(?:an? |the |any |just |only |really |actually |artificial |automated |virtual |voice |phone )*(?:ai\\b|a\\.i\\.|artificial intelligence|(?:ro|chat|voice)?bot\\b|robot|machine|computer|software|(?:large )?language model|llm\\b|virtual (?:assistant|agent)|automated|non-human|not (?:a )?(?:human|(?:real )?person))'
const human = '(?:an? |the |actual |real |living |flesh-and-blood )*(?:human(?: being)?|person)\\b'
const being =
  "(?:(?:that )?(?:you are|you're|you were|they are (?:talking|speaking) (?:to|with)|it is|this is)|being|to be|as)"
const between = '(?:(?!\\bnot\\b)[^.;!?]){0,40}?'
const speech = '(?:say|tell|admit|reveal|disclose|mention|acknowledge|confirm|state|share|let)(?:ing)?\\b'

/** Denials of what the assistant is, in English. */
const denials = [
  // "Never say that you are an AI", "Don't tell callers you're a bot"
  `\\b(?:never|do not|don't|don’t|must not|mustn't|should not|shouldn't|may not|cannot|can't|not to|avoid|without|refuse to)(?: ever| under any circumstances,?)? ${speech}${between} ${being} ${machine}`,
  // "Do not reveal your AI nature", "hide the fact that you are a robot"
  `\\b(?:hide|conceal|deny|keep secret|cover up)\\b${between} (?:${being} )?${machine}`,
  // "Pretend to be human", "claim that you are a real person", "insist you are not a robot"
  `\\b(?:pretend|claim|insist|say|state|answer|reply|convince)${between} ${being} (?:${human}|not ${machine})`,
].map(source => new RegExp(source, 'i'))

/** Words before a match that turn it round, as in "Never pretend to be human" and "Never deny that you are an AI". */
const negation =
  /\b(?:never|do not|don't|don’t|must not|mustn't|should not|shouldn't|may not|cannot|can't|not to|avoid|without|not)\b[^.;!?,]*$/i

/** Limits of a prohibition, as in "Do not mention that you are an AI unless asked". */
const limit = /^[^.;!?]*\b(?:unless|until|except|before)\b/i

/** Returns the line of a prompt, from 1, whose words make the assistant deny that it is an AI; undefined if there is none. */
export function findDenial(prompt: string): number | undefined {
  const text = prompt.replaceAll('’', "'")
  let end = 0
  for (const sentence of text.split(sentenceEnd)) {
    const start = text.indexOf(sentence, end)
    end = start + sentence.length
    if (!denials.some(denial => isDenial(denial, sentence.replace(/\s+/g, ' ')))) continue
    return text.slice(0, end - sentence.trimStart().length).split('\n').length
  }
  return undefined
}

function isDenial(denial: RegExp, sentence: string): boolean {
  const match = denial.exec(sentence)
  if (match === null) return false
  const after = sentence.slice(match.index + match[0].length)
  return !negation.test(sentence.slice(0, match.index)) && !limit.test(after)
}

// cspell:disable
/** Words about recording in the languages of Europe, Chinese and Japanese. */
const recording =
  /record(?:ed|ing|s)?\b|\btaped\b|aufgezeichnet|aufzeichn|aufgenommen|mitgeschnitten|enregistr|grabad|grabar|grabamos|graba\b|gravad|gravar|registrat|registrazion|opgenomen|nagryw|nagran|optag|spelas in|запис|録音|录音|錄音/i
// cspell:enable

/** True if a text says something about recording. */
export function mentionsRecording(text: string): boolean {
  return recording.test(text)
}
