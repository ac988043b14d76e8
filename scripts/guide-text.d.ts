/** Returns the sections of a Markdown page with these headings, each with its subsections, as plain text of 80 columns. */
export function guideText(page: string, headings: readonly string[]): string
