/** That module and all it imports, as a program for a thread (scripts/browser-page.js). */
declare module '*?worker' {
  const program: string
  export default program
}
