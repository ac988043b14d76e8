import type { IncomingMessage } from 'node:http'
import * as z from 'zod/mini'
import { decodeUtf8, withoutMark } from '../../files/text/index.ts'
import { check, formatFieldPath } from '../../interface/check.ts'
import { type FieldPath, keyError } from '../../interface/finding.ts'
import { getErrorReason } from '../../lib/error.ts'
import { isObject, nestsAtMost } from '../../lib/json.ts'
import type { BodyFailure, BodyReader } from '../../lib/net/body-reader.ts'
import { invalidBody, invalidField, Problem } from '../records/problem.ts'

type Body = Readonly<Record<string, unknown>>

/** Larger bodies are refused while they arrive. */
export const maxBodyBytes = 10 * 1024 * 1024

export interface BodyOptions {
  readonly maxBytes?: number
  /** True if the handler checks the fields. */
  readonly isCheckedLater?: boolean
}

/**
 * The JSON body of a request, checked by the interface's schema; warnings pass.
 * @throws Problem 415, 413, 408, 503, 400 or 422
 */
export async function readBody(
  request: IncomingMessage,
  schema: z.ZodMiniType,
  {
    bodies,
    onText = () => {},
    isOptional = false,
    maxBytes = maxBodyBytes,
    isCheckedLater = false,
  }: BodyOptions & {
    readonly bodies: BodyReader
    /** True if a missing body means an empty object. */
    readonly isOptional?: boolean | undefined
    readonly onText?: ((text: string) => void) | undefined
  },
): Promise<Body> {
  if (isOptional && hasNoBody(request)) return {}
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!/^application\/([a-z0-9.+-]+\+)?json$/.test(type)) {
    throw new Problem(415, `the body is ${type || 'of no stated type'}; the service takes application/json`, {
      hint: 'send Content-Type: application/json',
    })
  }
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    // Straight from the connection: as a web stream each body costs several times as much.
    bodies.read(request, {
      maxBytes,
      onBody: resolve,
      onFailure: reason => reject(failures[reason](maxBytes)),
    })
  })
  const text = decode(await decompressed(bytes, request.headers['content-encoding'], maxBytes))
  onText(text)
  return checkBody(parse(text), isCheckedLater ? z.looseObject({}) : schema)
}

/** A body that is read, checked by the interface's schema; warnings pass. @throws Problem 422 */
export function checkBody(body: unknown, schema: z.ZodMiniType): Body {
  if (!nestsAtMost(body, maxNesting)) {
    const message = `the body is nested deeper than ${maxNesting} levels`
    throw invalidField([], 'too-deep', message, 'send a smaller or flatter body')
  }
  const lost = pathOfPrototype(body)
  if (lost !== undefined) {
    const message = `${formatFieldPath(lost)}: ${prototypeName} cannot be the name of a field`
    throw invalidBody([keyError(lost, message)])
  }
  const findings = check(schema, body).filter(({ severity }) => severity === 'error')
  if (findings.length > 0) throw invalidBody(findings)
  // Every schema of a body is an object's, so only an object passes it.
  return isObject(body) ? body : {}
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/**
 * Levels. JSON.parse reads any depth, but writing a record to the journal or into a webhook recurses. More than a file may
 * have (100), since the body of a call carries an assistant.
 */
const maxNesting = 200

/** Finds a field named `__proto__`, which zod neither checks nor returns. */
function pathOfPrototype(value: unknown): FieldPath | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, prototypeName)) return [prototypeName]
  for (const [key, inner] of Object.entries(value)) {
    const path = pathOfPrototype(inner)
    if (path !== undefined) return [Array.isArray(value) ? Number(key) : key, ...path]
  }
  return undefined
}

const prototypeName = '__proto__'

const failures: Readonly<Record<BodyFailure, (maxBytes: number) => Problem>> = {
  slow: () =>
    new Problem(408, 'the body came too slowly; nothing was done', { headers: { connection: 'close' } }),
  crowded: () =>
    new Problem(503, 'too many bodies are coming at once; nothing was done', {
      hint: 'send it again',
      headers: { 'retry-after': '1', connection: 'close' },
    }),
  'too-large': tooLarge,
  aborted: () => new Problem(400, 'the body ended early'),
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, `the body is larger than ${maxBytes / 1024 / 1024} MB`, {
    hint: 'send it in several requests',
    headers: { connection: 'close' },
  })
}

async function decompressed(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding === undefined) return bytes
  const { decompress } = await import('../../files/text/index.ts')
  const result = decompress(bytes, encoding, maxBytes)
  if (result.kind === 'too-large') throw tooLarge(maxBytes)
  if (result.kind !== 'unknown') return result.bytes
  throw new Problem(415, result.problem, {
    hint: 'send the body as it is, or compressed as its Content-Encoding says: gzip, deflate or br',
    headers: { 'accept-encoding': 'gzip, deflate, br' },
  })
}

function decode(bytes: Buffer): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new Problem(400, 'the body is not UTF-8')
  return withoutMark(text)
}

function parse(text: string): unknown {
  if (text === '') throw new Problem(400, 'the body is empty', { hint: 'send a JSON object' })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem(400, `the body is not JSON: ${getErrorReason(error)}`)
  }
}
