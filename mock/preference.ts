import type { IncomingMessage } from 'node:http'
import type { Contract, Operation } from '../server/platform/calls/contract.ts'
import { type Problem, validationFailed } from '../server/platform/problems/problem.ts'
import { listSimilarNames } from '../server/platform/problems/similar-names.ts'
import { formatList } from '../server/platform/values/format.ts'
import type { Preference } from './prism.ts'
import { listScenarios } from './scenarios.ts'

/**
 * Reads the preferences of a request. `example=getVendor:onHold` applies only to that operation, so a program can send
 * the same header with every request. `status` is a synonym of `code`, and `delay` is in milliseconds.
 */
export function readPreference(contract: Contract, operation: Operation, req: IncomingMessage): Preference {
  const provided = new Map<string, string>()
  for (const { name, scope, value } of parsePreferences(req)) {
    if (scope !== undefined) assertOperation(contract, scope)
    if (scope === undefined || scope === operation.id) provided.set(name, value)
  }
  const { status, code = status, example, dynamic, seed } = Object.fromEntries(provided)
  const scenarios = listScenarios(contract, operation)
  const isWanted = (scenario: { status: number; example: string | null }) =>
    (code === undefined || String(scenario.status) === code) && (example === undefined || scenario.example === example)
  const found = scenarios.find(isWanted)
  if (found === undefined) {
    const all = scenarios.map((scenario) =>
      [scenario.status, scenario.example].filter((part) => part !== null).join(' '),
    )
    throw invalidPreference('enum', `must be one of this operation's scenarios: ${all.join(', ')}`.slice(0, 1000))
  }
  return {
    ...((code !== undefined || example !== undefined) && { code: found.status }),
    ...(example !== undefined && { example }),
    ...(dynamic !== undefined && { dynamic: dynamic === 'true' }),
    ...(seed !== undefined && { seed }),
  }
}

/** No client waits longer than this. */
const MAX_DELAY_MS = 60_000

/**
 * Returns the number of milliseconds to wait before the response, at most one minute. Returns 0 for an invalid delay.
 */
export function readDelay(req: IncomingMessage, operation?: Operation): number {
  const requested = parsePreferences(req).findLast(
    ({ name, scope }) => name === 'delay' && (scope === undefined || scope === operation?.id),
  )
  return requested !== undefined && /^\d{1,9}$/.test(requested.value)
    ? Math.min(Number(requested.value), MAX_DELAY_MS)
    : 0
}

/** Parses the parts of `Prefer` (RFC 7240): `name=value`, `name="value"` or `name=operation:value`. */
function parsePreferences(req: IncomingMessage): { name: string; scope: string | undefined; value: string }[] {
  return String(req.headers.prefer ?? '')
    .split(/[,;]/)
    .flatMap((part) => {
      const [, name, scope, value] = /^\s*([\w-]+)\s*=\s*"?(?:([A-Za-z]\w*):)?([^"]*?)"?\s*$/.exec(part) ?? []
      return name === undefined || value === undefined ? [] : [{ name: name.toLowerCase(), scope, value }]
    })
}

/** Throws if the operation is unknown. Otherwise, a misspelled name would be ignored without notice. */
function assertOperation(contract: Contract, name: string): void {
  const names: readonly string[] = [...contract.operations.keys()]
  if (names.includes(name)) return
  throw invalidPreference(
    'unknown',
    `contains the unknown operation ${name}; did you mean ${formatList(listSimilarNames(name, names, 3), 'or')}?`,
  )
}

function invalidPreference(code: string, message: string): Problem {
  return validationFailed([{ pointer: 'Prefer', code, message }])
}
