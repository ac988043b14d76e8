import { CliError } from '../errors.ts'

/** A key that can stand in a header. Throws `unauthorized` otherwise, without showing the key. */
export function checkApiKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  const what =
    apiKey.trim() === ''
      ? 'is empty'
      : /\s/.test(apiKey)
        ? 'contains a space or line break'
        : 'contains a character that cannot be sent in a header'
  throw new CliError('unauthorized', `the API key ${what}; nothing was sent`, {
    hint: 'copy the key again from the API keys section of the service’s dashboard',
    details: { outcome: 'not-sent' },
  })
}
