/** Files of the starter project and help topics are imported as text: they travel inside the bundle. */
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
