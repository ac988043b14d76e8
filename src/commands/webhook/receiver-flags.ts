import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Context } from '../../cli/context.ts'

/** The address of a webhook receiver that events are sent to. */
export function parseReceiver(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Give an http or https address, such as http://127.0.0.1:3000/hook.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError("User and password go into a header of its own: 'authorization: Basic …'.")
  }
  url.hash = ''
  return url.href
}

export interface Header {
  readonly name: string
  readonly value: string
}

/** A header as the command line gives it: whole, or where its secret is to be read. */
export type HeaderSource =
  | Header
  | { readonly name: string; readonly variable: string }
  /** Of lines as `name: value`. */
  | { readonly file: string }

const token = "[\\w!#$%&'*+.^`|~-]+"
const wholePattern = new RegExp(`^(${token}):[ \\t]*([^\\r\\n]*?)[ \\t]*$`)
const variablePattern = new RegExp(`^(${token})=env:([A-Za-z_]\\w*)$`)

/** `name: value`, `name=env:VARIABLE`, `@file`. */
export function parseHeaderSource(text: string): HeaderSource {
  if (/^@./.test(text)) return { file: text.slice(1) }
  const [, name, variable] = variablePattern.exec(text) ?? []
  if (name !== undefined && variable !== undefined) return { name, variable }
  const header = parseHeader(text)
  if (header === undefined)
    throw new InvalidArgumentError("Give it as 'name: value', name=env:VARIABLE or @file.")
  return header
}

/** `name: value`; undefined for what is none. */
export function parseHeader(text: string): Header | undefined {
  const [, name, value] = wholePattern.exec(text) ?? []
  return name === undefined || value === undefined || value === '' ? undefined : { name, value }
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

/** Why a request of ours cannot have this header, in words that do not hold its value. */
export function headerProblem({ name, value }: Header): string | undefined {
  const key = name.toLowerCase()
  if (ofConnection.includes(key)) return `${key} cannot be chosen.`
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : `${key} has a character no header can have.`
}

/** Collects headers of requests that we send. */
export function collectHeader(text: string, collected: readonly HeaderSource[] = []): HeaderSource[] {
  const source = parseHeaderSource(text)
  if ('file' in source) return [...collected, source]
  const key = source.name.toLowerCase()
  const problem = headerProblem({ name: key, value: 'value' in source ? source.value : '' })
  if (problem !== undefined) throw new InvalidArgumentError(problem)
  if (collected.some(other => 'name' in other && other.name.toLowerCase() === key))
    throw new InvalidArgumentError(`${key} is given twice.`)
  return [...collected, source]
}

/** Milliseconds that a receiver has for one event: `--timeout`, or 30 s. */
export function eventTimeout({ options }: Pick<Context, 'options'>): number {
  return options.timeout ?? 30_000
}
