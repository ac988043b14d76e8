import script from './browser/main.ts?browser'
import style from './page.css?text'
import html from './page.html?text'

/** What a browser loads to show the page of a tail. */
export const pageAssets = { html, script, style }
