/** The options of a run. main.ts sets them before it loads the checks. */
export interface Options {
  /** The server's URL, without a trailing slash. */
  baseUrl: string
  key: Key
  /** An API key of the same organization with fewer permissions. The run checks that the server rejects it. */
  restrictedKey?: Key
  /** The URL for webhook subscriptions that the run creates. */
  receiver: string
  /**
   * Whether the server is behind a validating proxy. A rejection by the proxy is treated as a rejection by the server.
   */
  isProxied: boolean
  /** Whether the server is a mock that stores no records and accepts every key. */
  isStateless: boolean
  /** The only operation to check. By default, all operations are checked. */
  only?: string
  /** Prints a line about the progress. */
  progress(line: string): void
}

export interface Key {
  secret: string
  permissions: readonly string[]
}

let storedOptions: Options | null = null

export function storeOptions(options: Options): void {
  storedOptions = options
}

export function readOptions(): Options {
  if (storedOptions === null)
    throw new Error('Expected main.ts to run the checks, because it sets the URL of the server.')
  return storedOptions
}
