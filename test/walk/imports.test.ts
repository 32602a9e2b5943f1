import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/contract.ts'

/** Which file imports which; type-only imports are gone at run time and bind nothing, so they do not count. */
const imports = new Map<string, string[]>()
for (const folder of ['contract', 'server', 'client', 'scripts', 'mock', 'web']) {
  for (const file of filesIn(folder)) {
    const source = readFileSync(path.join(root, file), 'utf8')
    const targets = [
      ...source.matchAll(/^(?:import|export)\s(?!type\b)[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms),
    ].map(([, fixed, lazy]) => path.posix.join(path.posix.dirname(file), fixed ?? lazy ?? ''))
    imports.set(file, targets)
  }
}

test('nothing that is shipped imports from test/', () => {
  const wrong = edges().filter(
    ([from, to]) => to.startsWith('test/') && !from.endsWith('.test.ts') && !from.startsWith('scripts/'),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('the client is free of the server, and the server takes only generated types from the client', () => {
  const wrong = edges().filter(
    ([from, to]) =>
      (from.startsWith('client/') && to.startsWith('server/')) || (isServer(from) && to.startsWith('client/')),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('what all slices stand on knows none of them', () => {
  // How an event is recorded belongs to the floor; how events are read is a slice in the same folder.
  const floor = [
    'server/http/',
    'server/database/',
    'server/keys/',
    'server/events/record.ts',
    'server/events/status-history.ts',
  ]
  const isFloor = (file: string) => floor.some((part) => file.startsWith(part))
  const wrong = edges().filter(([from, to]) => isFloor(from) && isSlice(to) && !isFloor(to) && !isTest(from))
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('slices read each other through queries and nouns, never through handlers', () => {
  const wrong = edges().filter(
    ([from, to]) => isSlice(from) && !isTest(from) && sliceOf(from) !== sliceOf(to) && to.endsWith('/operations.ts'),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('no file imports itself by way of others', () => {
  const cycles = [...imports.keys()].map((file) => cycleFrom(file)).filter((cycle) => cycle !== null)
  expect(cycles.map((cycle) => cycle.join(' → '))).toEqual([])
})

function cycleFrom(start: string): string[] | null {
  const visited = new Set<string>()
  const walk = (file: string, trail: string[]): string[] | null => {
    for (const next of imports.get(file) ?? []) {
      // Told once, from its first file by name.
      if (next === start) return trail.some((one) => one < start) ? null : [...trail, start]
      if (visited.has(next)) continue
      visited.add(next)
      const found = walk(next, [...trail, next])
      if (found !== null) return found
    }
    return null
  }
  return walk(start, [start])
}

function edges(): [string, string][] {
  return [...imports].flatMap(([from, targets]) => targets.map((to): [string, string] => [from, to]))
}

/** A slice is a folder with handlers. */
function isSlice(file: string): boolean {
  return imports.has(`${sliceOf(file)}/operations.ts`) && isServer(file)
}

function sliceOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

function isServer(file: string): boolean {
  return file.startsWith('server/')
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('node_modules') && !/\.(gen|d)\.m?ts$/.test(file),
      )
      .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')))
  } catch {
    return []
  }
}
