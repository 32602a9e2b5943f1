import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'

/**
 * Changes single lines of the contract in a copy of the repository and regenerates the code. Then tests which checks of
 * `npm run check` report each change. The compiler reports code that does not match the contract, the lint reports
 * contradictions in the contract, and the check for breaking changes reports changes that affect clients.
 *
 * The test makes all changes at once, because generating and compiling the code take a long time. Then it looks for the
 * message about each change. Some checks must not report some changes. No other change affects the file of such a
 * change, so any message about the file would be about this change.
 */
let folder: string
let types: string
let rules: string
let change: string

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-one-line-'))
  const left = new Set(['node_modules', '.git', '.data', 'dist'])
  cpSync(root, folder, { recursive: true, filter: (file) => !left.has(path.basename(file)) })
  for (const modules of ['node_modules', 'scripts/codegen/node_modules'])
    symlinkSync(path.join(root, modules), path.join(folder, modules))
  for (const change of CHANGES) make(change)
  await run('scripts/generate.ts', '--contract')
  ;[types, rules, change] = await Promise.all([
    // Uses a single checker. Each of several checkers would compute the types of the whole contract.
    run('node_modules/typescript/bin/tsc', '--pretty', 'false', '--singleThreaded'),
    lint(),
    run('scripts/release.ts'),
  ])
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

interface Change {
  what: string
  /** The file to change. */
  room: string
  /** A line above the text to change, which occurs only once in the file. */
  below: string
  from: string
  to: string
  /**
   * The compiler's message, including the file. If the compiler cannot detect the change, a message that must not occur
   * instead.
   */
  compiler: RegExp | Silence
  /** The lint's message; null if the lint cannot detect the change. */
  lint: RegExp | null
  /**
   * The message of the check for breaking changes. If the change affects no client, a message that must not occur
   * instead.
   */
  breaking: RegExp | Silence
}
interface Silence {
  /** A pattern of messages that would be about this change. */
  not: RegExp
}

const CHANGES: Change[] = [
  {
    what: 'a field of a response is renamed',
    room: 'contract/vendors.yaml',
    below: 'x-record: { kind: vendor,',
    from: "contactName: { type: [string, 'null']",
    to: "contactPerson: { type: [string, 'null']",
    compiler: /^server\/domain\/vendors\/vendors\/\S+ error .*contactName/m,
    lint: /whole-responses .*contactPerson/,
    breaking: /^field removed: listVendors 200.*contactName/m,
  },
  {
    what: 'a field of a request body is renamed',
    room: 'contract/communities.yaml',
    below: '\n    CommunityCreate:',
    from: 'code:',
    to: 'shortCode:',
    compiler: /^server\/domain\/flows\/communities\/operations\.ts\S+ error .*'shortCode' are incompatible/ms,
    lint: /Example value .*`code`/,
    breaking: /^field removed: createCommunity body\/code/m,
  },
  {
    what: 'a field of a request body becomes required',
    room: 'contract/vendors.yaml',
    below: '\n    VendorCreate:',
    from: 'required: [companyName]',
    to: 'required: [companyName, email]',
    compiler: /^client\/retry\.test\.ts\S+ error .*'email' is missing/m,
    lint: /Example value .*required property 'email'/,
    breaking: /^field required: createVendor body\/email/m,
  },
  {
    what: 'a response gets another field',
    room: 'contract/vendors.yaml',
    below: 'x-record: { kind: vendor,',
    from: 'properties: &vendorFields\n',
    to: 'properties: &vendorFields\n        rating: { type: integer }\n',
    compiler: /^server\/domain\/vendors\/vendors\/queries\.ts\S+ error .*There is no column rating\./m,
    lint: /whole-responses .*rating/,
    breaking: { not: /rating/ },
  },
  {
    what: 'a status of a record is removed',
    room: 'contract/vendors.yaml',
    below: '\n    VendorStatus:',
    from: 'enum: [prospective, active, on_hold, inactive]',
    to: 'enum: [prospective, active, inactive]',
    compiler: /^server\/domain\/vendors\/vendors\/vendor\.ts\S+ error .*'"on_hold"'/m,
    lint: /Example value .*`status` property/,
    breaking: /^enum value removed: changeVendorStatus body\/status: "on_hold"/m,
  },
  {
    what: 'the success status of an operation changes',
    room: 'contract/webhooks.yaml',
    below: 'operationId: testWebhook',
    from: "'202':",
    to: "'200':",
    compiler: /^server\/platform\/webhooks\/operations\.ts\S+ error .*status: 202/m,
    lint: null,
    breaking: /^status dropped: testWebhook: 202/m,
  },
  {
    what: 'error responses of an operation are removed',
    room: 'contract/homes.yaml',
    below: 'operationId: createHome\n',
    from: '*createErrors',
    to: '*archiveErrors',
    compiler: { not: /\bhomes\/|createHome/ },
    lint: /problem-responses .*409, 413, 415 are not declared/,
    breaking: /^status dropped: createHome: 409/m,
  },
  {
    what: 'an operation requires another permission',
    room: 'contract/messages.yaml',
    below: 'operationId: getMessage\n',
    from: '{ apiKey: [messages:read] }',
    to: '{ apiKey: [messages:write] }',
    compiler: { not: /\bmessages\/|getMessage/ },
    lint: /permissions .*`session` in `security` with the same permissions/,
    breaking: /^permission added: getMessage: .*messages:write/m,
  },
]

test.each(CHANGES)('the checks report that $what', ({ compiler, lint, breaking }) => {
  expectSaid(types, compiler)
  if (lint !== null) expect(rules).toMatch(lint)
  expectSaid(change, breaking)
})

function expectSaid(output: string, said: RegExp | Silence): void {
  if (said instanceof RegExp) expect(output).toMatch(said)
  else expect(output.split('\n').filter((line) => said.not.test(line))).toEqual([])
}

function make({ room, below, from, to }: Change): void {
  const file = path.join(folder, room)
  const parts = readFileSync(file, 'utf8').split(below)
  expect(parts).toHaveLength(2)
  expect(parts[1]).toContain(from)
  writeFileSync(file, [parts[0], parts[1]?.replace(from, to)].join(below))
}

/**
 * Returns the messages of Redocly and of the project's own rules. Spectral is left out, because it has no messages
 * about these changes.
 */
async function lint(): Promise<string> {
  const redocly = await run('node_modules/@redocly/cli/bin/cli.js', 'lint', 'openapi.yaml', '--format=stylish')
  return redocly + (await run('scripts/lint-contract.ts'))
}

/** Returns the output of a script, which is empty if the script finds no errors. */
function run(script: string, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      resolve(error === null ? '' : out + err)
    })
  })
}
