import type { Core } from '../core.ts'

export const splice: Core = {
  about: 'the places in a file of questions and answers where ids are written',
  sources: ['src/project/faq/{splice,id-slots,splice-yaml}.ts'],
  tests: ['test/project/faq/splice.test.ts'],
  equivalent: [
    {
      file: 'splice-yaml.ts',
      becomes: [
        'return isScalar(key) || !!key.range && /:\\S/.test(text.slice(key.range[1], key.range[1] + 2))',
        'return true && /:\\S/.test(text.slice(key.range[1], key.range[1] + 2))',
      ],
      why: 'only a quoted key is asked about: it is a scalar that stands in the text',
    },
    {
      file: 'splice-yaml.ts',
      becomes: [
        "const list = parseDocument(text, { uniqueKeys: true, prettyErrors: false, logLevel: 'silent' }).get('faq')",
        "const list = parseDocument(text, {}).get('faq')",
        'const list = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: "" }).get(\'faq\')',
        "const list = parseDocument(text, { uniqueKeys: false, prettyErrors: true, logLevel: 'silent' }).get('faq')",
      ],
      why: 'what the parser reports is not looked at: the file has passed its check',
    },
    {
      file: 'id-slots.ts',
      becomes: [
        "if (false || text[begin] !== '-') return undefined",
        'const start = offsetOf([\'faq\', index], "")',
        'if (start === undefined && !isObject(entry)) return undefined',
        'if (false || !isObject(entry)) return undefined',
        'if (!/^[A-Za-z]\\w*:(?=[ \\r\\n])/.test(text.slice(start, start - maxKeyLength))) return false',
        'return /^ *(?:- )?$/.test(text.slice(findLineStart(text, start), start))',
        'return /^ *(?:- +)$/.test(text.slice(findLineStart(text, start), start))',
      ],
      why: 'what begins with a plain key is an entry with a place; for any other the strict parser finds the same',
    },
    {
      file: 'id-slots.ts',
      was: 'if (start === undefined || !isObject(entry)) return undefined',
      becomes: ['if (false) return undefined'],
      why: 'what begins with a plain key is an entry with a place; for any other the strict parser finds the same',
    },
  ],
}
