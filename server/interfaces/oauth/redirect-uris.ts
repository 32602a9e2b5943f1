/**
 * Validates and compares redirect URIs. An app registers its redirect URIs. The URI in a later request must be
 * identical to one of them, except that the port of a loopback URI may differ, because a program listens on any free
 * port.
 */
const MAX_URI_LENGTH = 500

/** URL schemes of common programs that have no dot, although the standard requires one. */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:'])

export function isRedirectUri(text: string): boolean {
  // Allows only visible ASCII characters, because URL parsing accepts spaces and line breaks, but headers do not.
  if (text.length > MAX_URI_LENGTH || !/^[!-~]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return isOwnDevice(text)
  // With such a scheme, the URI belongs to an app, and no browser runs it as a script.
  return KNOWN_SCHEMES.has(protocol) || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
}

export function isRegisteredUri(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  if (!isRedirectUri(uri) || !isOwnDevice(uri)) return false
  return registered.some((each) => isOwnDevice(each) && omitPort(each) === omitPort(uri))
}

/** Returns the part of a redirect URI that users see: the host, or the scheme of a program on the user's device. */
export function formatHost(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

/** Returns the Content-Security-Policy source that allows the form's redirect to the URI. */
export function toFormActionSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  // A Content-Security-Policy cannot contain an IPv6 address.
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol
}

/** Returns the URI with the parameters appended. */
export function addParameters(uri: string, parameters: Record<string, string | null>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.append(name, value)
  return url.href
}

function isOwnDevice(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}

function omitPort(uri: string): string {
  const url = new URL(uri)
  url.port = ''
  return url.href
}
