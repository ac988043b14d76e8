import script from '../page/main.ts?browser'
import style from '../page/page.css?text'
import html from '../page/page.html?text'

/** What a browser loads to show the page of a tail. */
export const pageAssets = { html, script, style }
