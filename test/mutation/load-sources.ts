import { resolve } from 'node:path'

/**
 * Loads the mutated files before any test. Where a test loads one lazily, Stryker takes what runs on import for code of that test, and
 * no mutant of it is ever active.
 */
for (const path of process.env.MUTATION_SOURCES?.split(' ') ?? []) await import(resolve(path))
