/** YAML files and help topics are imported as text: they travel inside the bundle. */
declare module '*.yaml' {
  const text: string
  export default text
}

declare module '*.txt' {
  const text: string
  export default text
}
