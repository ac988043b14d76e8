import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

/**
 * The usual configuration with the test files of one core, which run.ts names in the environment: with Stryker's option
 * `testFiles` no mutant of code that runs on import is ever active.
 */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    setupFiles: [
      'test/helpers/own-temporary-files.ts',
      'test/mutation/properties.ts',
      'test/mutation/load-sources.ts',
    ],
    // Stryker runs the tests in threads, which take no options of V8.
    execArgv: [],
    include: process.env.MUTATION_TESTS?.split(' ') ?? [],
  },
})
