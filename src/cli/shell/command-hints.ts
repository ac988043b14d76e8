import { advice, type Hints } from './advice.ts'

/** Advice that names commands, by the code of an error or by the hint that it replaces. Advice that names a flag is at the flag. */
export const commandHints: Hints = {
  'stream-missing': advice`start a relay first (${['webhook', 'relay', '--nats', '…']}), or pass its --stream`,
  'batch-missing': advice`start it with ${['batch', 'run', '--queue']}, or check the name and the URL`,
  'batch-log-lost': advice`nobody else is called: compare the calls of the service with ${['batch', 'status']}, then start a batch with another --name for the rest`,
  'not-a-recording': advice`create one: ${['webhook', 'tail', '--record', '<file>']}`,
}
