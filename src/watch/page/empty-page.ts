import type { Hello } from '../wire.ts'
import { triggerCommand } from './curl-command.ts'
import { byId, copyText, setText } from './dom.ts'

/** Where there is nothing to see yet: where events go to, and the command that sends some. */
export function createEmptyPage(): { greet(hello: Pick<Hello, 'eventPath' | 'requiredHeader'>): void } {
  const command = byId('try-command', HTMLElement)
  const told = byId('try-told', HTMLElement)
  byId('try-copy', HTMLButtonElement).addEventListener('click', async () => {
    told.replaceChildren(...(await copyText(command.textContent ?? '', 'Command')))
  })
  return {
    greet(hello) {
      const address = `${location.origin}${hello.eventPath}`
      setText(byId('event-address', HTMLElement), address)
      setText(command, triggerCommand(address, hello.requiredHeader))
      byId('try', HTMLElement).hidden = false
    },
  }
}
