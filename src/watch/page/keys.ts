import { byId } from './dom.ts'

/** Keys of the whole page: `j` and `k`, `f`, `?`. They do nothing while the reader types. `/` is the search box's own. */
export function listenToKeys(): void {
  const help = byId('keys-help', HTMLDialogElement)
  byId('show-keys').addEventListener('click', () => help.showModal())
  document.addEventListener('keydown', event => {
    if (event.altKey || event.ctrlKey || event.metaKey || help.open || isTyping(event.target)) return
    switch (event.key) {
      case 'j':
      case 'k':
        step(event.key === 'j' ? 'ArrowDown' : 'ArrowUp')
        break
      case 'f':
        toggleFailed()
        break
      case '?':
        help.showModal()
        break
      default:
        return
    }
    event.preventDefault()
  })
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'radio'
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

/** Leads to the next row of the list that is shown, as an arrow key inside it does. */
function step(key: string): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[role="option"], .view .event > button')].filter(
    row => row.offsetParent !== null,
  )
  const focused = rows.find(row => row === document.activeElement)
  const start = focused ?? rows.find(row => row.tabIndex === 0)
  start?.focus()
  const isEntry = focused === undefined && start?.getAttribute('aria-selected') !== 'true'
  if (!isEntry) start?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
}

function toggleFailed(): void {
  const choices = [...document.querySelectorAll<HTMLInputElement>('input[type="radio"]')].filter(
    ({ offsetParent }) => offsetParent !== null,
  )
  const failed = choices.find(({ value }) => value === 'failed')
  const all = choices.find(({ name, value }) => name === failed?.name && value === 'all')
  const next = failed?.checked === true ? all : failed
  next?.click()
}
