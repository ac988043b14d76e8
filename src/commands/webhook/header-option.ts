import { InvalidArgumentError } from 'commander'

export interface Header {
  readonly name: string
  readonly value: string
}

/** `name: value`. */
export function parseHeader(header: string): Header {
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*?)[ \t]*$/.exec(header)
  const [, name, value] = match ?? []
  if (name === undefined || value === undefined || value === '') {
    throw new InvalidArgumentError("Give it as 'name: value'.")
  }
  return { name, value }
}

/** Belong to the connection, which is ours. */
const ofConnection = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]

/** Collects headers of requests that we send; names in lower case. */
export function collectHeader(
  text: string,
  collected: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { name, value } = parseHeader(text)
  const key = name.toLowerCase()
  if (ofConnection.includes(key)) throw new InvalidArgumentError(`${key} cannot be chosen.`)
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new InvalidArgumentError(`${key} has a character no header can have.`)
  if (Object.hasOwn(collected, key)) throw new InvalidArgumentError(`${key} is given twice.`)
  return Object.fromEntries([...Object.entries(collected), [key, value]])
}
