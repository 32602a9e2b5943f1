import type { IncomingMessage } from 'node:http'
import type { Contract, Operation } from '../server/platform/calls/contract.ts'
import { nearestTo } from '../server/platform/problems/nearest.ts'
import { invalid, type Problem } from '../server/platform/problems/problem.ts'
import { formatList } from '../server/platform/values/format.ts'
import type { Preferred } from './prism.ts'
import { scenariosOf } from './scenarios.ts'

/**
 * Reads the preferences of a request. `example=getVendor:onHold` applies to that operation only and is ignored by
 * others, so that a program can send the same header with all requests. `status` is a synonym of `code`, and `delay` is
 * in milliseconds.
 */
export function preference(contract: Contract, operation: Operation, req: IncomingMessage): Preferred {
  const given = new Map<string, string>()
  for (const { name, scope, value } of partsOf(req)) {
    if (scope !== undefined) assertOperation(contract, scope)
    if (scope === undefined || scope === operation.id) given.set(name, value)
  }
  const { status, code = status, example, dynamic, seed } = Object.fromEntries(given)
  const scenarios = scenariosOf(contract, operation)
  const isWanted = (scenario: { status: number; example: string | null }) =>
    (code === undefined || String(scenario.status) === code) && (example === undefined || scenario.example === example)
  const found = scenarios.find(isWanted)
  if (found === undefined) {
    const all = scenarios.map((scenario) =>
      [scenario.status, scenario.example].filter((part) => part !== null).join(' '),
    )
    throw wrongPreference('enum', `must be one of this operation's scenarios: ${all.join(', ')}`.slice(0, 1000))
  }
  return {
    ...((code !== undefined || example !== undefined) && { code: found.status }),
    ...(example !== undefined && { example }),
    ...(dynamic !== undefined && { dynamic: dynamic === 'true' }),
    ...(seed !== undefined && { seed }),
  }
}

/** Longer than any client waits. */
const LONGEST_DELAY_MS = 60_000

/** Returns how many milliseconds to wait before the response, at most a minute. An invalid delay counts as 0. */
export function delayOf(req: IncomingMessage, operation?: Operation): number {
  const asked = partsOf(req).findLast(
    ({ name, scope }) => name === 'delay' && (scope === undefined || scope === operation?.id),
  )
  return asked !== undefined && /^\d{1,9}$/.test(asked.value) ? Math.min(Number(asked.value), LONGEST_DELAY_MS) : 0
}

/** Parses the parts of `Prefer` (RFC 7240): `name=value`, `name="value"` or `name=operation:value`. */
function partsOf(req: IncomingMessage): { name: string; scope: string | undefined; value: string }[] {
  return String(req.headers.prefer ?? '')
    .split(/[,;]/)
    .flatMap((part) => {
      const [, name, scope, value] = /^\s*([\w-]+)\s*=\s*"?(?:([A-Za-z]\w*):)?([^"]*?)"?\s*$/.exec(part) ?? []
      return name === undefined || value === undefined ? [] : [{ name: name.toLowerCase(), scope, value }]
    })
}

/** A misspelled operation would be ignored everywhere without a hint. */
function assertOperation(contract: Contract, name: string): void {
  const names: readonly string[] = [...contract.operations.keys()]
  if (names.includes(name)) return
  throw wrongPreference(
    'unknown',
    `contains the unknown operation ${name}; did you mean ${formatList(nearestTo(name, names, 3), 'or')}?`,
  )
}

function wrongPreference(code: string, message: string): Problem {
  return invalid([{ pointer: 'Prefer', code, message }])
}
