import type { Core } from '../core.ts'

export const escaping: Core = {
  about: 'hostile text made visible, for terminals and JSON',
  sources: ['src/lib/text/escape.ts'],
  tests: ['test/lib/text/escape.test.ts'],
  equivalent: [
    {
      file: 'escape.ts',
      becomes: ['{ allowedCharacters = "Stryker was here!" }: { allowedCharacters?: string } = {},'],
      why: 'only hostile characters are looked up in what is kept, and none of these is one',
    },
    {
      file: 'escape.ts',
      becomes: [
        "suspicious: new RegExp(String.raw``, 'u'),",
        'suspicious: new RegExp(String.raw`[\\p{M}${hostileRanges}]`, ""),',
        'const plain = /^[\\x20-\\x7e]$/',
        'if (false) return text.replace(/\\p{Cc}/gu, write)',
      ],
      why: 'a look ahead for speed: the replacement finds nothing in these texts',
    },
    ...['if (plain.test(text)) return text', 'if (!suspicious.test(text)) return text'].map(was => ({
      file: 'escape.ts',
      was,
      becomes: ['if (false) return text'],
      why: 'a look ahead for speed: the replacement finds nothing in these texts',
    })),
    {
      file: 'escape.ts',
      becomes: [
        'if (code >= 0xffff) return `\\\\u{${code.toString(16)}}`',
        "return code < 0xff ? `\\\\x${code.toString(16).padStart(2, '0')}` : unicodeEscape(character)",
      ],
      why: 'neither U+FFFF nor U+00FF is hostile',
    },
  ],
}
