/** Files that the page's browser gets, as strings (scripts/browser-page.js). */
declare module '*?text' {
  const text: string
  export default text
}
declare module '*?browser' {
  const script: string
  export default script
}
