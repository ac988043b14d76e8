/** How times stand in front of the lines of a transcript. Apart from what writes them: the flags need the words alone. */
export const timestampForms = ['relative', 'local', 'iso', 'none'] as const
export type TimestampForm = (typeof timestampForms)[number]
