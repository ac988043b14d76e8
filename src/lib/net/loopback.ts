/** Whether a host name or address means this machine: localhost and what is below it, 127.0.0.0/8, ::1 with or without brackets. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase()
  return (
    /^(?:.+\.)?localhost$/.test(name) ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name) ||
    ['::1', '[::1]'].includes(name)
  )
}
