import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import type { BodyForm } from '../../../src/events/conversation/index.ts'

/** The body of a request that carries events in another form than one JSON object in UTF-8. */
export interface OddBody {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly forms: readonly BodyForm[]
}

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** One event in every form of one body. */
export function oddBodies(event: unknown): readonly OddBody[] {
  const text = JSON.stringify(event)
  const utf8 = Buffer.from(text)
  const little = Buffer.from(text, 'utf16le')
  const big = Buffer.from(little).swap16()
  const bom = Buffer.from([0xef, 0xbb, 0xbf])
  const coded = (name: string, body: Buffer): OddBody => ({
    name,
    headers: { ...json, 'content-encoding': name },
    body,
    forms: ['compressed'],
  })
  const inForm = (name: string, body: string): OddBody => ({
    name: `form, ${name}`,
    headers: form,
    body: Buffer.from(body),
    forms: ['form'],
  })
  return [
    { name: 'byte order mark', headers: json, body: Buffer.concat([bom, utf8]), forms: ['byte-order-mark'] },
    {
      name: 'UTF-16LE with its mark',
      headers: json,
      body: Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
      forms: ['byte-order-mark'],
    },
    {
      name: 'UTF-16BE with its mark',
      headers: json,
      body: Buffer.concat([Buffer.from([0xfe, 0xff]), big]),
      forms: ['byte-order-mark'],
    },
    {
      name: 'UTF-16LE by its charset',
      headers: { 'content-type': 'application/json; charset=utf-16le' },
      body: little,
      forms: ['charset'],
    },
    {
      name: 'UTF-16BE by its charset',
      headers: { 'content-type': 'application/json; charset="UTF-16BE"' },
      body: big,
      forms: ['charset'],
    },
    { name: 'UTF-16LE without a word', headers: json, body: little, forms: ['charset'] },
    { name: 'UTF-16BE without a word', headers: {}, body: big, forms: ['charset'] },
    {
      name: 'Latin-1',
      headers: { 'content-type': 'application/json; charset=iso-8859-1' },
      body: Buffer.from(text.replace(/[^\x00-\xff]/g, escapeUnit), 'latin1'),
      forms: ['charset'],
    },
    {
      name: 'UTF-8 that is declared as Latin-1',
      headers: { 'content-type': 'application/json; charset=iso-8859-1' },
      body: utf8,
      forms: [],
    },
    coded('gzip', gzipSync(utf8)),
    coded('x-gzip', gzipSync(utf8)),
    coded('deflate', deflateSync(utf8)),
    coded('br', brotliCompressSync(utf8)),
    { ...coded('deflate', deflateRawSync(utf8)), name: 'deflate without its header' },
    { ...coded('GZIP , br', brotliCompressSync(gzipSync(utf8))), name: 'gzip inside br' },
    { name: 'gzip without a word', headers: json, body: gzipSync(utf8), forms: ['compressed'] },
    {
      name: 'gzip of a byte order mark',
      headers: { ...json, 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.concat([bom, utf8])),
      forms: ['compressed', 'byte-order-mark'],
    },
    { ...coded('gzip', utf8), name: 'gzip that was undone on the way', forms: [] },
    { ...coded('utf-8', utf8), name: 'a charset as the encoding', forms: [] },
    { name: 'array of one', headers: json, body: Buffer.from(`[${text}]`), forms: ['list'] },
    inForm('payload', `payload=${encodeURIComponent(text)}`),
    inForm('payload among others', `v=1&data=%7B%22no%22%3A&payload=${encodeURIComponent(text)}&z`),
    inForm('another name', `event=${encodeURIComponent(text).replaceAll('%20', '+')}`),
    { ...inForm('without its type', `body=${encodeURIComponent(text)}`), headers: {} },
    inForm('an array', `payload=${encodeURIComponent(`[${text}]`)}`),
  ]
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** An event whose only message has one byte that is not UTF-8. */
export function invalidByte(event: unknown): OddBody {
  const body = Buffer.from(JSON.stringify(event).replace('#', '\u0000'))
  body[body.indexOf(0)] = 0xff
  return { name: 'a byte that is not UTF-8', headers: json, body, forms: ['invalid-utf-8'] }
}
