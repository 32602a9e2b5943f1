import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'

/** The imports of each file, without type-only imports, which do not exist at run time. */
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

/**
 * The top-level folders of the server, and the folders that each may import. The files directly in `server/` start the
 * service and may import all of them.
 */
const WINGS: Record<string, readonly string[]> = {
  platform: [],
  domain: ['platform'],
  interfaces: ['domain', 'platform'],
  operators: ['interfaces', 'domain', 'platform'],
}

/** The folders of the domain. Each may import the folders before it in this list. */
const DOMAIN = [
  ...['statuses', 'office', 'land', 'vendors', 'messages', 'ledger', 'costs', 'selling', 'bidding', 'paying'],
  ...['building', 'flows', 'attachments', 'quality', 'administration'],
]

/**
 * The maximum number of files in a folder. With more, a folder becomes confusing. Tests and migrations are not counted,
 * because the number of migrations only grows.
 */
const MAX_FILES = 25

test('only test files import from test/', () => {
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

test('the top-level folders of the server import each other in only one direction', () => {
  expect([...wings()].sort()).toEqual(Object.keys(WINGS).sort())
  const wrong = edges().filter(([from, to]) => {
    const [here, there] = [getWing(from), getWing(to)]
    if (isTest(from) || here === null || here === there) return false
    return there === null ? isServer(to) : !WINGS[here]?.includes(there)
  })
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('each domain folder imports only from the folders before it in the list of domain folders', () => {
  const folders = new Set([...imports.keys()].map(getDomainFolder).filter((folder) => folder !== null))
  expect([...folders].sort()).toEqual([...DOMAIN].sort())
  const wrong = edges().filter(([from, to]) => {
    const [here, there] = [getDomainFolder(from), getDomainFolder(to)]
    return !isTest(from) && here !== null && there !== null && DOMAIN.indexOf(there) > DOMAIN.indexOf(here)
  })
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('no folder of the server has too many files', () => {
  const files = [...imports.keys()].filter((file) => isServer(file) && !isTest(file) && !file.includes('/migrations/'))
  const byFolder = Map.groupBy(files, (file) => path.posix.dirname(file))
  const tooFull = [...byFolder].filter(([, inside]) => inside.length > MAX_FILES)
  expect(tooFull.map(([folder, inside]) => `${folder}: ${inside.length}`)).toEqual([])
})

test('the client imports nothing from the server, and the server imports only generated types from the client', () => {
  const wrong = edges().filter(
    ([from, to]) =>
      (from.startsWith('client/') && to.startsWith('server/')) || (isServer(from) && to.startsWith('client/')),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

test('the check of imports finds slices at every depth', () => {
  const slices = new Set([...imports.keys()].map(getSlice))
  for (const slice of [
    'server/domain/vendors/vendors',
    'server/domain/land/homes',
    'server/platform/webhooks',
    'server/interfaces/skills',
  ])
    expect(slices).toContain(slice)
  expect(slices).not.toContain('server')
})

test("no slice imports another slice's handlers", () => {
  const wrong = edges().filter(
    ([from, to]) => isSlice(from) && !isTest(from) && getSlice(from) !== getSlice(to) && to.endsWith('/operations.ts'),
  )
  expect(wrong.map((edge) => edge.join(' → '))).toEqual([])
})

// The `db` of a call shows only the rows of its organization. The database of the process shows the rows of all
// organizations.
test('handlers and their queries use only the database of their call', () => {
  // These files are exceptions. Before signing in, a user may belong to no organization or to several, and sessions and
  // passkeys belong to the user alone.
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

/** Entry points that a package documents although they are not in its `exports`. */
const DOCUMENTED = new Set([
  'ajv/dist/2020.js',
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
])

test('the server imports only public entry points of libraries', () => {
  const wrong = sourcesOfServer().flatMap(([file, source]) =>
    packagePaths(source)
      .filter((name) => !DOCUMENTED.has(name) && !isEntryPoint(name))
      .map((name) => `${file} → ${name}`),
  )
  expect(wrong).toEqual([])
})

test('the check of private library paths detects every kind of import', () => {
  const kinds = [
    `import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js'`,
    `export * from "express-openapi-validator/dist/framework/ajv/options.js"`,
    `await import('express-openapi-validator/dist/framework/ajv/options.js')`,
    `createRequire(import.meta.url)(\n  'express-openapi-validator/dist/framework/ajv/options.js',\n)`,
    `import parser from 'pg/lib/type-overrides'`,
  ]
  for (const source of kinds) expect([source, packagePaths(source).filter(isEntryPoint)]).toEqual([source, []])
  for (const source of kinds) expect([source, packagePaths(source).length]).toEqual([source, 1])
  expect(packagePaths(`import { parse } from 'csv-parse/sync'`).filter(isEntryPoint)).toEqual(['csv-parse/sync'])
})

test('the server uses no private member of a database connection', () => {
  const wrong = sourcesOfServer().filter(([, source]) =>
    /\b(?:client|pool)\b\)?(?:\.|\[')(?:_\w+|connection\b|processID|secretKey)/.test(source),
  )
  expect(wrong.map(([file]) => file)).toEqual([])
})

test('the server never changes a prototype', () => {
  const wrong = sourcesOfServer().filter(([, source]) => changesPrototype(source))
  expect(wrong.map(([file]) => file)).toEqual([])
})

test('the check of prototypes detects every way to change a prototype', () => {
  const ways = [
    'Created.prototype = prototype',
    'LibraryOptions.prototype.baseOptions = function () {}',
    `Parser.prototype['handlePacket'] = handle`,
    'Parser.prototype.count += 1',
    'Parser.prototype.handle ??= handle',
    'Object.assign(Parser.prototype, { handle })',
    `Object.defineProperty(\n  Parser.prototype, 'handle', { value: handle })`,
    'Object.setPrototypeOf(Created, base)',
    'Reflect.setPrototypeOf(Created, base)',
    'created.__proto__ = base',
  ]
  expect(ways.filter((way) => !changesPrototype(way))).toEqual([])
  const uses = ['Object.create(app.request)', 'Array.prototype.slice.call(all)', 'given.prototype === Map.prototype']
  expect(uses.filter(changesPrototype)).toEqual([])
})

/** Returns the server's files with their text, without tests. */
function sourcesOfServer(): [string, string][] {
  return [...filesIn('server'), 'server/main.js']
    .filter((file) => !isTest(file))
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')])
}

/** Returns the paths into packages that occur in a source, such as `csv-parse/sync`. */
function packagePaths(source: string): string[] {
  const quoted = source.matchAll(/(?:\bfrom|\bimport|\()\s*(['"])((?:@[\w-]+\/)?[a-z][\w.-]*\/[\w./-]+)\1/g)
  return [...quoted].map(([, , name = '']) => name).filter((name) => !name.startsWith('node:') && isOfPackage(name))
}

function isOfPackage(name: string): boolean {
  return name.replace(getPackage(name), '') !== '' && existsSync(getManifest(name))
}

function getPackage(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

function getManifest(name: string): string {
  return path.join(root, 'node_modules', getPackage(name), 'package.json')
}

/**
 * Returns whether a package exports this path as an entry point. Ignores patterns such as `./lib/*`, because they
 * export every file.
 */
function isEntryPoint(name: string): boolean {
  const { exports: entries } = JSON.parse(readFileSync(getManifest(name), 'utf8')) as { exports?: unknown }
  return typeof entries === 'object' && entries !== null && name.replace(getPackage(name), '.') in entries
}

function changesPrototype(source: string): boolean {
  return [
    /(?:\.prototype|\.__proto__)(?:\.\w+|\[[^\]]+\])*\s*(?:[-+*/%&|^]|\*\*|\?\?|&&|\|\|)?=(?![=>])/,
    /\b(?:Object|Reflect)\.(?:assign|defineProperty|defineProperties|set)\(\s*[\w.]+\.prototype\b/,
    /\b(?:Object|Reflect)\.setPrototypeOf\(/,
  ].some((pattern) => pattern.test(source))
}

test('no file imports itself through other files', () => {
  const cycles = [...imports.keys()].map((file) => cycleFrom(file)).filter((cycle) => cycle !== null)
  expect(cycles.map((cycle) => cycle.join(' → '))).toEqual([])
})

function cycleFrom(start: string): string[] | null {
  const visited = new Set<string>()
  const walk = (file: string, trail: string[]): string[] | null => {
    for (const next of imports.get(file) ?? []) {
      // Reports each cycle only once, starting with the file whose name sorts first.
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
  return new Set([...imports.keys()].map(getWing).filter((wing) => wing !== null))
}

function getWing(file: string): string | null {
  const [top, wing, ...rest] = file.split('/')
  return top === 'server' && wing !== undefined && rest.length > 0 ? wing : null
}

function getDomainFolder(file: string): string | null {
  const [folder, ...rest] = file.startsWith('server/domain/') ? file.split('/').slice(2) : []
  return folder !== undefined && rest.length > 0 ? folder : null
}

function isSlice(file: string): boolean {
  return getSlice(file) !== null
}

/** Returns the slice of a file, which is the folder with its handlers. */
function getSlice(file: string): string | null {
  const folders = path.posix.dirname(file).split('/')
  if (folders[0] !== 'server') return null
  // Slices are inside top-level folders. `server/interfaces/operations.ts` is not a slice, because it only lists the
  // handlers of all slices.
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
