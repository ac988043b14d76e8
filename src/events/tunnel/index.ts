/** A tunnel program, such as cloudflared or ngrok, that gives the receiver a public URL: presets, start, restart, URL in its output. */
export type { TunnelErrors } from './errors.ts'
export type { TunnelEvent } from './tunnel.ts'

/** Most receivers have no tunnel. */
export const loadTunnel = () => import('./tunnel.ts')
