import { byId } from './dom.ts'
import { readAddress, writeAddress } from './page-address.ts'

/** The views of a page, one of which is shown: the one in the address, or else the calls. */
export function createViews(onShow: (view: string) => void) {
  const choices = [...document.querySelectorAll<HTMLInputElement>('input[name="view"]')]
  let currentView = 'calls'
  const show = (next: string) => {
    currentView = next
    for (const { value } of choices) byId(`${value}-view`).hidden = value !== next
    onShow(next)
  }
  for (const choice of choices) {
    choice.addEventListener('change', () => {
      show(choice.value)
      writeAddress({ view: choice.value === 'calls' ? null : choice.value })
    })
    if (choice.value !== readAddress().get('view')) continue
    choice.checked = true
    show(choice.value)
  }
  return {
    get currentView() {
      return currentView
    },
    /** Leads to a view, as its choice does. */
    open(view: string) {
      for (const choice of choices) choice.checked = choice.value === view
      show(view)
      writeAddress({ view: view === 'calls' ? null : view })
    },
  }
}
