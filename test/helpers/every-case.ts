/**
 * True where each table of cases is tested whole (`npm run attack -- cases`). Otherwise a table has one representative of each
 * guarantee.
 */
export const everyCase = process.env.CALLYARD_TEST_CASES === 'every'

const factor = Number(process.env.CALLYARD_TEST_RUNS ?? '1')

/** Number of examples of a property: `count`, multiplied by CALLYARD_TEST_RUNS. */
export function runs(count: number): number {
  return Math.max(1, Math.round(count * factor))
}
