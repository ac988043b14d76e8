import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any code point, as `unit` of `fc.string`. It generates and shrinks as `'binary'` does, for which fast-check fills a map of a million
 * strings: a second of processor time and 85 MB in each worker.
 */
export const codePoint = fc.nat({ max: 0x10ffff - surrogates }).map(
  index => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  value => {
    const point = typeof value === 'string' ? value.codePointAt(0) : undefined
    if (point === undefined || value !== String.fromCodePoint(point) || !String(value).isWellFormed())
      throw new Error('not one code point')
    return point < firstSurrogate ? point : point - surrogates
  },
)
