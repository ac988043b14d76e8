import { type Agent, request } from 'node:http'

/** Returns true if an event was acknowledged: the status arrived, even if the connection broke afterwards. */
export function isAcknowledged(url: string, body: string, agent: Agent): Promise<boolean> {
  return new Promise(resolve => {
    const sent = request(url, { method: 'POST', agent }, response => {
      response.on('error', () => {}).on('close', () => resolve(response.statusCode === 200))
      response.resume()
    })
    sent.on('error', () => resolve(false))
    sent.end(body)
  })
}
