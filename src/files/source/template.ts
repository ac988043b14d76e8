import { type ResourceKind, resourceKinds } from '../../interface/words.ts'

/** A reference to another file of the project: `${tool:book}`. */
export interface ResourceReference {
  readonly kind: ResourceKind
  readonly name: string
}

/** A literal or a reference; `written` is the reference's source text. */
export type TemplateSegment =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'env'
      readonly name: string
      readonly fallback: string | undefined
      readonly written: string
    }
  | { readonly kind: 'file'; readonly path: string; readonly written: string }
  | { readonly kind: 'resource'; readonly resource: ResourceReference; readonly written: string }
  /** Invalid reference; `inner` is undefined if it is unclosed. */
  | { readonly kind: 'bad'; readonly inner: string | undefined; readonly written: string }

const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g
const envPattern = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s
const filePattern = /^file:(.+)$/s
const resourcePattern = new RegExp(`^(${resourceKinds.join('|')}):(\\S(?:.*\\S)?)$`)

/** Splits a text into literals and references; `$${` is a literal `${`. Always returns at least one segment. */
export function parseTemplate(text: string): TemplateSegment[] {
  const segments: TemplateSegment[] = []
  let literal = ''
  let end = 0
  for (const match of text.matchAll(pattern)) {
    const [written, inner] = match
    literal += text.slice(end, match.index)
    end = match.index + written.length
    if (written === '$${') {
      literal += '${'
      continue
    }
    if (literal !== '') segments.push({ kind: 'text', text: literal })
    literal = ''
    segments.push(parseReference(written, inner))
  }
  literal += text.slice(end)
  if (literal !== '' || segments.length === 0) segments.push({ kind: 'text', text: literal })
  return segments
}

function parseReference(written: string, inner: string | undefined): TemplateSegment {
  const [, name, fallback] = envPattern.exec(inner ?? '') ?? []
  if (name !== undefined) return { kind: 'env', name, fallback, written }
  const [, path] = filePattern.exec(inner ?? '') ?? []
  if (path !== undefined) return { kind: 'file', path, written }
  const [, word, resourceName = ''] = resourcePattern.exec(inner ?? '') ?? []
  const kind = resourceKinds.find(candidate => candidate === word)
  if (kind !== undefined) return { kind: 'resource', resource: { kind, name: resourceName }, written }
  return { kind: 'bad', inner, written }
}
