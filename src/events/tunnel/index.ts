/** Tunnel programs, such as cloudflared or ngrok, that give the receiver a public URL: start, URL in the output, restart. */
export type { TunnelEvent } from './tunnel.ts'

/** Most receivers have no tunnel. */
export const loadTunnel = () => import('./tunnel.ts')
