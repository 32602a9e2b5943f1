/** What a run was told; main.ts says it before the checks are read. */
export interface Options {
  /** The server's address, without a slash at the end. */
  baseUrl: string
  key: Key
  /** A key of the same organization that lacks permissions, to see it refused. */
  restrictedKey?: Key
  /** Where the subscriptions that are made lead. */
  receiver: string
  /** Whether a validating proxy stands before the server, whose own refusals count as the server's. */
  isProxied: boolean
  /** The operation that alone is checked; every one where this is left out. */
  only?: string
  /** Shows a line to whoever waits. */
  progress(line: string): void
}

export interface Key {
  secret: string
  permissions: readonly string[]
}

let told: Options | null = null

export function tellOptions(options: Options): void {
  told = options
}

export function readOptions(): Options {
  if (told === null) throw new Error('The checks are run by main.ts, which knows where the server is.')
  return told
}
