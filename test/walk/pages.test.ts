import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { loadContract } from '../../server/platform/calls/contract.ts'
import { actions } from '../../web/admin/actions/actions.gen.ts'

const WEB = path.join(import.meta.dirname, '../../web')
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Operations that no page of the admin area calls, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  createProposal: 'Agents make proposals. The pages decide them.',
  getOauthGrant: 'The list of connected apps shows everything about each app.',
}

interface DeclaredOperation {
  operationId?: string
}

/** Returns the operations below a path in the form `get /api/admin/keys/{}`, with their IDs. */
function listOperations(prefix: string): [call: string, operationId: string][] {
  const paths = loadContract().document.paths as Record<string, Partial<Record<string, DeclaredOperation>>>
  return Object.entries(paths)
    .filter(([at]) => at.startsWith(prefix))
    .flatMap(([at, item]) =>
      METHODS.flatMap((method): [string, string][] => {
        const operationId = item[method]?.operationId
        return operationId === undefined ? [] : [[`${method} ${nameParameters(at)}`, operationId]]
      }),
    )
}

/** Uploads have their own time limit, so their path is a constant in the code. */
const CONSTANTS: Readonly<Record<string, string>> = { UPLOAD_PATH: '/api/ext/attachments' }
/** The ways in which the pages call an operation: with a query or mutation, with the client, or with a list. */
const CALLS = [
  /'(get|post|put|patch|delete)',\s*'(\/api\/[^']+)'/g,
  /\.(GET|POST|PUT|PATCH|DELETE)\(\s*'?(\/api\/[^']+|UPLOAD_PATH)/g,
]
const LISTS = [
  /(?:path="|(?:useListPage|useRecords|fetchAllRows|loadRecord)\(\s*')(\/api\/[^'"]+)/g,
  // A link that the browser opens or downloads.
  /\$\{root\}(\/api\/(?:[^`'?$]|\$\{[\w.]+\})+)/g,
]

/** Returns the calls of all pages, in the form `get /api/admin/keys`. */
function listPageCalls(): ReadonlySet<string> {
  const calls = new Set<string>()
  for (const file of globSync('{admin,api,ui}/**/*.{ts,tsx}', { cwd: WEB })) {
    const text = readFileSync(path.join(WEB, file), 'utf8')
    for (const form of CALLS)
      for (const [, method = '', at = ''] of text.matchAll(form))
        calls.add(`${method.toLowerCase()} ${nameParameters(CONSTANTS[at] ?? at)}`)
    for (const form of LISTS) for (const [, at = ''] of text.matchAll(form)) calls.add(`get ${nameParameters(at)}`)
  }
  return calls
}

/** Replaces the parameters of a path with `{}`, because their names in the pages may differ. */
function nameParameters(at: string): string {
  return at.replaceAll(/\$?\{[\w.]+\}/g, '{}')
}

test('every operation for users and keys is on a page, or has an exception with a reason', () => {
  const calls = listPageCalls()
  const unreached = [...listOperations('/api/ext/'), ...listOperations('/api/admin/')]
    .filter(([call, operationId]) => !calls.has(call) && !Object.hasOwn(actions, operationId))
    .map(([, operationId]) => operationId)
  expect(unreached.sort()).toEqual(Object.keys(EXCEPTIONS).sort())
})

test('every call of a page is an operation of the contract', () => {
  const known = new Set(['/api/ext/', '/api/admin/'].flatMap((prefix) => listOperations(prefix).map(([call]) => call)))
  const unknown = [...listPageCalls()].filter((call) => !known.has(call))
  expect(unknown).toEqual([])
})
