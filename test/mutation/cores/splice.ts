import type { Core } from '../core.ts'

export const splice: Core = {
  about: 'the places in a file of questions and answers where ids are written',
  sources: ['src/project/faq/{splice,splice-places,splice-yaml}.ts'],
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
  ],
}
