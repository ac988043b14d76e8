import { aboutCalls, aboutConsent, aboutDate, otherChannel } from './consent-words.ts'
import { questionOf, usesOfHeading } from './headings.ts'

/**
 * True for a heading that is not known, and may say whether people may be called: `Consent (1 = no)`. One that names another channel,
 * such as `Email opt-out`, does not.
 */
export function mayBeAboutConsent(heading: string): boolean {
  const question = questionOf(heading)
  const isOther = otherChannel().test(question) && !aboutCalls().test(question)
  return !isOther && usesOfHeading(heading).length === 0 && aboutConsent().test(question)
}

/** True for a heading of dates, such as `Opt-out date` and `unsubscribed_at`. */
export function isAboutDate(heading: string): boolean {
  return aboutDate().test(questionOf(heading))
}
