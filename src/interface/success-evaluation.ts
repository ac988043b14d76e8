/** Verdict of a success evaluation (interface.md 2.4); its scales other than NumericScale are not published. */
export interface SuccessVerdict {
  /** Undefined if the value is neither a number nor a known word. */
  readonly passed: boolean | undefined
  /** 0 to 10; undefined unless the value is a number. */
  readonly score: number | undefined
}

/** Reads a success evaluation: a boolean, a word, a number up to 10, or a percentage. From half of its scale on, a number passes. */
export function readSuccess(value: unknown): SuccessVerdict {
  if (typeof value === 'boolean') return { passed: value, score: undefined }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  if (/^\d+(\.\d+)?%?$/.test(text)) {
    const number = Number.parseFloat(text)
    const score = text.endsWith('%') || number > 10 ? number / 10 : number
    return { passed: score >= 5, score }
  }
  return { passed: passes.test(text) ? true : fails.test(text) ? false : undefined, score: undefined }
}

const passes = /^(p|pass(ed)?|true|yes|good|great|excellent|high|ok|success(ful)?|succeeded)$/i
const fails = /^(f|fail(ed|ure)?|false|no|poor|bad|low|unsuccessful|not successful)$/i
