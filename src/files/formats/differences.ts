/** Ways in which calls with the same turns of the caller differ, the gravest first. */
export const differenceCategories = ['tool-calls', 'ending', 'replies', 'analysis'] as const
export type DifferenceCategory = (typeof differenceCategories)[number]
