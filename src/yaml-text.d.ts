/** YAML files are imported as text: the starter files travel inside the bundle. */
declare module '*.yaml' {
  const text: string
  export default text
}
