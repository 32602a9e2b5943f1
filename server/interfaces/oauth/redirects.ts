/**
 * Where an app may receive what it was granted. It names the addresses when it registers, and later one of them, letter by
 * letter; only the port of an address on the user's own device is free, because programs there take what is free.
 */
const LONGEST = 500

/** Programs whose schemes have no dot, as the standard asks for, and that many people have. */
const KNOWN_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:'])

export function isRedirectUri(text: string): boolean {
  // A URL forgives spaces and line breaks, which headers do not.
  if (text.length > LONGEST || !/^[!-~]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return isOwnDevice(text)
  // A scheme that is a name of the app's own, which no browser runs as a script.
  return KNOWN_SCHEMES.has(protocol) || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
}

export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (registered.includes(uri)) return true
  if (!isRedirectUri(uri) || !isOwnDevice(uri)) return false
  return registered.some((each) => isOwnDevice(each) && withoutPort(each) === withoutPort(uri))
}

/** What people are shown of it: the host, or the scheme of a program on their device. */
export function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

/** The source by which a Content-Security-Policy lets a form's answer lead there. */
export function sourceOf(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  // A policy cannot name an address of IPv6.
  return /^https?:$/.test(protocol) && !hostname.startsWith('[') ? origin : protocol
}

/** The address with more parameters, after those that it has. */
export function withParameters(uri: string, parameters: Record<string, string | null>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.append(name, value)
  return url.href
}

function isOwnDevice(uri: string): boolean {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}

function withoutPort(uri: string): string {
  const url = new URL(uri)
  url.port = ''
  return url.href
}
