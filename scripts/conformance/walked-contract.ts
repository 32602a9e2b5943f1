import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js'
import {
  type Contract,
  type ContractDocument,
  isOpenToApiClients,
  readContract,
} from '../../server/platform/calls/contract.ts'
import { FAST_COMPILATION, registerFormats } from '../../server/platform/problems/formats.ts'

/**
 * The contract for code that uses all of it, with strictly compiled schemas. An unknown keyword, an unknown format, or
 * a required property that is not declared is an error in the contract and throws.
 */
export const root = path.resolve(import.meta.dirname, '../..')
export const document = readDocument()
/** The whole contract, including operations that only users of the pages may call. */
export const wholeContract = readContract(document)
/** The part of the contract that programs may use. */
export const contract: Contract = {
  ...wholeContract,
  operations: new Map([...wholeContract.operations].filter(([, operation]) => isOpenToApiClients(operation))),
}

/**
 * Operations that run other operations. They can have the same responses, rejections, and events as the operations that
 * they run.
 */
export const SKILL_RUNNERS: ReadonlySet<string> = new Set([
  'executeSkill',
  'executeBatch',
  'createProposal',
  'approveProposal',
])

/** Operations that cannot succeed in a run, because a run has only one key and the service may have no mail server. */
export const CANNOT_SUCCEED: ReadonlySet<string> = new Set([
  // Nobody may approve their own proposals.
  'approveProposal',
  // This operation requires a service that sends email.
  'inviteHomeOwner',
  // This operation requires a file that the vendor uploaded and has not submitted. In a run, the vendor submits all
  // files with the bid.
  'discardPortalAttachment',
])

const ajv = registerFormats(new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, ...FAST_COMPILATION }))
// Keywords that are for readers, such as the meanings of enumeration values.
ajv.addVocabulary([
  'x-brief',
  'x-defaultsToNow',
  'x-enumDescriptions',
  'x-record',
  'x-secret',
  'x-tool',
  'x-values',
  'x-writtenBy',
])
for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
  ajv.addSchema(toStandalone(schema), `schema:${name}`)
const compiledSchemas = new Map<string, ValidateFunction>()

// In the published package, the contract is next to this file. In the repository, the contract is in the server's
// folder.
function readDocument(): ContractDocument {
  const beside = path.join(import.meta.dirname, 'contract.gen.json')
  const file = existsSync(beside) ? beside : path.join(root, 'server/contract.gen.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { document: ContractDocument }).document
}

/** Returns the value at a path in the document, resolving references; undefined if there is no value. */
export function getValueAtPath(...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (place, key) => resolveReference((resolveReference(place) as Record<string, unknown> | undefined)?.[key]),
    document,
  )
}

function resolveReference(place: unknown): unknown {
  const reference = (place as { $ref?: unknown } | null | undefined)?.$ref
  if (typeof reference !== 'string') return place
  const target = getValueAtPath(...referenceKeys(reference))
  if (target === undefined) throw new Error(`The reference ${reference} does not match anything in the contract.`)
  return target
}

/** Returns the entries of an object in the document, resolving references. */
export function listEntriesAtPath(...keys: string[]): [string, Record<string, unknown>][] {
  return Object.keys((getValueAtPath(...keys) as Record<string, unknown> | undefined) ?? {}).map((key) => [
    key,
    getValueAtPath(...keys, key) as Record<string, unknown>,
  ])
}

/** Returns the errors of a value according to the schema at a path, one on each line; empty if the value is valid. */
export function describeSchemaErrors(value: unknown, ...keys: string[]): string {
  const validate = compileValidator(keys)
  if (validate(value)) return ''
  return (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('\n')
}

const validatorsByPointer = new Map<string, ValidateFunction>()

/** Returns the validator for the schema at a pointer into the document. Compiles each schema only once. */
export function findValidator(pointer: string): ValidateFunction {
  let validate = validatorsByPointer.get(pointer)
  if (validate === undefined) {
    validate = compileValidator(referenceKeys(`#${pointer}`))
    validatorsByPointer.set(pointer, validate)
  }
  return validate
}

function compileValidator(keys: string[]): ValidateFunction {
  const place = resolvePlace(keys)
  const key = JSON.stringify(place)
  let validate = compiledSchemas.get(key)
  if (validate === undefined) {
    const schema = rawSchemaAt(place)
    if (schema === undefined) throw new Error(`Expected a schema at ${keys.join(' › ')}.`)
    validate = ajv.compile(toStandalone(schema))
    compiledSchemas.set(key, validate)
  }
  return validate
}

/**
 * Returns the schema with each reference replaced by the ID of another schema. The validator cannot resolve the
 * references themselves, because the document as a whole is not a schema.
 */
function toStandalone(schema: unknown): AnySchemaObject {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string'
      ? value.replace(
          /^#\/components\/schemas\/([^/]+)(\/.*)?$/,
          (_, name, rest = '') => `schema:${name}${rest && `#${rest}`}`,
        )
      : value,
  ) as AnySchemaObject
}

/** Returns the keys of the value itself after resolving every reference on the path. */
function resolvePlace(keys: string[]): string[] {
  let place: string[] = []
  for (const key of keys) {
    place.push(key)
    for (let node = rawSchemaAt(place); typeof node?.$ref === 'string'; node = rawSchemaAt(place))
      place = referenceKeys(node.$ref)
  }
  return place
}

function rawSchemaAt(place: string[]): Record<string, unknown> | undefined {
  return place.reduce<Record<string, unknown> | undefined>(
    (node, key) => node?.[key] as Record<string, unknown> | undefined,
    document as unknown as Record<string, unknown>,
  )
}

function referenceKeys(reference: string): string[] {
  return reference
    .slice('#/'.length)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}
