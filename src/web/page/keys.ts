import { byId } from './dom.ts'

/** Keys of the whole page: `j` and `k`, `f`, `/`, `?`. They do nothing while the reader types. */
export function listenToKeys(): void {
  const help = byId('keys-help', HTMLDialogElement)
  for (const button of document.querySelectorAll('.show-keys'))
    button.addEventListener('click', () => help.showModal())
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
      case '/':
        focusSearch()
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
  const rows = visibleElements<HTMLElement>('[role="option"], .view .event > button')
  const focused = rows.find(row => row === document.activeElement)
  const start = focused ?? rows.find(row => row.tabIndex === 0)
  start?.focus()
  const isEntry = focused === undefined && start?.getAttribute('aria-selected') !== 'true'
  if (!isEntry) start?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
}

/** Clicks the visible choice `failed`, or `all` if it is chosen: a radio button, or a button that filters by its value. */
function toggleFailed(): void {
  const choices = visibleElements<HTMLInputElement | HTMLButtonElement>(
    'input[type="radio"], button[aria-pressed][value]',
  )
  const failed = choices.find(({ value }) => value === 'failed')
  const allChoice = choices.find(({ name, value }) => name === failed?.name && value === 'all')
  const next = failed !== undefined && isChosen(failed) ? allChoice : failed
  next?.click()
}

function isChosen(choice: HTMLInputElement | HTMLButtonElement): boolean {
  return choice instanceof HTMLInputElement ? choice.checked : choice.ariaPressed === 'true'
}

function focusSearch(): void {
  const [field] = visibleElements<HTMLInputElement>('input[type="search"]')
  field?.focus()
  field?.select()
}

/** Returns the visible elements that match a selector. */
function visibleElements<Found extends HTMLElement>(selector: string): Found[] {
  return [...document.querySelectorAll<Found>(selector)].filter(({ offsetParent }) => offsetParent !== null)
}
