/** The options of a run, which main.ts sets before the checks are loaded. */
export interface Options {
  /** The server's URL, without a trailing slash. */
  baseUrl: string
  key: Key
  /** A key of the same organization with fewer permissions, to check that it is rejected. */
  restrictedKey?: Key
  /** The URL of created webhook subscriptions. */
  receiver: string
  /** Whether the server is behind a validating proxy, whose own rejections count as rejections of the server. */
  isProxied: boolean
  /** Whether the server is a mock that keeps no records and accepts every key. */
  isStateless: boolean
  /** The only operation to check. By default, all operations are checked. */
  only?: string
  /** Prints a line of progress. */
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
