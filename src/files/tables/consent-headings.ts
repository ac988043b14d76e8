import { typingError } from '../../lib/text/did-you-mean.ts'
import {
  aboutCalls,
  aboutConsent,
  aboutDate,
  aboutStatus,
  misspelled,
  otherMatter,
  otherThanCalls,
} from './consent-words.ts'
import { questionOf, usesOfHeading } from './headings.ts'

/**
 * True for a heading that is not known, and may say whether people may be called: `Consent (1 = no)`, or a misspelled `Consent`. One
 * that names another channel or matter, such as `Email opt-out`, does not.
 */
export function mayBeAboutConsent(heading: string): boolean {
  if (usesOfHeading(heading).length > 0) return false
  let question = questionOf(heading)
  for (const [pattern, replacement] of otherThanCalls()) question = question.replace(pattern, replacement)
  const isOther = otherMatter().test(question) && !aboutCalls().test(question)
  return !isOther && (aboutConsent().test(question) || hasTypingError(question))
}

function hasTypingError(question: string): boolean {
  const words = [...question.split(' '), question.replaceAll(' ', '')]
  return words.some(word => word !== 'content' && typingError(word, misspelled, 1) !== undefined)
}

/** True for a heading of dates, such as `Opt-out date` and `unsubscribed_at`. */
export function isAboutDate(heading: string): boolean {
  return aboutDate().test(questionOf(heading))
}

/** True for a heading that names calls, such as `Consent (phone)`. */
export function isAboutCalls(heading: string): boolean {
  return aboutCalls().test(questionOf(heading))
}

/** True for a heading of the status of people. */
export function isAboutStatus(heading: string): boolean {
  return aboutStatus().test(questionOf(heading))
}
