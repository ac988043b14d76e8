import type { Core } from '../core.ts'

export const splice: Core = {
  about: 'the places in a file of questions and answers where ids are written',
  sources: ['src/project/faq/{splice,splice-yaml}.ts'],
  tests: ['test/project/faq/splice.test.ts'],
  equivalent: [],
}
