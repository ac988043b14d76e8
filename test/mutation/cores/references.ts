import type { Core } from '../core.ts'

export const references: Core = {
  about: '${…} in files: values, findings',
  sources: ['src/source/references.ts'],
  tests: ['test/source/references.test.ts'],
  equivalent: [
    {
      file: 'references.ts',
      becomes: ['replaceAll(value, ["Stryker was here"], segment => {'],
      why: 'what is written once more has no findings, and needs no paths',
    },
    {
      file: 'references.ts',
      becomes: ['else if (true) for (const key in value) any = collectFiles(value[key], names) || any'],
      why: 'what is no text, list or object has no keys',
    },
    {
      file: 'references.ts',
      becomes: [
        "if (segment.kind === 'file') return contents.get(segment.path) ?? {}",
        'if (segment.kind === \'file\') return contents.get(segment.path) ?? { problem: "" }',
      ],
      why: 'every file that is named was read before',
    },
    {
      file: 'references.ts',
      becomes: [
        "return segment.kind === 'resource' ? resource(segment.resource) : {}",
        'return segment.kind === \'resource\' ? resource(segment.resource) : { problem: "Stryker was here!" }',
      ],
      why: 'what is no reference has a message of its own',
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
