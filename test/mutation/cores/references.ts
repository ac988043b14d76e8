import type { Core } from '../core.ts'

export const references: Core = {
  about: '${…} in files: values, findings',
  sources: ['src/files/source/references.ts'],
  tests: ['test/files/source/references.test.ts'],
  equivalent: [
    {
      file: 'references.ts',
      becomes: ['else if (true) for (const key in value) any = collectIncludes(value[key], names) || any'],
      why: 'what is no text, list or object has no keys',
    },
    {
      file: 'references.ts',
      becomes: [
        "if (false || 'text' in content) return content?.text ?? ''",
        "if (content === undefined || 'text' in content) return content.text ?? ''",
        'if (content === undefined || \'text\' in content) return content?.text ?? "Stryker was here!"',
      ],
      why: 'every file that is named was read before',
    },
    {
      file: 'references.ts',
      becomes: [
        'const [, word] = /^\\s*([^:\\s]+)\\s*:/.exec(inner ?? "Stryker was here!") ?? []',
        'const [, word] = /^\\s*([^:\\s]+)\\s*:/.exec(inner ?? \'\') ?? ["Stryker was here"]',
      ],
      why: 'neither gives a word before a colon',
    },
  ],
}
