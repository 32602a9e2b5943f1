/** The options of a run, which main.ts sets before the checks are loaded. */
export interface Options {
  /** The server's address, without a slash at the end. */
  baseUrl: string
  key: Key
  /** A key of the same organization that lacks permissions, to check that it is refused. */
  restrictedKey?: Key
  /** The URL of the subscriptions that are made. */
  receiver: string
  /** Whether the server is behind a validating proxy, whose own refusals count as the server's. */
  isProxied: boolean
  /** The only operation to check; all of them if omitted. */
  only?: string
  /** Shows a line of progress. */
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
  if (told === null) throw new Error('Expected main.ts to run the checks, because it sets the URL of the server.')
  return told
}
