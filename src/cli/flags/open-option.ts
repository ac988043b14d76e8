import { Option } from 'commander'

/** An option that takes any word: its choices are those that help shows and shells offer. */
export class OpenOption extends Option {}
