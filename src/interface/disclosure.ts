import { lazy } from '../lib/lazy.ts'

// All patterns are in lower case, as the text that they are tested on is: V8 compiles a pattern that ignores case several times slower.

/** Sentences of a prompt. A line break inside a paragraph does not end one, a list item does. */
const sentenceEnd = /[.!?;]+\s|\n\s*(?:\n|[-*•\d])/

const machineNoun =
  '(?:ai\\b|a\\.i\\.|artificial intelligence|(?:ro|chat|voice)?bot\\b|robot|machine|computer|software|(?:large )?language model|llm\\b|virtual (?:assistant|agent)|automated|non-human|not (?:a )?(?:human|(?:real )?person))'
const machine = `(?:an? |the |any |just |only |really |actually |artificial |automated |virtual |voice |phone )*${machineNoun}`
const humanNoun = '(?:human(?: being)?|person)\\b'
const human = `(?:an? |the |actual |real |living |flesh-and-blood )*${humanNoun}`
const being =
  "(?:(?:that )?(?:you are|you're|you were|they are (?:talking|speaking) (?:to|with)|it is|this is)|being|to be|as)"
const between = '(?:(?!\\bnot\\b)[^.;!?]){0,40}?'
const speech = '(?:say|tell|admit|reveal|disclose|mention|acknowledge|confirm|state|share|let)(?:ing)?\\b'

/** Words of which each denial of a machine has one. */
const negative =
  "\\b(?:never|no|not|cannot|avoid|without|refuse|hide|conceal|deny|keep secret|cover up)\\b|n't"

/** Denials of what the assistant is, in English. */
const english = denialsAbout({ machine: machineNoun, human: humanNoun, negative }, [
  // "Never say that you are an AI", "Don't tell callers you're a bot"
  `\\b(?:never|do not|don't|must not|mustn't|should not|shouldn't|may not|cannot|can't|not to|avoid|without|refuse to|under no circumstances,?(?: (?:should|may|must) you)?)(?: ever| under any circumstances,?)? ${speech}${between} ${being} ${machine}`,
  // "Do not reveal your AI nature", "hide the fact that you are a robot"
  `\\b(?:hide|conceal|deny|keep secret|cover up)\\b${between} (?:${being} )?${machine}`,
  // "Pretend to be human", "claim that you are a real person", "insist you are not a robot"
  `\\b(?:pretend|claim|insist|say|state|answer|reply|convince)${between} ${being} (?:${human}|not ${machine})`,
  // "If asked whether you are an AI, say no"
  `\\b(?:if|when(?:ever)?)\\b[^.;!?]{0,60}?[ "'](?:${being}|are you|is this) ${machine}[^.;!?]{0,30}? (?:(?:say|answer|reply|respond)(?: with)? ["']?no\\b(?! \\w)|deny (?:it|this|that)\\b)`,
  // "You are a real person"
  `^[^a-z]*(?:you are|you're) (?:an? )?(?:(?:real|actual|living|flesh-and-blood) (?:human(?: being)?|person)\\b|human(?: being)?(?=[,.;!]|$))`,
])

// cspell:disable
/** The same denials in German, Spanish and French, in the order of the English ones. */
const translated = [
  inLanguage({
    machine:
      '(?:eine?n? )?(?:ki\\b|ai\\b|künstliche intelligenz|(?:ro|chat|sprach|voice)?bot\\b|roboter|maschine|computer|sprachmodell|(?:sprach|virtueller )assistent|automatisiert)',
    human:
      '(?:ein(?:e|en)? )?(?:(?:echte|wirkliche|reale)[rn]? (?:mensch|person)|mensch(?:en)?(?=[,.;!]| aus| und| bist| sind|$))',
    never:
      '(?:\\b(?:sag|verrat|erwähn|erzähl|offenbar|gib|geben)\\S*(?: sie)?(?: \\S+){0,2} (?:nie|niemals|nicht|keinesfalls|auf keinen fall|unter keinen umständen)(?: zu)?,?|(?:nie|niemals|nicht|keinesfalls|auf keinen fall|unter keinen umständen) (?:sag|verrat|erwähn|erzähl|offenbar|zugeb)\\S*,?) dass (?:(?:du|sie|ich) |es sich um )',
    pretend:
      '(?:gib dich als|geben sie sich als|tu so,? als (?:ob|wärst|wärest) du|\\b(?:sag|behaupt|antwort)\\S*(?: sie)?,? dass (?:du|sie)) ',
    not: '(?:\\b(?:sag|behaupt|antwort)\\S*(?: sie)?,? dass (?:du|sie)) k',
    negative: '\\bnie|\\bnicht|\\bkein|\\bnein|vernein',
    no: ['(?:ob|wenn|falls)', '(?:(?:sag|antwort)\\S*(?: sie)?(?: mit)? ["„]?nein\\b|verneine)'],
    are: '(?:du bist|sie sind)',
  }),
  inLanguage({
    machine:
      '(?:una? )?(?:ia\\b|inteligencia artificial|(?:chat)?bot\\b|robot|máquina|ordenador|computadora|asistente virtual|automatizad[oa])',
    human: '(?:una? )?(?:persona (?:real|de verdad)|ser humano|human[oa])(?![a-z])',
    never:
      '(?:nunca|jamás|\\bno|bajo ningun[ao] (?:circunstancia|concepto)|en ningún caso) (?:dig|revel|admit|mencion|confies|reconozc)\\S*(?: \\S+){0,3} que (?:eres|es(?: usted)?|se trata de|hablan con) ',
    pretend:
      '(?:\\bfinge (?:que eres|ser)|\\bfinja ser|haz(?:te)? pasar por|\\b(?:di|diga|afirma|asegura|responde) que eres) ',
    not: '\\b(?:di|diga|afirma|asegura|responde) que no eres ',
    negative: 'nunca|jamás|\\bno\\b|ning[uú]n',
    no: ['\\bsi', '(?:di|diga|responde|contesta)(?: que)? no\\b'],
    are: 'eres',
  }),
  inLanguage({
    machine:
      '(?:une? )?(?:ia\\b|intelligence artificielle|(?:chat)?bot\\b|robot|machine|ordinateur|assistante? virtuel|automatisée?)',
    human: '(?:une? )?(?:vraie? (?:personne|humaine?)|personne réelle|être humain|humaine?)(?![a-z])',
    never:
      "(?:\\bn(?:e |')(?:dis|dites|révèle|révélez|admets|admettez|avoue|avouez|mentionne|mentionnez)(?: surtout)? (?:jamais|pas)|\\bne (?:dois|devez|doit|faut) (?:jamais|pas) (?:dire|révéler|admettre|avouer|mentionner)|\\bne (?:jamais|pas) (?:dire|révéler|admettre|avouer|mentionner))(?: \\S+){0,3} que (?:tu es|vous êtes|c'est) ",
    pretend:
      "(?:(?:fais|faites) semblant d'être|fais-toi passer pour|faites-vous passer pour|prétend(?:s|ez) être|\\b(?:dis|affirme) que tu es|\\b(?:dites|affirmez) que vous êtes) ",
    not: "(?:\\b(?:dis|affirme) que tu n'es|\\b(?:dites|affirmez) que vous n'êtes) pas ",
    negative: "\\bne |\\bn'|\\bnon\\b",
    no: ['\\bsi', '(?:dis|dites|réponds|répondez)(?: que)? non\\b'],
    are: '(?:tu es|vous êtes)',
  }),
]
// cspell:enable

interface Words {
  readonly machine: string
  readonly human: string
  readonly negative: string
}

interface Language extends Words {
  /** "Never say that you are", "pretend to be", "say that you are not". */
  readonly never: string
  readonly pretend: string
  readonly not: string
  /** "If" and "say no". */
  readonly no: readonly [condition: string, answer: string]
  readonly are: string
}

function inLanguage(language: Language) {
  const {
    machine: it,
    human: person,
    never,
    pretend,
    not,
    no: [condition, answer],
    are,
  } = language
  return denialsAbout(language, [
    `${never}${it}`,
    `${pretend}${person}`,
    `${not}${it}`,
    `${condition}[^.;!?]{0,60}? ${it}[^.;!?]{0,30}? ${answer}`,
    `^[^a-z]*${are} ${person}`,
  ])
}

/**
 * Returns the denials of a language, each of which names a human, or a machine with a negative word. Few sentences do, and to compile all
 * denials takes longer than to check the rest of an assistant.
 */
function denialsAbout({ machine, human, negative }: Words, denials: readonly string[]) {
  return {
    human: new RegExp(human),
    machine: new RegExp(machine),
    negative: new RegExp(negative),
    denials: lazy(() => denials.map(source => new RegExp(source))),
  }
}

// cspell:disable
/** Words before a match that turn it round, as in "Never pretend to be human" and "Never deny that you are an AI". */
const negation =
  /\b(?:never|under no circumstances|do not|don't|must not|mustn't|should not|shouldn't|may not|cannot|can't|not to|avoid|without|not|niemals|nie|nicht|nunca|jamás|no|ne|jamais)\b[^.;!?,]*$/

/** Limits of a prohibition, as in "Do not mention that you are an AI unless asked". */
const limit = /^[^.;!?]*\b(?:unless|until|except|before|außer|bis|salvo|a menos que|sauf|avant)\b/

// cspell:enable

/** Returns the line of a prompt, from 1, whose words make the assistant deny that it is an AI; undefined if there is none. */
export function findDenial(prompt: string): number | undefined {
  const text = prompt.replaceAll('’', "'")
  let end = 0
  for (const sentence of text.split(sentenceEnd)) {
    const start = text.indexOf(sentence, end)
    end = start + sentence.length
    if (!isDenial(sentence.toLowerCase().replace(/\s+/g, ' '))) continue
    return text.slice(0, end - sentence.trimStart().length).split('\n').length
  }
  return undefined
}

function isDenial(sentence: string): boolean {
  return [english, ...translated].some(
    ({ human, machine, negative, denials }) =>
      (human.test(sentence) || (negative.test(sentence) && machine.test(sentence))) &&
      denials().some(denial => denies(denial, sentence)),
  )
}

function denies(denial: RegExp, sentence: string): boolean {
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
