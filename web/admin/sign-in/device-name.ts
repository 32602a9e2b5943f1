// The browsers in the order in which they are tried. The order matters, because most browsers also mention the browsers
// with which they are compatible.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
]

/** Returns the name of this device for the list of sessions, such as `Chrome on macOS`. */
export function describeDevice(userAgent: string): string {
  const named = (names: readonly (readonly [RegExp, string])[]) => names.find(([mark]) => mark.test(userAgent))?.[1]
  const [browser = 'Unknown browser', system] = [named(BROWSERS), named(SYSTEMS)]
  return system === undefined ? browser : `${browser} on ${system}`
}
