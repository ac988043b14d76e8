import type { Core } from '../core.ts'

export const references: Core = {
  about: '${…} in files: values, findings',
  sources: ['src/source/references.ts'],
  tests: ['test/source/references.test.ts'],
  equivalent: [],
}
