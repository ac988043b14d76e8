import { Option } from 'commander'

/** An option whose value may hold a secret: no error shows it, also where it is malformed. */
export class SecretOption extends Option {}
