import { ModelFailure } from './model-failure.ts'

/** Where a model is asked, and with what. */
export interface ModelAddress {
  readonly url: URL
  /** Authorization, or nothing. */
  readonly headers: Readonly<Record<string, string>>
  /** What must not be said of it. */
  readonly secrets: readonly string[]
}

/**
 * `/chat/completions` below a base URL (interface.md 2.1, assistantLLMUrl), whatever slash it ends with and before its
 * query. The key goes out as a bearer token; without one, a user name and password of the URL go out as they do anywhere.
 * @throws ModelFailure when it is no http or https URL, or the key is none that a header can hold
 */
export function addressOf(baseUrl: string, apiKey = ''): ModelAddress {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ModelFailure('the model’s address is not an http or https URL')
  if (!/^[\x20-\x7e]*$/.test(apiKey))
    throw new ModelFailure('the model’s key has characters that no header can hold')
  const login = [url.username, url.password].map(decode)
  const secrets = [apiKey, ...login, url.search, ...url.searchParams.values()]
  url.username = ''
  url.password = ''
  url.hash = ''
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`
  return { url, headers: authorization(apiKey, login), secrets: secrets.filter(secret => secret !== '') }
}

function authorization(apiKey: string, login: readonly string[]): Record<string, string> {
  if (apiKey !== '') return { authorization: `Bearer ${apiKey}` }
  if (login.every(part => part === '')) return {}
  return { authorization: `Basic ${Buffer.from(login.join(':')).toString('base64')}` }
}

/** A lone percent sign is one. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
