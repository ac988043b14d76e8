import { dirname, resolve } from 'node:path'
import type { Environment } from '../context.ts'
import type { FieldPath, Finding } from '../errors.ts'
import { formatPath } from '../interface/check.ts'
import { didYouMean } from '../interface/did-you-mean.ts'
import { isObject } from '../interface/is-object.ts'
import { readText } from './read-text.ts'
import { byteOrderMark } from './text-position.ts'

export interface ReferenceOptions {
  /** Absolute path of the file that holds the references; `${file:…}` is relative to its folder. */
  readonly file: string
  readonly env: Environment
}

export interface Resolved {
  readonly value: unknown
  readonly findings: readonly Finding[]
  /** Fields that hold text from the environment: not to be shown. */
  readonly fromEnvironment: readonly FieldPath[]
}

type Content = { readonly text: string } | { readonly problem: string; readonly hint?: string | undefined }

interface Walk extends ReferenceOptions {
  readonly contents: ReadonlyMap<string, Content>
  readonly findings: Finding[]
  readonly fromEnvironment: FieldPath[]
}

/**
 * Replaces `${env:NAME}`, `${env:NAME:-default}` (also when NAME is empty) and `${file:path}` in every text of a value;
 * `$${` is a literal `${`. What comes in is not looked into again. Values without references are returned as they are.
 */
export async function resolveReferences(value: unknown, options: ReferenceOptions): Promise<Resolved> {
  const names = new Set<string>()
  if (!collectFiles(value, names)) return { value, findings: [], fromEnvironment: [] }
  const contents = new Map<string, Content>()
  for (const name of names) contents.set(name, await readContent(name, options.file))
  const walk: Walk = { ...options, contents, findings: [], fromEnvironment: [] }
  return {
    value: replaceAll(value, [], walk),
    findings: walk.findings,
    fromEnvironment: walk.fromEnvironment,
  }
}

const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g
const envPattern = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s
const filePattern = /^file:(.+)$/s

/** Whether the value has any reference at all; names the files that it asks for. */
function collectFiles(value: unknown, names: Set<string>): boolean {
  if (typeof value === 'string') {
    if (!value.includes('${')) return false
    for (const [, inner] of value.matchAll(pattern)) {
      const name = filePattern.exec(inner ?? '')?.[1]
      if (name !== undefined) names.add(name)
    }
    return true
  }
  let any = false
  const children = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  for (const child of children) any = collectFiles(child, names) || any
  return any
}

async function readContent(name: string, holder: string): Promise<Content> {
  const read = await readText(resolve(dirname(holder), name))
  if ('text' in read) return { text: read.text.startsWith(byteOrderMark) ? read.text.slice(1) : read.text }
  return { problem: read.flaw.message, hint: read.flaw.hint }
}

function replaceAll(value: unknown, path: FieldPath, walk: Walk): unknown {
  if (typeof value === 'string') return value.includes('${') ? replaceIn(value, path, walk) : value
  if (Array.isArray(value)) return value.map((item, index) => replaceAll(item, [...path, index], walk))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, replaceAll(field, [...path, key], walk)]),
  )
}

function replaceIn(text: string, path: FieldPath, walk: Walk): string {
  let secret = false
  const replaced = text.replace(pattern, (found: string, inner: string | undefined) => {
    if (found === '$${') return '${'
    const [, name, fallback] = envPattern.exec(inner ?? '') ?? []
    if (name !== undefined) {
      secret = true
      return environment(name, fallback, path, walk)
    }
    const file = filePattern.exec(inner ?? '')?.[1]
    if (file !== undefined) return content(file, path, walk)
    walk.findings.push(badReference(found, inner, path))
    return found
  })
  if (secret) walk.fromEnvironment.push(path)
  return replaced
}

function environment(
  name: string,
  fallback: string | undefined,
  path: FieldPath,
  { env, findings }: Walk,
): string {
  const value = env[name]
  if (value !== undefined && (value !== '' || fallback === undefined)) return value
  if (fallback !== undefined) return fallback
  findings.push({
    ...place(path),
    code: 'missing-env',
    message: `${formatPath(path)} needs the environment variable ${name}, which is not set`,
    hint: `set ${name}, or give a default: \${env:${name}:-default}`,
  })
  return ''
}

function content(file: string, path: FieldPath, { contents, findings }: Walk): string {
  const found = contents.get(file)
  if (found !== undefined && 'text' in found) return found.text
  findings.push({
    ...place(path),
    code: 'missing-file',
    message: `${formatPath(path)} includes ${file}: ${found?.problem ?? 'no such file'}`,
    hint: found?.hint ?? 'the path is relative to the file that names it',
  })
  return ''
}

function badReference(found: string, inner: string | undefined, path: FieldPath): Finding {
  const [, word] = /^\s*([^:\s]+)\s*:/.exec(inner ?? '') ?? []
  const meant = word === undefined ? undefined : didYouMean(word, ['env', 'file'])
  const message =
    inner === undefined
      ? `${formatPath(path)} has a \${ that no } closes`
      : `${formatPath(path)} has ${found}, which is no reference; allowed: \${env:NAME}, \${env:NAME:-default}, \${file:path}`
  const suggestion = meant === undefined || meant === word ? '' : `did you mean \${${meant}:…}? `
  return {
    ...place(path),
    code: 'bad-reference',
    message,
    hint: `${suggestion}for the characters \${ themselves write $\${`,
  }
}

function place(path: FieldPath): Pick<Finding, 'path' | 'at' | 'severity'> {
  return { path, at: 'value', severity: 'error' }
}
