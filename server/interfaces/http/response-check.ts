import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js'
import type { Contract, Operation, ResponseObject } from '../../platform/calls/contract.ts'
import { FAST_COMPILATION, registerFormats } from '../../platform/problems/formats.ts'
import type { HttpResponse } from './dispatch.ts'

/** Returns the compiled validator for the schema at a JSON pointer into the contract. */
export type FindValidator = (pointer: string) => ValidateFunction

export type ResponseCheck = (operation: Operation | null, response: HttpResponse) => void

/**
 * Checks every response against the contract before it is sent. An undeclared status, or a body that violates its
 * schema, is an error of the service. The check is enabled only in tests, so that every test also tests the contract.
 *
 * @param findValidator finds validators that the caller has already compiled
 */
export function createResponseChecker(
  contract: Contract,
  validatorAt: FindValidator = createValidatorFinder(contract),
): ResponseCheck {
  const codes = contract.document['x-problems'] as Record<string, { members?: string[]; mayHave?: string[] }>

  /** Checks that a problem has all its members, because the client library declares types for them. */
  function assertMembers({ status, text }: HttpResponse): void {
    if (status < 400) return
    const problem = JSON.parse(text ?? 'null') as Record<string, unknown>
    const { members = [], mayHave = [] } = codes[String(problem.code)] ?? {}
    const known = new Set([...COMMON_MEMBERS, ...members, ...mayHave])
    const missing = members.filter((name) => !(name in problem))
    const unknown = Object.keys(problem).filter((name) => !known.has(name))
    if (missing.length + unknown.length > 0)
      throw new Error(
        `Expected the members of ${problem.code} to match x-problems (${[...missing, ...unknown]}): ${text}`,
      )
  }

  return (operation, response) => {
    assertMembers(response)
    const declared = operation?.declaration.responses[response.status]
    // If the operation is unknown, only the general schema of a problem applies.
    if (operation === null) return assertValid(validatorAt('/components/schemas/Problem'), response, 'a problem')
    const what = `${operation.id} ${response.status}`
    if (declared === undefined) throw new Error(`Expected the contract to declare ${what}: ${response.text}`)
    const at =
      '$ref' in declared
        ? declared.$ref.slice(1)
        : `/paths/${escapePointerStep(operation.path)}/${operation.method.toLowerCase()}/responses/${response.status}`
    const { content } = contract.resolve<ResponseObject>(declared)
    const [type] = Object.keys(content ?? {})
    if (type === undefined) {
      if (response.text !== null) throw new Error(`Expected ${what} to have no body.`)
      return
    }
    if (response.file !== undefined) {
      if (response.type !== type) throw new Error(`Expected ${what} to have type ${type}, not ${response.type}.`)
      return
    }
    if (response.text === null) throw new Error(`Expected ${what} to have a body.`)
    if (type.endsWith('json'))
      assertValid(validatorAt(`${at}/content/${escapePointerStep(type)}/schema`), response, what)
  }
}

function createValidatorFinder({ document }: Contract): FindValidator {
  const ajv = registerFormats(new Ajv2020.default({ strict: false, allErrors: true, ...FAST_COMPILATION }))
  ajv.addSchema(document, 'contract')
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    let validate = compiled.get(pointer)
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `contract#${pointer}` })
      compiled.set(pointer, validate)
    }
    return validate
  }
}

const COMMON_MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'errors']

function assertValid(validate: ValidateFunction, response: HttpResponse, what: string): void {
  if (validate(JSON.parse(response.text ?? 'null'))) return
  const errors = (validate.errors ?? []).map(
    (fault) => `${fault.instancePath} ${fault.message} ${JSON.stringify(fault.params)}`,
  )
  throw new Error(`Expected ${what} to match its schema: ${errors.join('; ')}\n${response.text}`)
}

function escapePointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
