import { describe, expect, test } from 'vitest'
import {
  collectMetadata,
  collectVariable,
  faultCollector,
  integerParser,
  parseDuration,
  parsePace,
  parseSeed,
  parseSize,
  parseWait,
} from '../../../../src/cli/shell/flags/option-parsers.ts'

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['2m', 120_000],
  ['1.5ms', 2],
  ['1.0001s', 1001],
])('%s is %i milliseconds, rounded up', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each(['', '5', '0s', '-1s', 's', '1h', '1s2s', '999999m'])('%j is not a duration', text => {
  expect(() => parseDuration(text)).toThrow('Use a duration')
})

test.each(['0s', '0ms', '0.0m'])('%j is a wait of no time', text => {
  expect(parseWait(text)).toBe(0)
})

test.each(['', '0', '-1s', '1h'])('%j is not a wait', text => {
  expect(() => parseWait(text)).toThrow('Use a duration')
})

test('rejects a duration that no timer supports with the maximum', () => {
  expect(() => parseDuration('35792m')).toThrow('at most 35791m')
  expect(parseDuration('35791m')).toBe(2_147_460_000)
})

test('sizes, whole numbers and paces', () => {
  expect(parseSize('10mb')).toBe(10 * 1024 * 1024)
  expect(integerParser(1, 7)('7')).toBe(7)
  expect(parsePace('0')).toBe(0)
  for (const wrong of [
    () => parseSize('10'),
    () => integerParser(1, 7)('8'),
    () => integerParser(1, 7)('1.5'),
    () => parsePace('-1'),
  ]) {
    expect(wrong).toThrow('Use')
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

  test('rejects a file that is nested too deep', () => {
    const nested = (levels: number) => `a=${'['.repeat(levels)}${']'.repeat(levels)}`
    expect(collectMetadata(nested(100))).toHaveProperty('a')
    for (const levels of [101, 100_000])
      expect(() => collectMetadata(nested(levels))).toThrow('nested deeper than 100 levels')
  })

  test('rejects a key without a value and a repeated key', () => {
    expect(() => collectMetadata('a')).toThrow('key=value')
    expect(() => collectMetadata('a=1', { a: 2 })).toThrow('given twice')
    expect(collectVariable('a=1')).toEqual({ a: '1' })
  })
})

describe('faults', () => {
  const collect = faultCollector(['duplicate', 'drop', '429'])

  test.each([
    ['drop', { drop: 0.2 }],
    ['duplicate=0.3,drop', { duplicate: 0.3, drop: 0.2 }],
    [' duplicate = 1 , drop=0', { duplicate: 1, drop: 0 }],
    ['429=.5', { 429: 0.5 }],
  ])('%j', (text, expected) => {
    expect(collect(text)).toEqual(expected)
  })

  test('a flag given again adds to the list', () => {
    expect(collect('429', collect('drop=0.1'))).toEqual({ drop: 0.1, 429: 0.2 })
  })

  test.each([
    ['dupplicate', 'Did you mean duplicate?'],
    ['explode', 'There is no fault "explode". Give some of duplicate, drop, 429'],
    ['__proto__', 'There is no fault'],
    ['', 'no name'],
    ['drop,', 'no name'],
    ['=0.3', 'no name'],
    ['drop=', 'from 0 to 1'],
    ['drop=1.01', 'from 0 to 1'],
    ['drop=-0.1', 'from 0 to 1'],
    ['drop=30%', 'from 0 to 1'],
    ['drop=NaN', 'from 0 to 1'],
    ['drop,drop=0.5', 'drop is given twice'],
  ])('rejects %j', (text, message) => {
    expect(() => collect(text)).toThrow(message)
  })

  test('rejects a fault given twice', () => {
    expect(() => collect('drop', { drop: 1 })).toThrow('given twice')
  })
})

test('a seed is a whole number', () => {
  expect(parseSeed('0')).toBe(0)
  expect(parseSeed('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  for (const wrong of ['-1', '1.5', '', 'x', '9007199254740993'])
    expect(() => parseSeed(wrong)).toThrow('whole number')
})
