import type { ServerResponse } from 'node:http'
import type { Rejection } from '../../webhook/index.ts'

/** Node leaves the body of an answer to HEAD out. */
export function answer(
  response: ServerResponse,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(200, { ...pageHeaders, ...headers, 'content-type': type, 'content-length': length })
  response.end(body)
}

export function answerJson(response: ServerResponse, value: unknown): void {
  answer(response, 'application/json', JSON.stringify(value))
}

export function refuse(response: ServerResponse, { status, message, headers = {} }: Rejection): void {
  const body = JSON.stringify({ message })
  response.writeHead(status, {
    ...pageHeaders,
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** Sent with every answer of the page: it loads its own script and style, talks to its own listener, and nothing else. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // The icon alone: without one a browser would ask the receiver for /favicon.ico.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}
