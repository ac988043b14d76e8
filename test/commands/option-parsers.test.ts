import { describe, expect, test } from 'vitest'
import {
  collectMetadata,
  collectVariable,
  parseDuration,
  parseInteger,
  parsePace,
  parseSize,
} from '../../src/commands/option-parsers.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['2m', 120_000],
  ['1.5ms', 2],
  ['1.0001s', 1001],
])('%s is %i milliseconds, rounded up', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', '5', '0s', '-1s', 's', '1h', '1s2s', '999999m'])('%j is no duration', text => {
  expect(() => parseDuration(text)).toThrow('Give a duration')
})

test('sizes, whole numbers and paces', () => {
  expect(parseSize('10mb')).toBe(10 * 1024 * 1024)
  expect(parseInteger('7', 1, 7)).toBe(7)
  expect(parsePace('0')).toBe(0)
  for (const wrong of [
    () => parseSize('10'),
    () => parseInteger('8', 1, 7),
    () => parseInteger('1.5', 1, 7),
    () => parsePace('-1'),
  ]) {
    expect(wrong).toThrow('Give')
  }
})

describe('metadata', () => {
  test.each([
    ['a=1', { a: 1 }],
    ['a=true', { a: true }],
    ['a={"b":[1]}', { a: { b: [1] } }],
    ['a=text', { a: 'text' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=', { a: '' }],
    ['order=9007199254740993', { order: '9007199254740993' }],
    ['__proto__=x', JSON.parse('{"__proto__":"x"}')],
  ])('%s', (text, expected) => {
    expect(collectMetadata(text)).toEqual(expected)
  })

  test('a key without value, and a key given twice, are refused', () => {
    expect(() => collectMetadata('a')).toThrow('key=value')
    expect(() => collectMetadata('a=1', { a: 2 })).toThrow('given twice')
    expect(collectVariable('a=1')).toEqual({ a: '1' })
  })
})
