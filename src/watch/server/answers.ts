import type { ServerResponse } from 'node:http'
import type { Rejection } from '../../webhook/receive/guard.ts'
import { pageHeaders } from './page-headers.ts'

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
