import { CallwrightError } from '../lib/error.ts'

/** A key that can stand in a header. Throws `unauthorized` otherwise, without showing the key. */
export function checkApiKey(apiKey: string): string {
  const error = apiKeyProblem(apiKey)
  if (error === undefined) return apiKey
  throw new CallwrightError('unauthorized', `the API key ${error}; nothing was sent`, {
    hint: 'copy the key again from the API keys section of the service’s dashboard',
    details: { outcome: 'not-sent' },
  })
}

/** What is wrong with a key, to follow "the API key"; undefined when it can be sent. */
export function apiKeyProblem(apiKey: string): string | undefined {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return undefined
  if (apiKey.trim() === '') return 'is empty'
  if (/\s/.test(apiKey)) return 'contains a space or line break'
  return 'contains a character that cannot be sent in a header'
}
