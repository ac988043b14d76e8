/** Files of the starter project are imported as text: they travel inside the bundle. */
declare module '*.yaml' {
  const text: string
  export default text
}

declare module '*.csv' {
  const text: string
  export default text
}

declare module '*.txt' {
  const text: string
  export default text
}
/** Text of a module with its imports, as a program for a thread (scripts/browser-page.js). */
declare module '*?worker' {
  const program: string
  export default program
}
/** Help topics by name (scripts/help-topics.js). A test reads each of them. */
declare module '*/topics?texts' {
  type TopicName = import('./cli/shell/help-topics.ts').TopicName
  const texts: Readonly<Record<TopicName, string>>
  export default texts
  /** Sections of docs/ that topics print. */
  export const guides: Readonly<
    Partial<Record<TopicName, { readonly page: string; readonly headings: readonly string[] }>>
  >
  /** The other sections of docs/, with their words. */
  export const sections: readonly {
    readonly page: string
    readonly title: string
    readonly heading: string
    readonly words: string
  }[]
}
