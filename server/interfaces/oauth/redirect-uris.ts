/**
 * Validates and matches redirect URIs. An app lists its redirect URIs at registration. Later, the URI in a request must
 * match one of these URIs character by character. Only the port of a loopback URI may differ, because a program uses
 * any free port.
 */
const MAX_URI_LENGTH = 500

/** Schemes of common programs that contain no dot, although the standard expects a dot. */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:'])

export function isRedirectUri(text: string): boolean {
  // URL parsing tolerates spaces and line breaks, but headers do not.
  if (text.length > MAX_URI_LENGTH || !/^[!-~]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return isOwnDevice(text)
  // The scheme is private to the app, so no browser runs the URI as a script.
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
  // A policy cannot name an IPv6 address.
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
