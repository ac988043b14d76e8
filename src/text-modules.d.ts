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
/** Texts of the help topics by name (scripts/browser-page.js). A test reads each of them. */
declare module '*/topics?texts' {
  const texts: Readonly<Record<import('./cli/help-topics.ts').TopicName, string>>
  export default texts
}
