import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/contract.ts'

/** Which file imports which. Type-only imports do not count, because they are gone at run time. */
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

/** The wings of the server, and the wings that each may import. The files directly in `server/` start it and may import all. */
const WINGS: Record<string, readonly string[]> = {
  platform: [],
  domain: ['platform'],
  interfaces: ['domain', 'platform'],
  operators: ['interfaces', 'domain', 'platform'],
}

/** The folders of the domain. Each may import the ones above it in this list. */
const DOMAIN = [
  ...['statuses', 'office', 'land', 'vendors', 'messages', 'costs', 'selling', 'bidding', 'paying', 'building'],
  ...['flows', 'attachments', 'administration'],
]

/** More files than this are hard to survey. Tests do not count, and neither do migrations, which only grow. */
const MOST_FILES = 25

test('only tests import from test/', () => {
  const wrong = edges().filter(([from, to]) => to.startsWith('test/') && !isTest(from))
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('no two folders import each other', () => {
  const between = new Map<string, [string, string]>()
  for (const [from, to] of edges()) {
    const [here, there] = [path.posix.dirname(from), path.posix.dirname(to)]
    if (here !== there && !isTest(from)) between.set(`${here} → ${there}`, [here, there])
  }
  const mutual = [...between.values()]
    .filter(([here, there]) => here < there && between.has(`${there} → ${here}`))
    .map(([here, there]) => `${here} ↔ ${there}`)
  expect(mutual).toEqual([])
})

test('the wings of the server import each other in one direction', () => {
  expect([...wings()].sort()).toEqual(Object.keys(WINGS).sort())
  const wrong = edges().filter(([from, to]) => {
    const [here, there] = [wingOf(from), wingOf(to)]
    if (isTest(from) || here === null || here === there) return false
    return there === null ? isServer(to) : !WINGS[here]?.includes(there)
  })
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('the folders of the domain import only those below them', () => {
  const folders = new Set([...imports.keys()].map(domainFolderOf).filter((folder) => folder !== null))
  expect([...folders].sort()).toEqual([...DOMAIN].sort())
  const wrong = edges().filter(([from, to]) => {
    const [here, there] = [domainFolderOf(from), domainFolderOf(to)]
    return !isTest(from) && here !== null && there !== null && DOMAIN.indexOf(there) > DOMAIN.indexOf(here)
  })
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('no folder of the server has more files than one can survey', () => {
  const files = [...imports.keys()].filter((file) => isServer(file) && !isTest(file) && !file.includes('/migrations/'))
  const byFolder = Map.groupBy(files, (file) => path.posix.dirname(file))
  const tooFull = [...byFolder].filter(([, inside]) => inside.length > MOST_FILES)
  expect(tooFull.map(([folder, inside]) => `${folder}: ${inside.length}`)).toEqual([])
})

test('the client imports nothing from the server, and the server only generated types from the client', () => {
  const wrong = edges().filter(
    ([from, to]) =>
      (from.startsWith('client/') && to.startsWith('server/')) || (isServer(from) && to.startsWith('client/')),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('slices are found at every depth', () => {
  const slices = new Set([...imports.keys()].map(sliceOf))
  for (const slice of [
    'server/domain/vendors/vendors',
    'server/domain/land/homes',
    'server/platform/webhooks',
    'server/interfaces/skills',
  ])
    expect(slices).toContain(slice)
  expect(slices).not.toContain('server')
})

test('slices read each other through queries and nouns, never through handlers', () => {
  const wrong = edges().filter(
    ([from, to]) => isSlice(from) && !isTest(from) && sliceOf(from) !== sliceOf(to) && to.endsWith('/operations.ts'),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

// A call's own `db` shows only its organization's rows; the process's database shows everybody's.
test('handlers and their queries use no database but that of their call', () => {
  // Who signs in works for no organization yet, or for several, and sessions and passkeys are nobody's but theirs.
  const isOfPeople = (file: string) => /^server\/domain\/administration\/(sign-in|passkeys)\//.test(file)
  const wrong = [...imports.keys()].filter(
    (file) =>
      !isOfPeople(file) &&
      /^server\/(platform\/resources|interfaces\/skills)\/|\/(operations|queries)\.ts$/.test(file) &&
      !isTest(file) &&
      /\bdatabase\.(statements|transaction|sessions|of|narrowTo)\b/.test(readFileSync(path.join(root, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})

/** What reads like the inside of a package and is an entry point that its documentation names. */
const DOCUMENTED = new Set(['ajv/dist/2020.js'])

test('the server uses libraries through their public interfaces', () => {
  const files = [...filesIn('server'), 'server/main.js'].filter((file) => !isTest(file))
  const insides = files.filter((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    const imported = [...source.matchAll(/'((?:@[\w-]+\/)?[\w.-]+\/(?:dist|lib|src|build|internal)\/[^'\s]*)'/g)]
    const isInside = imported.some(([, name = '']) => !name.startsWith('.') && !DOCUMENTED.has(name))
    const changesPrototype = /\.prototype(?:\.\w+|\[[^\]]+\])\s*=[^=]|Object\.assign\(\s*\w+\.prototype/.test(source)
    // A private member of a client, a pool or a connection of `pg`.
    const usesConnection = /\b(?:client|pool)\b\)?(?:\.|\[')(?:_\w+|connection\b|processID|secretKey)/.test(source)
    return isInside || changesPrototype || usesConnection
  })
  expect(insides).toEqual([])
})

test('no file imports itself through others', () => {
  const cycles = [...imports.keys()].map((file) => cycleFrom(file)).filter((cycle) => cycle !== null)
  expect(cycles.map((cycle) => cycle.join(' → '))).toEqual([])
})

function cycleFrom(start: string): string[] | null {
  const visited = new Set<string>()
  const walk = (file: string, trail: string[]): string[] | null => {
    for (const next of imports.get(file) ?? []) {
      // Report each cycle once, from the first of its files by name.
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

function wings(): Set<string> {
  return new Set([...imports.keys()].map(wingOf).filter((wing) => wing !== null))
}

function wingOf(file: string): string | null {
  const [top, wing, ...rest] = file.split('/')
  return top === 'server' && wing !== undefined && rest.length > 0 ? wing : null
}

function domainFolderOf(file: string): string | null {
  const [folder, ...rest] = file.startsWith('server/domain/') ? file.split('/').slice(2) : []
  return folder !== undefined && rest.length > 0 ? folder : null
}

function isSlice(file: string): boolean {
  return sliceOf(file) !== null
}

/** The slice that a file belongs to: a folder with handlers. */
function sliceOf(file: string): string | null {
  const folders = path.posix.dirname(file).split('/')
  if (folders[0] !== 'server') return null
  // A slice lies within a wing: `server/interfaces/operations.ts` only lists the handlers of all slices.
  for (let depth = folders.length; depth > 2; depth--) {
    const folder = folders.slice(0, depth).join('/')
    if (imports.has(`${folder}/operations.ts`)) return folder
  }
  return null
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
